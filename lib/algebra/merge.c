/* The merge of two states (T-9), left u and right v:
 *
 *     B = transfer(D_u, D) B_u + transfer(D_v, D) B_v
 *     mean = mean_u + (mean_v - mean_u) * n_v/(n_u + n_v)               (Chan)
 */
#include "algebra/internal.h"

typedef struct {
    rf_algebra *alg;
    const rf_closure *closure;
    const rf_definitions *defs;
    rf_merge *out;
    rf_nodes results, right;
    rf_bindings left_side, right_side; /* plain atoms by those of a side */
    rf_bindings values, names;
} merger;

static const rf_sym *right_atom(rf_algebra *alg, const rf_sym *e)
{
    const rf_atom *a = e->atom;
    const char *name =
        rf_arena_printf(rf_syms_arena(alg->syms), "%s_right", a->name);
    return rf_sym_atom_signed(alg->syms, a->role, name, a->key, a->sign);
}

static const rf_sym *merge_reduction(const merger *t, unsigned i)
{
    const rf_definition *d = &t->defs->def[i];
    const rf_sym *u = rf_algebra_old(t->alg, d->result);
    const rf_sym *v = t->right.data[i];
    if (rf_sym_has_role(d->element, RF_ATOM_RESULT))
        return NULL;
    switch (d->op) {
    case RF_REDUCE_SUM:
        return rf_sym_add(t->alg->syms, u, v);
    case RF_REDUCE_PRODUCT:
        return rf_sym_mul(t->alg->syms, u, v);
    case RF_REDUCE_MAX:
        return rf_sym_max(t->alg->syms, u, v);
    case RF_REDUCE_MIN:
        return rf_sym_min(t->alg->syms, u, v);
    default:
        return NULL;
    }
}

/* S = (t - b)/a on one side. */
static const rf_sym *side_sum(const merger *t, const rf_bindings *side,
                              unsigned i, const rf_sym *count, const rf_sym *a,
                              const rf_sym *b)
{
    rf_syms *s = t->alg->syms;
    const rf_sym *post = t->results.data[i];
    const rf_sym *sum = rf_sym_div(s, rf_sym_sub(s, post, b), a);
    return rf_at_count(s, t->defs, rf_bind(t->alg, side, sum), count);
}

static const rf_sym *merge_post(const merger *t, unsigned i)
{
    rf_syms *s = t->alg->syms;
    const rf_sym *a, *b, *u = rf_algebra_old(t->alg, t->results.data[i]);
    const rf_sym *nu = t->closure->count, *nv = t->out->right_count;
    const rf_sym *post =
        rf_at_count(s, t->defs, t->defs->def[i].post, rf_sym_add(s, nu, nv));
    int k = rf_inner_sum(t->alg, t->defs, i, &a, &b);
    if (k < 0)
        return post;
    const rf_sym *sum = rf_sym_add(s, side_sum(t, &t->left_side, i, nu, a, b),
                                   side_sum(t, &t->right_side, i, nv, a, b));
    post = rf_sym_subst(s, post, 1, &t->results.data[k], &sum);
    post = rf_bind(t->alg, &t->values, post);
    return rf_sym_add(s, u, rf_factored(t->alg, rf_sym_sub(s, post, u)));
}

static const rf_sym *merge_result(merger *t, unsigned i)
{
    const rf_definition *d = &t->defs->def[i];
    const rf_sym *e = d->post ? merge_post(t, i) : merge_reduction(t, i);
    if (!e)
        return NULL;
    if (d->post)
        return rf_bind(t->alg, &t->names, e);
    rf_bindings_add(&t->values, d->result, e);
    rf_bindings_add(&t->names, e, d->result);
    return e;
}

/* moved of the left part, and the same with all atoms of the right part */
static const rf_sym *merge_state(const merger *t, unsigned k)
{
    rf_bindings to_right = { 0 };
    const rf_closure *c = t->closure;
    for (size_t i = 0; i < t->results.len; i++)
        rf_bindings_add(&to_right, rf_algebra_old(t->alg, t->results.data[i]),
                        t->right.data[i]);
    for (unsigned i = 0; i < c->n_results; i++)
        if (rf_sym_mentions(c->moved[k], rf_algebra_old(t->alg, c->results[i])))
            rf_bindings_add(&to_right, rf_algebra_old(t->alg, c->results[i]),
                            rf_bind(t->alg, &t->right_side, c->results[i]));
    for (unsigned i = 0; i < c->rank; i++)
        if (c->state[i])
            rf_bindings_add(&to_right, c->state[i], t->out->right_state[i]);
    rf_bindings_add(&to_right, c->count, t->out->right_count);
    const rf_sym *right = rf_bind(t->alg, &to_right, c->moved[k]);
    rf_bindings_clear(&to_right);
    return rf_sym_add(t->alg->syms, c->moved[k], right);
}

static void merger_init(merger *t)
{
    const rf_closure *c = t->closure;
    rf_arena *arena = rf_syms_arena(t->alg->syms);
    const rf_sym **state = RF_NEW_ARRAY(arena, c->rank, const rf_sym *);
    for (unsigned i = 0; t->defs && i < t->defs->n; i++)
        RF_PUSH(t->results, t->defs->def[i].result);
    for (unsigned i = 0; i < c->n_results; i++) {
        bool seen = false;
        for (size_t k = 0; k < t->results.len; k++)
            seen |= t->results.data[k] == c->results[i];
        if (!seen)
            RF_PUSH(t->results, c->results[i]);
    }
    for (size_t i = 0; i < t->results.len; i++) {
        const rf_sym *e = t->results.data[i];
        RF_PUSH(t->right, right_atom(t->alg, e));
        rf_bindings_add(&t->left_side, e, rf_algebra_old(t->alg, e));
        rf_bindings_add(&t->right_side, e, t->right.data[i]);
    }
    for (unsigned i = 0; i < c->rank; i++)
        state[i] = c->state[i] ? right_atom(t->alg, c->state[i]) : NULL;
    t->out->right_state = state;
    t->out->right_count = right_atom(t->alg, c->count);
}

static void merger_clear(merger *t)
{
    RF_CLEAR(t->results);
    RF_CLEAR(t->right);
    rf_bindings_clear(&t->left_side);
    rf_bindings_clear(&t->right_side);
    rf_bindings_clear(&t->values);
    rf_bindings_clear(&t->names);
}

void rf_closure_merge(rf_algebra *alg, const rf_closure *closure,
                      const rf_definitions *defs, rf_merge *out)
{
    merger t = { .alg = alg, .closure = closure, .defs = defs, .out = out };
    rf_arena *arena = rf_syms_arena(alg->syms);
    unsigned n = defs ? defs->n : 0;
    merger_init(&t);
    const rf_sym **result = RF_NEW_ARRAY(arena, n, const rf_sym *);
    const rf_sym **right = RF_NEW_ARRAY(arena, t.right.len, const rf_sym *);
    const rf_sym **next = RF_NEW_ARRAY(arena, closure->rank, const rf_sym *);
    for (size_t i = 0; i < t.right.len; i++)
        right[i] = t.right.data[i];
    for (unsigned i = 0; i < n; i++)
        result[i] = merge_result(&t, i);
    for (unsigned k = 0; k < closure->rank; k++)
        if (!closure->known[k])
            next[k] = merge_state(&t, k);
    out->result = result;
    out->right_result = right;
    out->next = next;
    merger_clear(&t);
}
