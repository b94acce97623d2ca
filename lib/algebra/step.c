/* The step of a closed sum (T-9 with one element on the right):
 *
 *     B' = transfer(D, D') B + b(x, D')
 *
 * Where D' is an expression in D, n and x, the part without states is written
 * as a product, with a vanishing sum's element at the new D as one factor if
 * that is shorter:
 *
 *     n*(d - d')^2 + (x - d')^2 = (x - d)^2 * n/(n + 1) = (x - d)*(x - d')
 *
 * A post step t = a*S + b steps without its sum S = (t - b)/a. */
#include "algebra/internal.h"

typedef struct {
    rf_algebra *alg;
    const rf_closure *closure;
    const rf_definitions *defs;
    rf_nodes results; /* atoms of the definitions */
    rf_nodes next;    /* next value of each, over old and new values */
    RF_ARRAY(bool) carried;
    rf_bindings values; /* new results by their values over old ones only */
    rf_bindings names;  /* the opposite for whole nodes: W + w is the new W */
} stepper;

static const rf_sym *at_old(const stepper *t, const rf_sym *e)
{
    return rf_algebra_at_old(t->alg, e, t->results.len, t->results.data);
}

static const rf_sym *expand_new(const stepper *t, const rf_sym *e)
{
    return rf_bind(t->alg, &t->values, e);
}

static const rf_sym *name_new(const stepper *t, const rf_sym *e)
{
    return rf_bind(t->alg, &t->names, e);
}

/* ---- results ---- */

static const rf_sym *step_reduction(const stepper *t, const rf_definition *d)
{
    rf_syms *s = t->alg->syms;
    const rf_sym *old = rf_algebra_old(t->alg, d->result);
    if (rf_sym_has_role(d->element, RF_ATOM_RESULT))
        return NULL;
    switch (d->op) {
    case RF_REDUCE_SUM:
        return rf_sym_add(s, old, d->element);
    case RF_REDUCE_PRODUCT:
        return rf_sym_mul(s, old, d->element);
    case RF_REDUCE_MAX:
        return rf_sym_max(s, old, d->element);
    case RF_REDUCE_MIN:
        return rf_sym_min(s, old, d->element);
    default:
        return NULL;
    }
}

/* t' = t + (t' - t) with S = (t - b)/a put in */
static const rf_sym *step_mean(stepper *t, unsigned i, unsigned k,
                               const rf_sym *a, const rf_sym *b)
{
    rf_syms *s = t->alg->syms;
    const rf_sym *n = t->closure->count;
    const rf_sym *next_n = rf_sym_add(s, n, rf_sym_int(s, 1));
    const rf_definition *d = &t->defs->def[i];
    const rf_sym *old = rf_algebra_old(t->alg, d->result);
    const rf_sym *sum =
        rf_sym_div(s, rf_sym_sub(s, old, at_old(t, b)), at_old(t, a));
    sum = rf_at_count(s, t->defs, sum, n);
    const rf_sym *S = t->results.data[k];
    const rf_sym *next_sum = rf_sym_add(s, sum, t->defs->def[k].element);
    const rf_sym *next = rf_at_count(s, t->defs, d->post, next_n);
    next = expand_new(t, rf_sym_subst(s, next, 1, &S, &next_sum));
    t->carried.data[k] = false;
    return rf_sym_add(s, old, rf_factored(t->alg, rf_sym_sub(s, next, old)));
}

static const rf_sym *step_post(stepper *t, unsigned i)
{
    rf_syms *s = t->alg->syms;
    const rf_sym *a, *b;
    int k = rf_inner_sum(t->alg, t->defs, i, &a, &b);
    if (k >= 0 && t->next.data[k])
        return step_mean(t, i, (unsigned)k, a, b);
    const rf_sym *next_n = rf_sym_add(s, t->closure->count, rf_sym_int(s, 1));
    return rf_at_count(s, t->defs, t->defs->def[i].post, next_n);
}

/* max and min keep their names: their cases would only grow. */
static void step_result(stepper *t, unsigned i)
{
    const rf_definition *d = &t->defs->def[i];
    const rf_sym *next = d->element ? step_reduction(t, d) : step_post(t, i);
    const rf_sym *named = next && d->post ? name_new(t, next) : next;
    bool plain = next && (d->post || next->kind == RF_SYM_ADD);
    if (plain) {
        const rf_sym *value = expand_new(t, next);
        rf_bindings_add(&t->values, d->result, value);
        rf_bindings_add(&t->names, value, d->result);
    }
    RF_PUSH(t->next, named);
    RF_PUSH(t->carried, d->element != NULL);
}

