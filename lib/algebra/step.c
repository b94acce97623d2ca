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
    rf_nodes next;     /* next value of each definition */
    rf_nodes expanded; /* the same over old values only */
    RF_ARRAY(bool) carried;
    rf_nodes results; /* atoms of the definitions */
} stepper;

static const rf_sym *at_old(const stepper *t, const rf_sym *e)
{
    return rf_algebra_at_old(t->alg, e, t->results.len, t->results.data);
}

/* "e" with the results stepped so far replaced by their values over old ones.
 */
static const rf_sym *expand_new(const stepper *t, const rf_sym *e)
{
    rf_nodes from = { 0 }, to = { 0 };
    for (size_t i = 0; i < t->expanded.len; i++)
        if (t->expanded.data[i]) {
            RF_PUSH(from, t->results.data[i]);
            RF_PUSH(to, t->expanded.data[i]);
        }
    const rf_sym *r =
        rf_sym_subst(t->alg->syms, e, from.len, from.data, to.data);
    RF_CLEAR(from);
    RF_CLEAR(to);
    return r;
}

/* The opposite for whole nodes: W + w is the new W. */
static const rf_sym *name_new(const stepper *t, const rf_sym *e)
{
    rf_nodes from = { 0 }, to = { 0 };
    for (size_t i = 0; i < t->expanded.len; i++)
        if (t->expanded.data[i] && t->carried.data[i]) {
            RF_PUSH(from, t->expanded.data[i]);
            RF_PUSH(to, t->results.data[i]);
        }
    const rf_sym *r =
        rf_sym_subst(t->alg->syms, e, from.len, from.data, to.data);
    RF_CLEAR(from);
    RF_CLEAR(to);
    return r;
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

static const rf_sym *at_count(const stepper *t, const rf_sym *e,
                              const rf_sym *count)
{
    if (!t->defs->length)
        return e;
    return rf_sym_subst(t->alg->syms, e, 1, &t->defs->length, &count);
}

/* post = a*S + b with a, b free of S; false if it is no such form. */
static bool split_linear(const stepper *t, const rf_sym *post, const rf_sym *S,
                         const rf_sym **a, const rf_sym **b)
{
    rf_syms *s = t->alg->syms;
    const rf_sym *zero = rf_sym_int(s, 0);
    *a = rf_generator_derivative(t->alg, post, S);
    if (!*a || rf_sym_is_int(*a, 0) || rf_sym_mentions(*a, S))
        return false;
    *b = rf_sym_subst(s, post, 1, &S, &zero);
    const rf_sym *again = rf_sym_add(s, rf_sym_mul(s, *a, S), *b);
    return rf_algebra_equal(t->alg, again, post) == RF_YES;
}

/* The sum that "post" is linear in and that nothing else needs, or -1. */
static int find_inner_sum(const stepper *t, unsigned i, const rf_sym **a,
                          const rf_sym **b)
{
    const rf_sym *post = t->defs->def[i].post;
    for (unsigned k = 0; k < i; k++) {
        const rf_definition *d = &t->defs->def[k];
        if (d->element && d->op == RF_REDUCE_SUM && t->next.data[k] &&
            rf_sym_mentions(post, d->result) &&
            split_linear(t, post, d->result, a, b))
            return (int)k;
    }
    return -1;
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
    const rf_sym *difference = rf_sym_sub(s, old, at_count(t, at_old(t, b), n));
    const rf_sym *sum = rf_sym_div(s, difference, at_count(t, at_old(t, a), n));
    const rf_sym *S = t->results.data[k];
    const rf_sym *element = t->defs->def[k].element;
    const rf_sym *next_sum = rf_sym_add(s, sum, element);
    const rf_sym *next =
        rf_sym_subst(s, at_count(t, d->post, next_n), 1, &S, &next_sum);
    next = expand_new(t, next);
    t->carried.data[k] = false;
    return rf_sym_add(s, old, rf_factored(t->alg, rf_sym_sub(s, next, old)));
}

static const rf_sym *step_post(stepper *t, unsigned i)
{
    rf_syms *s = t->alg->syms;
    const rf_sym *a, *b;
    int k = find_inner_sum(t, i, &a, &b);
    if (k >= 0)
        return step_mean(t, i, (unsigned)k, a, b);
    const rf_sym *next_n = rf_sym_add(s, t->closure->count, rf_sym_int(s, 1));
    return at_count(t, t->defs->def[i].post, next_n);
}

static void step_result(stepper *t, unsigned i)
{
    const rf_definition *d = &t->defs->def[i];
    const rf_sym *next = d->element ? step_reduction(t, d) : step_post(t, i);
    bool order = next && next->kind != RF_SYM_ADD && d->element;
    const rf_sym *expanded =
        next && !order ? expand_new(t, next) : NULL; /* max stays a name */
    RF_PUSH(t->next, next && d->post ? name_new(t, next) : next);
    RF_PUSH(t->expanded, expanded);
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
        if (!t->expanded.data[i] && rf_sym_mentions(e, t->results.data[i]))
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
    RF_CLEAR(t.expanded);
    RF_CLEAR(t.carried);
    RF_CLEAR(t.results);
}

/* ---- naming post steps ---- */

typedef struct {
    rf_question q;
    const rf_sym *length;
    rf_nodes from, to;
} lifter;

/* Collect the largest nodes of D and the length alone that are no atoms. */
static void find_posts(lifter *l, const rf_sym *e)
{
    rf_syms *s = l->q.alg->syms;
    const rf_sym *c, *t;
    rf_split_term(s, e, &c, &t);
    if (rf_depends(&l->q, t) == RF_ON_D && rf_sym_mentions(t, l->length)) {
        for (size_t i = 0; i < l->from.len; i++)
            if (l->from.data[i] == t)
                return;
        const char *name =
            rf_arena_printf(rf_syms_arena(s), "t%zu", l->from.len);
        RF_PUSH(l->from, t);
        RF_PUSH(l->to, rf_sym_atom(s, RF_ATOM_RESULT, name, NULL));
        return;
    }
    for (unsigned i = 0; i < e->n; i++)
        if (rf_depends(&l->q, e->arg[i]) & RF_ON_D)
            find_posts(l, e->arg[i]);
}

/* Sums take out c*t, so the terms must be replaced, not the whole nodes. */
static const rf_sym *replace_posts(lifter *l, const rf_sym *e)
{
    rf_syms *s = l->q.alg->syms;
    const rf_sym *c, *t;
    rf_split_term(s, e, &c, &t);
    for (size_t i = 0; i < l->from.len; i++)
        if (l->from.data[i] == t)
            return rf_sym_mul(s, c, l->to.data[i]);
    if (!(rf_depends(&l->q, e) & RF_ON_D) || e->n == 0)
        return e;
    rf_nodes args = { 0 };
    for (unsigned i = 0; i < e->n; i++)
        RF_PUSH(args, replace_posts(l, e->arg[i]));
    const rf_sym *r = rf_sym_rebuild(s, e, args.data);
    RF_CLEAR(args);
    return r;
}

void rf_closure_lift(rf_algebra *alg, const rf_sym *f, unsigned n,
                     const rf_sym *const *results, const rf_sym *length,
                     rf_lifted *out)
{
    lifter l = { .q = { alg, RF_REDUCE_SUM, f, n, results }, .length = length };
    find_posts(&l, f);
    rf_definition *def =
        RF_NEW_ARRAY(rf_syms_arena(alg->syms), l.from.len, rf_definition);
    for (size_t i = 0; i < l.from.len; i++)
        def[i] =
            (rf_definition){ .result = l.to.data[i], .post = l.from.data[i] };
    *out = (rf_lifted){ replace_posts(&l, f), l.from.len, def };
    RF_CLEAR(l.from);
    RF_CLEAR(l.to);
}
