/* Post steps: values such as a mean that are computed from results and the
 * length. Their running form puts the count so far for the length, and a post
 * step t = a*S + b stands for its sum: S = (t - b)/a. */
#include "algebra/internal.h"

const rf_sym *rf_at_count(rf_syms *s, const rf_definitions *defs,
                          const rf_sym *e, const rf_sym *count)
{
    return defs->length ? rf_sym_subst(s, e, 1, &defs->length, &count) : e;
}

/* post = a*S + b with a, b free of S; false if it is no such form. */
static bool split_linear(rf_algebra *alg, const rf_sym *post, const rf_sym *S,
                         const rf_sym **a, const rf_sym **b)
{
    rf_syms *s = alg->syms;
    const rf_sym *zero = rf_sym_int(s, 0);
    *a = rf_generator_derivative(alg, post, S);
    if (!*a || rf_sym_is_int(*a, 0) || rf_sym_mentions(*a, S))
        return false;
    *b = rf_sym_subst(s, post, 1, &S, &zero);
    const rf_sym *again = rf_sym_add(s, rf_sym_mul(s, *a, S), *b);
    return rf_algebra_equal(alg, again, post) == RF_YES;
}

int rf_inner_sum(rf_algebra *alg, const rf_definitions *defs, unsigned i,
                 const rf_sym **a, const rf_sym **b)
{
    const rf_sym *post = defs->def[i].post;
    for (unsigned k = 0; k < i; k++) {
        const rf_definition *d = &defs->def[k];
        if (d->element && d->op == RF_REDUCE_SUM &&
            !rf_sym_has_role(d->element, RF_ATOM_RESULT) &&
            rf_sym_mentions(post, d->result) &&
            split_linear(alg, post, d->result, a, b))
            return (int)k;
    }
    return -1;
}

/* ---- bindings ---- */

void rf_bindings_add(rf_bindings *b, const rf_sym *from, const rf_sym *to)
{
    RF_PUSH(b->from, from);
    RF_PUSH(b->to, to);
}

void rf_bindings_clear(rf_bindings *b)
{
    RF_CLEAR(b->from);
    RF_CLEAR(b->to);
}

const rf_sym *rf_bind(rf_algebra *alg, const rf_bindings *b, const rf_sym *e)
{
    return rf_sym_subst(alg->syms, e, b->from.len, b->from.data, b->to.data);
}

/* ---- naming post steps ---- */

typedef struct {
    rf_question q;
    const rf_sym *length;
    rf_nodes from, to;
} lifter;

/* Collect the largest nodes of D and the length alone that are post steps:
 * they use the length, or they are quotients of results. */
static void find_posts(lifter *l, const rf_sym *e)
{
    rf_syms *s = l->q.alg->syms;
    const rf_sym *c, *t;
    rf_split_term(s, e, &c, &t);
    bool quotient = t->kind == RF_SYM_MUL; /* c = S/W, a weighted mean */
    if (rf_depends(&l->q, t) == RF_ON_D &&
        (quotient || rf_sym_mentions(t, l->length))) {
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