/* A sum is carried after all if anything that is emitted names it. */
static bool is_named(const stepper *t, const rf_sym *result, size_t self)
{
    const rf_closure *k = t->closure;
    const rf_sym *old = rf_algebra_old(t->alg, result);
    bool named = rf_sym_mentions(k->later, result);
    for (unsigned i = 0; i < k->rank && !named; i++)
        named = rf_sym_mentions(k->basis[i], result) ||
                (k->moved[i] && rf_sym_mentions(k->moved[i], old));
    for (size_t i = 0; i < t->next.len && !named; i++)
        named = i != self && t->next.data[i] &&
                (rf_sym_mentions(t->next.data[i], old) ||
                 rf_sym_mentions(t->next.data[i], result));
    return named;
}

/* ---- states ---- */

static unsigned size_of(const rf_sym *e)
{
    unsigned size = 1;
    for (unsigned i = 0; i < e->n; i++)
        size += size_of(e->arg[i]);
    return size;
}

/* r = q * z(x, D') with z of a vanishing sum, if that is shorter. */
static const rf_sym *with_new_difference(const stepper *t, const rf_sym *r)
{
    rf_syms *s = t->alg->syms;
    const rf_closure *k = t->closure;
    const rf_sym *best = r;
    for (unsigned i = 0; i < k->rank; i++) {
        if (!k->known[i] || !rf_sym_is_int(k->known[i], 0))
            continue;
        const rf_sym *z = k->basis[i];
        const rf_sym *q =
            rf_factored(t->alg, rf_sym_div(s, r, expand_new(t, z)));
        const rf_sym *e = rf_sym_mul(s, q, z);
        if (size_of(e) < size_of(best))
            best = e;
    }
    return best;
}

/* The part of "e" without states, and with; both sum up to e. */
static void split_states(const stepper *t, const rf_sym *e,
                         const rf_sym **plain, const rf_sym **moved)
{
    rf_syms *s = t->alg->syms;
    bool sum = e->kind == RF_SYM_ADD;
    *plain = *moved = rf_sym_int(s, 0);
    for (unsigned i = 0; i < (sum ? e->n : 1); i++) {
        const rf_sym *a = sum ? e->arg[i] : e;
        const rf_sym **to = rf_sym_has_role(a, RF_ATOM_STATE) ? moved : plain;
        *to = rf_sym_add(s, *to, a);
    }
}

/* Every term of "e" as a product over old values. */
static const rf_sym *factor_terms(const stepper *t, const rf_sym *e)
{
    rf_syms *s = t->alg->syms;
    bool sum = e->kind == RF_SYM_ADD;
    const rf_sym *r = rf_sym_int(s, 0);
    for (unsigned i = 0; i < (sum ? e->n : 1); i++) {
        const rf_sym *a = expand_new(t, sum ? e->arg[i] : e);
        r = rf_sym_add(s, r, name_new(t, rf_factored(t->alg, a)));
    }
    return r;
}

static bool all_stepped(const stepper *t, const rf_sym *e)
{
    for (size_t i = 0; i < t->results.len; i++)
        if (expand_new(t, t->results.data[i]) == t->results.data[i] &&
            rf_sym_mentions(e, t->results.data[i]))
            return false;
    return true;
}

static const rf_sym *step_state(const stepper *t, unsigned k)
{
    rf_syms *s = t->alg->syms;
    const rf_sym *e = rf_sym_add(s, t->closure->moved[k], t->closure->basis[k]);
    const rf_sym *plain, *moved;
    if (t->results.len == 0 || !all_stepped(t, e))
        return e;
    split_states(t, e, &plain, &moved);
    plain = rf_factored(t->alg, expand_new(t, plain));
    plain = name_new(t, with_new_difference(t, plain));
    return rf_sym_add(s, factor_terms(t, moved), plain);
}

static void keep_step(stepper *t, rf_step *out)
{
    rf_arena *arena = rf_syms_arena(t->alg->syms);
    unsigned n = t->results.len, rank = t->closure->rank;
    const rf_sym **result = RF_NEW_ARRAY(arena, n, const rf_sym *);
    const rf_sym **next = RF_NEW_ARRAY(arena, rank, const rf_sym *);
    bool *carried = RF_NEW_ARRAY(arena, n, bool);
    for (unsigned i = 0; i < n; i++) {
        result[i] = t->next.data[i];
        bool needed = is_named(t, t->results.data[i], i);
        carried[i] = t->defs->def[i].post || t->carried.data[i] || needed;
    }
    for (unsigned k = 0; k < rank; k++)
        if (!t->closure->known[k])
            next[k] = step_state(t, k);
    *out = (rf_step){ result, carried, next };
}

void rf_closure_step(rf_algebra *alg, const rf_closure *closure,
                     const rf_definitions *defs, rf_step *out)
{
    stepper t = { .alg = alg, .closure = closure, .defs = defs };
    for (unsigned i = 0; defs && i < defs->n; i++)
        RF_PUSH(t.results, defs->def[i].result);
    for (unsigned i = 0; i < t.results.len; i++)
        step_result(&t, i);
    keep_step(&t, out);
    RF_CLEAR(t.next);
    rf_bindings_clear(&t.values);
    rf_bindings_clear(&t.names);
    RF_CLEAR(t.carried);
    RF_CLEAR(t.results);
}
