/* Class M: sums that follow a moving reference (T-8, T-9).
 *
 * SUM (x - mean)^2 does not separate, but its translates close: with t the
 * mean of the elements so far and M the sum about t,
 *
 *     t' = t + (x - t) / (k + 1)
 *     M' = M + (x - t) * (x - t')
 *
 * algebra/ finds such states and their steps; here they become members of the
 * plan. The author's own sum stays beside t: the stored mean is then bit for
 * bit what it was, and an infinite element spoils only what it spoils in the
 * source. */
#include "plan/range.h"

#include <math.h>

/* ---- the trip count ---- */

/* The thread counts by one, or the lanes of its team do together. */
static bool counts_by_one(const rf_deriver *d)
{
    const rf_loop *l = d->p->plan->axis;
    int64_t step;
    bool by_one = d->p->trace->team
                      ? l->is_dealt
                      : rf_val_is_int(l->step, &step) && step == 1;
    return by_one && !l->at_least_once && !l->is_reversed;
}

static const rf_sym *trip_count(rf_deriver *d)
{
    const rf_loop *l = d->p->plan->axis;
    const rf_val *lower = l->is_dealt ? l->least : l->lower;
    rf_syms *syms = rf_reals_syms(d->reals);
    const rf_sym *n =
        rf_sym_sub(syms, rf_real_of(d->reals, rf_plan_resolve(d->p, l->upper)),
                   rf_real_of(d->reals, rf_plan_resolve(d->p, lower)));
    if (l->is_inclusive)
        n = rf_sym_add(syms, n, rf_sym_int(syms, 1));
    return rf_algebra_simplify(d->alg, n);
}

static rf_var *count_variable(rf_deriver *d, const char *name, unsigned id)
{
    rf_var *var = RF_NEW(d->p->arena, rf_var);
    *var = (rf_var){ .name = name,
                     .type = d->p->plan->axis->type,
                     .storage = RF_VAR_LOCAL,
                     .at = RF_NOWHERE,
                     .id = id };
    return var;
}

/* The number of elements so far, in the type of "m". */
static const rf_val *count_so_far(rf_deriver *d, const rf_member *m)
{
    rf_plan *plan = d->p->plan;
    if (!plan->count_var) {
        plan->count_var = count_variable(d, "n", 3000004);
        plan->count_right_var = count_variable(d, "n_other", 3000005);
    }
    return rf_val_cast(d->vals, m->red->type,
                       rf_val_entry(d->vals, plan->count_var), NULL);
}

/* "step" of one thread, which counts by the axis: i - lower elements. A thread
 * of a team counts what it has seen. */
static const rf_val *by_axis(rf_deriver *d, const rf_val *step)
{
    const rf_loop *l = d->p->plan->axis;
    if (d->p->trace->team)
        return step;
    const rf_val *n = rf_val_entry(d->vals, d->p->plan->count_var);
    const rf_val *k =
        rf_val_op2(d->vals, RF_OP_SUB, l->type, l->index, l->lower);
    return rf_val_subst(d->vals, step, 1, &n, &k);
}

static const rf_val *merge_val(rf_deriver *d, const rf_member *m,
                               const rf_sym *e)
{
    return e ? rf_derive_val(d, m, e, NULL) : NULL;
}

/* ---- extra members ---- */

static rf_member *extra_member(rf_deriver *d, const rf_member *like,
                               const char *name)
{
    rf_arena *arena = d->p->arena;
    rf_trace *t = d->p->trace;
    const rf_val *zero =
        rf_derive_is_zero(like->init)
            ? like->init
            : rf_val_cast(d->vals, like->red->type,
                          rf_val_int(d->vals, 0, &rf_type_int), NULL);
    rf_red red = { .op = RF_REDUCE_FOLD,
                   .axis = like->red->axis,
                   .init = zero,
                   .term = rf_val_unknown(d->vals, like->red->type, name, NULL),
                   .type = like->red->type,
                   .at = like->red->at,
                   .pass = like->red->pass };
    red.phi = red.next = red.term;
    const rf_val *result = rf_trace_red(t, &red);
    rf_member *m = RF_NEW(arena, rf_member);
    *m = (rf_member){ .red = result->red, .init = zero, .wish = name };
    rf_plan_name_states(d->p, m);
    return m;
}

static void insert_before(rf_deriver *d, rf_member *at, rf_member *m)
{
    rf_plan *plan = d->p->plan;
    size_t i = plan->members.len;
    RF_PUSH(plan->members, m);
    for (; i > 0 && plan->members.data[i - 1] != at; i--)
        plan->members.data[i] = plan->members.data[i - 1];
    plan->members.data[i] = at;
    plan->members.data[i - 1] = m;
}

/* What the author calls a value with this real expression. */
static const char *author_name(rf_deriver *d, const rf_sym *s)
{
    rf_trace *t = d->p->trace;
    for (size_t i = 0; s && i < t->names.len; i++)
        if (t->names.data[i].value->type &&
            t->names.data[i].value->type->kind == RF_TYPE_FLOAT &&
            rf_real_of(d->reals, t->names.data[i].value) == s)
            return t->names.data[i].var->name;
    return "mean";
}

/* ---- definitions ---- */

typedef struct closer {
    rf_deriver *d;
    rf_member *m;
    const struct closer *before; /* the part of the same sum before this one */
    rf_definition *means;        /* sums and means of the source's SUM x/L */
    unsigned n_means;
    rf_lifted lifted;
    rf_definitions defs;
    rf_closure closure;
    rf_step step;
    rf_merge merge;
    rf_member **post; /* by definition: the running post step, or NULL */
    bool *is_shared;  /* ... which another sum has brought along */
    rf_member **held; /* by state of the closure */
    bool *is_held;    /* ... which another sum has brought along */
} closer;

static void define(closer *c, unsigned n, const rf_sym *const *results)
{
    rf_deriver *d = c->d;
    rf_plan *plan = d->p->plan;
    rf_definition *def = RF_NEW_ARRAY(
        d->p->arena, n + c->lifted.n + c->n_means + 1, rf_definition);
    unsigned k = 0;
    for (unsigned i = 0; i < c->n_means; i++)
        def[k++] = c->means[i];
    for (unsigned i = 0; i < n; i++)
        for (size_t j = 0; j < plan->members.len; j++)
            if (plan->members.data[j]->atom == results[i])
                def[k++] = (rf_definition){
                    .result = results[i],
                    .op = plan->members.data[j]->red->op,
                    .element =
                        rf_real_of(d->reals, plan->members.data[j]->red->term)
                };
    for (unsigned i = 0; i < c->lifted.n; i++)
        def[k++] = c->lifted.def[i];
    c->defs = (rf_definitions){ .n = k, .def = def, .length = trip_count(d) };
}

/* mean = SUM x/L is the post step S/L of S = SUM x: as such it runs with the
 * count so far in place of L. */
static void means_as_posts(closer *c, const rf_sym **f, unsigned *n,
                           const rf_sym *const **results)
{
    rf_deriver *d = c->d;
    rf_plan *plan = d->p->plan;
    rf_syms *syms = rf_reals_syms(d->reals);
    const rf_sym *length = trip_count(d);
    const rf_sym **others = RF_NEW_ARRAY(d->p->arena, *n + 1, const rf_sym *);
    unsigned k = 0;
    c->means = RF_NEW_ARRAY(d->p->arena, 2 * *n + 1, rf_definition);
    for (unsigned i = 0; i < *n; i++) {
        const rf_sym *r = (*results)[i], *element = NULL;
        for (size_t j = 0; j < plan->members.len; j++)
            if (plan->members.data[j]->atom == r &&
                plan->members.data[j]->red->op == RF_REDUCE_SUM)
                element = rf_algebra_simplify(
                    d->alg,
                    rf_sym_mul(syms, length,
                               rf_real_of(d->reals,
                                          plan->members.data[j]->red->term)));
        if (!element || rf_sym_mentions(element, length)) {
            others[k++] = r;
            continue;
        }
        const rf_sym *sum = rf_sym_atom(syms, RF_ATOM_RESULT, "sum", r);
        const rf_sym *mean = rf_sym_atom(syms, RF_ATOM_RESULT, "mean", sum);
        c->means[c->n_means++] = (rf_definition){ .result = sum,
                                                  .op = RF_REDUCE_SUM,
                                                  .element = element };
        c->means[c->n_means++] =
            (rf_definition){ .result = mean,
                             .post = rf_sym_div(syms, sum, length) };
        *f = rf_sym_subst(syms, *f, 1, &r, &mean);
    }
    *n = k;
    *results = others;
}

/* The results that the lifted F mentions are its D. */
static unsigned question(closer *c, const rf_sym **out)
{
    unsigned n = 0;
    for (unsigned i = 0; i < c->defs.n; i++)
        if (rf_sym_mentions(c->lifted.f, c->defs.def[i].result))
            out[n++] = c->defs.def[i].result;
    return n;
}

static bool is_reference(const closer *c, const rf_member *m)
{
    for (unsigned i = 0; i < c->closure.n_results; i++)
        if (m->atom == c->closure.results[i])
            return true;
    return false;
}

/* The first reference for which "test" is true, or NULL. */
static const rf_member *find_reference(const closer *c,
                                       bool (*test)(const rf_member *))
{
    rf_plan *plan = c->d->p->plan;
    for (size_t k = 0; k < plan->members.len; k++)
        if (is_reference(c, plan->members.data[k]) &&
            test(plan->members.data[k]))
            return plan->members.data[k];
    return NULL;
}

/* A reference that may be infinite, or NULL. */
static const rf_member *infinite_reference(const closer *c)
{
    return find_reference(c, rf_derive_may_be_infinite);
}

/* True if the difference between the value that "m" begins with and some
 * element may overflow: FLT_MAX - x, but not 1e10f - x. A number below half a
 * unit in the last place of the largest one leaves that as it is. */
static bool begins_far(const rf_member *m)
{
    const rf_val *v = m->init;
    while (v->kind == RF_VAL_CAST || (v->kind == RF_VAL_OP && v->n == 1))
        v = v->arg[0];
    if (v->kind != RF_VAL_CONST || v->expr->op != RF_OP_FLOAT)
        return false;
    bool is_double =
        m->red->type->kind == RF_TYPE_FLOAT && m->red->type->format == RF_F64;
    return isfinite(v->expr->value.f) &&
           fabs(v->expr->value.f) >= ldexp(1, is_double ? 970 : 103);
}

/* A minimum that begins with FLT_MAX: 0 * (FLT_MAX - x) must not be NaN. */
static bool references_begin_near(closer *c)
{
    if (!find_reference(c, begins_far))
        return true;
    rf_derive_explain(c->d, RF_DIAG_ROUNDING, RF_NOWHERE,
                      "differences from the first value of the reference may "
                      "overflow; the first element as first value unblocks "
                      "this");
    return false;
}

/* d/da d/db F != 0: F multiplies differences from two references, as that of a
 * covariance does. If b[n-1] alone is infinite, one step multiplies it by a
 * number and leaves infinity, where (b[n-1] - mean) has no value. */
static bool multiplies_differences(const closer *c)
{
    rf_algebra *alg = c->d->alg;
    const rf_sym *zero = rf_sym_int(rf_reals_syms(c->d->reals), 0);
    for (unsigned i = 0; i + 1 < c->closure.n_results; i++) {
        const rf_sym *f =
            rf_algebra_derivative(alg, c->lifted.f, c->closure.results[i]);
        for (unsigned k = i + 1; k < c->closure.n_results; k++) {
            const rf_sym *both =
                f ? rf_algebra_derivative(alg, f, c->closure.results[k]) : NULL;
            if (!both || rf_algebra_equal(alg, both, zero) != RF_YES)
                return true;
        }
    }
    return false;
}

static bool references_are_apart(closer *c)
{
    if (c->d->p->mark->finite || !multiplies_differences(c))
        return true;
    rf_derive_explain_clause(c->d, RF_DIAG_ROUNDING,
                             "an infinite element that comes last would leave "
                             "infinity where the source has no number; "
                             "assume(finite) unblocks this",
                             "finite");
    return false;
}

static bool may_overflow(const closer *c, const rf_member *m)
{
    if (!rf_reduce_is_extremum(m->red->op))
        return false;
    rf_interval i = rf_range_of(c->d, m->red->term, RF_READS_FINITE);
    return !isfinite(i.lo) || !isfinite(i.hi);
}

/* max (x + x) is infinite for a large x: x - m is -infinity in the source,
 * where 0 * (m_old - m) is no number. */
static bool references_stay_in_range(closer *c)
{
    rf_plan *plan = c->d->p->plan;
    bool overflows = false;
    for (size_t k = 0; k < plan->members.len; k++)
        overflows |= is_reference(c, plan->members.data[k]) &&
                     may_overflow(c, plan->members.data[k]);
    if (c->d->p->mark->finite || !overflows)
        return true;
    rf_derive_explain_clause(c->d, RF_DIAG_ROUNDING,
                             "the reference may overflow; assume(finite) "
                             "unblocks this",
                             "finite");
    return false;
}

/* count * (m_old - m) has no value while m is infinite: before the first
 * element, if all elements are finite. */
static bool references_are_finite(closer *c)
{
    const rf_member *m = infinite_reference(c);
    if (!m)
        return true;
    bool takes_all = !m->red->guard && rf_reduce_is_extremum(m->red->op);
    if (takes_all && c->d->p->mark->finite)
        return true;
    if (takes_all)
        rf_derive_explain_clause(c->d, RF_DIAG_ROUNDING,
                                 "the reference may be infinite; "
                                 "assume(finite) or a finite first value "
                                 "unblocks this",
                                 "finite");
    else
        rf_derive_explain(c->d, RF_DIAG_ERROR, RF_NOWHERE,
                          "the reference may be infinite; a finite first "
                          "value unblocks this");
    return false;
}

/* What is made after the loop does not run beside it. */
static bool references_run(closer *c)
{
    if (!find_reference(c, rf_derive_is_finished_later))
        return true;
    rf_derive_explain_later(c->d);
    return false;
}

/* A post step must be about the elements so far: one that divides by some
 * other number would follow by raw powers, which cancel. */
static bool posts_follow(const closer *c)
{
    for (unsigned i = 0; i < c->lifted.n; i++) {
        const rf_sym *post = c->lifted.def[i].post;
        if (rf_sym_has_role(post, RF_ATOM_PARAM) &&
            !rf_sym_mentions(post, c->defs.length))
            return false;
    }
    return true;
}

/* A divisor that runs: a sum of weights is whole only at the end, and may be
 * 0 before. */
static bool stays_nonzero(closer *c, const rf_sym *divisor)
{
    for (unsigned i = 0; i < c->defs.n; i++) {
        const rf_definition *def = &c->defs.def[i];
        if (def->result != divisor || !def->element)
            continue;
        rf_sign_fact sign = rf_algebra_sign(c->d->alg, def->element);
        bool grows = def->op == RF_REDUCE_SUM || def->op == RF_REDUCE_MAX;
        return grows ? sign == RF_IS_POSITIVE
                     : rf_algebra_nonzero(c->d->alg, divisor);
    }
    return !rf_sym_has_role(divisor, RF_ATOM_RESULT) ||
           rf_algebra_nonzero(c->d->alg, divisor);
}

/* The array of the kernel whose elements "term" is, or NULL. */
static const char *array_of(closer *c, const rf_sym *term)
{
    const rf_val *v = term->kind == RF_SYM_ATOM ? term->atom->key : NULL;
    if (!v || v->kind != RF_VAL_LOAD)
        return NULL;
    v = rf_trace_root(c->d->p->trace, v->arg[0]);
    return v->kind == RF_VAL_ENTRY && v->var->storage == RF_VAR_PARAM
               ? v->var->name
               : NULL;
}

static void explain_divisor(closer *c, const rf_sym *divisor)
{
    static const char why[] =
        "the sum that is divided by may be 0 before the last element";
    rf_arena *arena = c->d->p->arena;
    const char *array = NULL;
    for (unsigned i = 0; i < c->defs.n; i++)
        if (c->defs.def[i].result == divisor && c->defs.def[i].element)
            array = array_of(c, c->defs.def[i].element);
    if (array)
        rf_derive_explain_clause(
            c->d, RF_DIAG_ERROR,
            rf_arena_printf(arena, "%s; assume(%s > 0) unblocks this", why,
                            array),
            rf_arena_printf(arena, "%s > 0", array));
    else
        rf_derive_explain(c->d, RF_DIAG_ERROR, RF_NOWHERE, why);
}

static bool divides_safely(closer *c, const rf_sym *s)
{
    if (s->kind == RF_SYM_POW && s->arg[1]->kind == RF_SYM_RAT &&
        s->arg[1]->num < 0 && !stays_nonzero(c, s->arg[0])) {
        explain_divisor(c, s->arg[0]);
        return false;
    }
    for (unsigned i = 0; i < s->n; i++)
        if (!divides_safely(c, s->arg[i]))
            return false;
    return true;
}

static bool posts_are_defined(closer *c)
{
    for (unsigned i = 0; i < c->defs.n; i++)
        if (c->defs.def[i].post && !divides_safely(c, c->defs.def[i].post))
            return false;
    return true;
}

static bool steps_are_defined(closer *c)
{
    for (unsigned k = 0; k < c->closure.rank; k++)
        if (c->step.next[k] && !divides_safely(c, c->step.next[k]))
            return false;
    return true;
}

/* ---- states ---- */

static bool holds_in_pass(const closer *c, const rf_member *m, const rf_val *v)
{
    return m && m->wish && m->holds == v && m->red->type == c->m->red->type &&
           m->pass == c->m->pass;
}

/* The running post step "v" that another sum, or another part of this one,
 * has; or NULL. */
static rf_member *find_post(const closer *c, const rf_val *v)
{
    const rf_plan *plan = c->d->p->plan;
    for (size_t i = 0; v && i < plan->members.len; i++)
        if (holds_in_pass(c, plan->members.data[i], v))
            return plan->members.data[i];
    for (const closer *b = c->before; v && b; b = b->before)
        for (unsigned i = 0; i < b->defs.n; i++)
            if (b->post[i] && b->post[i]->holds == v)
                return b->post[i];
    return NULL;
}

/* What the post step "e" is of, over results of the source: S/L of the sum S
 * that stands for SUM x/L is the author's mean. */
static const rf_sym *of_source(const closer *c, const rf_sym *e)
{
    rf_deriver *d = c->d;
    rf_syms *syms = rf_reals_syms(d->reals);
    for (unsigned i = 0; i < c->n_means; i++) {
        const rf_sym *sum = c->means[i].result;
        if (c->means[i].post)
            continue;
        const rf_sym *mean = sum->atom->key;
        const rf_sym *same = rf_sym_mul(syms, trip_count(d), mean);
        e = rf_sym_subst(syms, e, 1, &sum, &same);
    }
    return rf_algebra_simplify(d->alg, e);
}

static void add_posts(closer *c)
{
    rf_deriver *d = c->d;
    c->post = RF_NEW_ARRAY(d->p->arena, c->defs.n + 1, rf_member *);
    c->is_shared = RF_NEW_ARRAY(d->p->arena, c->defs.n + 1, bool);
    for (unsigned i = 0; i < c->defs.n; i++) {
        const rf_definition *def = &c->defs.def[i];
        if (!def->post)
            continue;
        const char *name = rf_arena_printf(d->p->arena, "%s_so_far",
                                           author_name(d, def->post));
        const rf_val *held =
            rf_derive_val(d, c->m, of_source(c, def->post), NULL);
        c->post[i] = find_post(c, held);
        c->is_shared[i] = c->post[i] != NULL;
        if (!c->is_shared[i])
            c->post[i] = extra_member(d, c->m, name);
        c->post[i]->holds = held;
        rf_derive_image(d, def->result, c->post[i]->red->result);
        rf_derive_image(d, rf_algebra_old(d->alg, def->result),
                        rf_val_entry(d->vals, c->post[i]->old_var));
    }
}

static const rf_member *member_of(const closer *c, const rf_sym *atom)
{
    const rf_plan *plan = c->d->p->plan;
    for (size_t i = 0; i < plan->members.len; i++)
        if (plan->members.data[i]->atom == atom)
            return plan->members.data[i];
    return NULL;
}

/* What the second part of a merge is written as. */
static void add_rights(closer *c)
{
    rf_deriver *d = c->d;
    rf_closure_merge(d->alg, &c->closure, &c->defs, &c->merge);
    for (unsigned i = 0; i < c->defs.n; i++) {
        const rf_member *m =
            c->post[i] ? c->post[i] : member_of(c, c->defs.def[i].result);
        if (m)
            rf_derive_image(d, c->merge.right_result[i],
                            rf_val_entry(d->vals, m->right_var));
    }
    rf_derive_image(
        d, c->merge.right_count,
        rf_val_cast(d->vals, c->m->red->type,
                    rf_val_entry(d->vals, d->p->plan->count_right_var), NULL));
}

/* What state "k" of the closure is the sum of. */
static const rf_val *summed(const closer *c, unsigned k)
{
    return rf_derive_val(c->d, c->m, c->closure.basis[k], NULL);
}

/* The member of the pass that has state "k" already, or NULL. */
static rf_member *find_state(const closer *c, unsigned k)
{
    const rf_plan *plan = c->d->p->plan;
    for (size_t i = 0; i < plan->members.len; i++) {
        rf_member *m = plan->members.data[i];
        if (m->sums && m != c->m && m->red->type == c->m->red->type &&
            m->pass == c->m->pass && m->sums == summed(c, k))
            return m;
    }
    return NULL;
}

static void add_states(closer *c)
{
    rf_deriver *d = c->d;
    c->held = RF_NEW_ARRAY(d->p->arena, c->closure.rank + 1, rf_member *);
    c->is_held = RF_NEW_ARRAY(d->p->arena, c->closure.rank + 1, bool);
    for (unsigned k = 0; k < c->closure.rank; k++) {
        if (!c->closure.state[k])
            continue;
        bool own = c->closure.later == c->closure.state[k];
        c->held[k] = find_state(c, k);
        c->is_held[k] = c->held[k] != NULL;
        if (!c->is_held[k])
            c->held[k] = own ? c->m : extra_member(d, c->m, "moment");
        rf_derive_image(d, c->closure.state[k],
                        rf_val_entry(d->vals, c->held[k]->state_var));
        rf_derive_image(d, c->merge.right_state[k],
                        rf_val_entry(d->vals, c->held[k]->right_var));
    }
}

/* "v", a step or a merge of "m", with the states of other members as they were
 * before: some of them step earlier. */
static const rf_val *over_old_states(closer *c, const rf_member *m,
                                     const rf_val *v)
{
    rf_vals *vals = c->d->vals;
    for (unsigned k = 0; v && c->held && k < c->closure.rank; k++) {
        const rf_member *o = c->held[k];
        if (!o || o == m)
            continue;
        const rf_val *state = rf_val_entry(vals, o->state_var);
        const rf_val *old = rf_val_entry(vals, o->old_var);
        v = rf_val_subst(vals, v, 1, &state, &old);
    }
    return v;
}

static bool set_step(closer *c, rf_member *m, const rf_sym *next,
                     const rf_sym *merge)
{
    if (!next)
        return false;
    const rf_val *step = rf_derive_val(c->d, c->m, next, NULL);
    m->counted_step = over_old_states(c, m, step);
    m->pass = c->m->pass;
    m->merge = over_old_states(c, m, merge_val(c->d, c->m, merge));
    if (m->counted_step)
        m->step = m->term = by_axis(c->d, m->counted_step);
    return m->step != NULL;
}

static const rf_val *infinite(rf_deriver *d, const rf_member *of)
{
    rf_expr *e = rf_expr_new(d->p->arena, RF_OP_FLOAT, of->red->type, 0, NULL);
    e->spelling = "INFINITY";
    e->value.f = (double)INFINITY;
    const rf_val *v = rf_val_const(d->vals, e);
    return of->red->op == RF_REDUCE_MIN
               ? v
               : rf_val_op(d->vals, RF_OP_NEG, of->red->type, 1, &v, NULL);
}

/* Before the first element, where the reference is infinite, the new one
 * stands for it: nothing has been summed about either. */
static void begin_finite(closer *c, rf_member *m)
{
    rf_vals *vals = c->d->vals;
    const rf_member *of = infinite_reference(c);
    if (!of)
        return;
    const rf_val *old = rf_val_entry(vals, of->old_var);
    const rf_val *is_first =
        rf_val_op2(vals, RF_OP_EQ, &rf_type_bool, old, infinite(c->d, of));
    const rf_val *from = rf_val_select(vals, is_first, of->red->result, old);
    m->counted_step = rf_val_subst(vals, m->counted_step, 1, &old, &from);
    m->step = m->term = by_axis(c->d, m->counted_step);
    m->merge = NULL;
}

static bool set_steps(closer *c)
{
    for (unsigned i = 0; i < c->defs.n; i++)
        if (c->post[i] && !c->is_shared[i] &&
            !set_step(c, c->post[i], c->step.result[i], c->merge.result[i]))
            return false;
    for (unsigned k = 0; k < c->closure.rank; k++) {
        if (!c->held[k] || c->is_held[k])
            continue;
        if (!set_step(c, c->held[k], c->step.next[k], c->merge.next[k]))
            return false;
        begin_finite(c, c->held[k]);
        c->held[k]->sums = summed(c, k);
    }
    return true;
}

/* SUM F = later(states): a value of its own if it is not one of them. */
static bool set_later(closer *c)
{
    if (c->m->step)
        return true;
    c->m->later = rf_derive_val(c->d, c->m, c->closure.later, NULL);
    c->m->is_derived = true;
    return c->m->later != NULL;
}

static void insert(closer *c)
{
    for (unsigned i = 0; i < c->defs.n; i++)
        if (c->post[i] && !c->is_shared[i])
            insert_before(c->d, c->m, c->post[i]);
    for (unsigned k = 0; k < c->closure.rank; k++)
        if (c->held[k] && c->held[k] != c->m && !c->is_held[k])
            insert_before(c->d, c->m, c->held[k]);
}

/* Close SUM f and translate its steps; nothing is added to the plan yet. */
static bool close_part(closer *c, const rf_sym *f, unsigned n,
                       const rf_sym *const *results)
{
    rf_deriver *d = c->d;
    means_as_posts(c, &f, &n, &results);
    rf_closure_lift(d->alg, f, n, results, trip_count(d), &c->lifted);
    define(c, n, results);
    const rf_sym **about =
        RF_NEW_ARRAY(d->p->arena, c->defs.n + 1, const rf_sym *);
    unsigned n_about = question(c, about);
    if (!posts_follow(c) || !posts_are_defined(c) ||
        rf_closure_find(d->alg, c->lifted.f, n_about, about, &c->defs,
                        &c->closure) != RF_YES ||
        !references_run(c) || !references_are_finite(c) ||
        !references_stay_in_range(c) || !references_begin_near(c) ||
        !references_are_apart(c))
        return false;
    rf_closure_step(d->alg, &c->closure, &c->defs, &c->step);
    if (!steps_are_defined(c))
        return false;
    rf_derive_image(d, c->closure.count, count_so_far(d, c->m));
    add_posts(c);
    add_rights(c);
    return true;
}

/* ---- sums of parts ---- */

enum { MOST_PARTS = 8 };

/* w * (a + b + ...) is w*a + w*b + ...: each part closes on its own. */
static unsigned split(rf_deriver *d, const rf_sym *f, const rf_sym **parts)
{
    rf_syms *syms = rf_reals_syms(d->reals);
    const rf_sym *sum = f->kind == RF_SYM_ADD ? f : NULL;
    const rf_sym *rest = rf_sym_int(syms, 1);
    for (unsigned i = 0; f->kind == RF_SYM_MUL && i < f->n; i++) {
        if (f->arg[i]->kind == RF_SYM_ADD && !sum &&
            rf_sym_has_role(f->arg[i], RF_ATOM_RESULT))
            sum = f->arg[i];
        else
            rest = rf_sym_mul(syms, rest, f->arg[i]);
    }
    if (!sum || sum->n > MOST_PARTS)
        return 0;
    for (unsigned i = 0; i < sum->n; i++)
        parts[i] = rf_sym_mul(syms, rest, sum->arg[i]);
    return sum->n;
}

/* The index of the only state of a part, which is its sum; -1: none. */
static int only_state(const closer *c)
{
    int found = -1;
    for (unsigned k = 0; k < c->closure.rank; k++) {
        if (!c->closure.state[k])
            continue;
        if (found >= 0)
            return -1;
        found = (int)k;
    }
    return found >= 0 && c->closure.later == c->closure.state[found] ? found
                                                                     : -1;
}

/* next = a + b + ... + change for the states a, b, ...: the change, or NULL. */
static const rf_sym *change_from(closer *c, const rf_sym *next, unsigned n,
                                 const rf_sym *const *states)
{
    rf_syms *syms = rf_reals_syms(c->d->reals);
    const rf_sym *change = next;
    for (unsigned i = 0; next && i < n; i++) {
        const rf_sym *zero = rf_sym_int(syms, 0);
        change = rf_sym_subst(syms, change, 1, &states[i], &zero);
    }
    const rf_sym *sum = change;
    for (unsigned i = 0; next && i < n; i++)
        sum = rf_sym_add(syms, states[i], sum);
    return next && rf_algebra_equal(c->d->alg, sum, next) == RF_YES ? change
                                                                    : NULL;
}

/* The change of the only state of a part, or NULL: state' = state + change. */
static const rf_sym *change_of(closer *c)
{
    int k = only_state(c);
    return k < 0 ? NULL
                 : change_from(c, c->step.next[k], 1, &c->closure.state[k]);
}

/* What a merge adds to the sum of both states, or NULL. */
static const rf_val *merge_change(closer *c)
{
    int k = only_state(c);
    if (k < 0)
        return NULL;
    const rf_sym *states[] = { c->closure.state[k], c->merge.right_state[k] };
    return merge_val(c->d, c->m, change_from(c, c->merge.next[k], 2, states));
}

static bool close_parts(rf_deriver *d, rf_member *m, const rf_sym *f,
                        unsigned n, const rf_sym *const *results)
{
    const rf_sym *parts[MOST_PARTS];
    closer c[MOST_PARTS];
    unsigned n_parts = split(d, f, parts);
    const rf_val *step = rf_val_entry(d->vals, m->state_var);
    const rf_val *merge = rf_val_op2(d->vals, RF_OP_ADD, m->red->type, step,
                                     rf_val_entry(d->vals, m->right_var));
    for (unsigned i = 0; i < n_parts; i++) {
        c[i] = (closer){ .d = d, .m = m, .before = i ? &c[i - 1] : NULL };
        bool closes = close_part(&c[i], parts[i], n, results) &&
                      !infinite_reference(&c[i]);
        const rf_sym *change = closes ? change_of(&c[i]) : NULL;
        const rf_val *v = change ? rf_derive_val(d, m, change, NULL) : NULL;
        if (!v)
            return false;
        step = rf_val_op2(d->vals, RF_OP_ADD, m->red->type, step, v);
        const rf_val *more = merge ? merge_change(&c[i]) : NULL;
        merge = more ? rf_val_op2(d->vals, RF_OP_ADD, m->red->type, merge, more)
                     : NULL;
        c[i].held =
            RF_NEW_ARRAY(d->p->arena, c[i].closure.rank + 1, rf_member *);
    }
    for (unsigned i = 0; i < n_parts; i++)
        if (!set_steps(&c[i]))
            return false;
    if (!n_parts)
        return false;
    for (unsigned i = 0; i < n_parts; i++)
        insert(&c[i]);
    m->counted_step = step;
    m->step = m->term = by_axis(d, step);
    m->merge = merge;
    return true;
}

/* SUM F = -B becomes a state of its own, which the same steps take down:
 * B' = B + change is S' = S - change. */
static void turn_sign(closer *c)
{
    rf_syms *syms = rf_reals_syms(c->d->reals);
    for (unsigned k = 0; k < c->closure.rank; k++) {
        const rf_sym *state = c->closure.state[k];
        if (!state || c->closure.later != rf_sym_neg(syms, state))
            continue;
        const rf_sym *states[] = { state, c->merge.right_state[k] };
        const rf_sym *change = change_from(c, c->step.next[k], 1, states);
        const rf_sym *joined = change_from(c, c->merge.next[k], 2, states);
        if (!change || infinite_reference(c))
            continue;
        c->closure.later = state;
        ((const rf_sym **)c->step.next)[k] = rf_sym_sub(syms, state, change);
        ((const rf_sym **)c->merge.next)[k] =
            joined
                ? rf_sym_sub(syms, rf_sym_add(syms, state, states[1]), joined)
                : NULL;
    }
}

static bool close_whole(rf_deriver *d, rf_member *m, const rf_sym *f,
                        unsigned n, const rf_sym *const *results)
{
    closer c = { .d = d, .m = m };
    if (!close_part(&c, f, n, results))
        return false;
    turn_sign(&c);
    add_states(&c);
    if (!set_steps(&c) || !set_later(&c))
        return false;
    insert(&c);
    return true;
}

bool rf_derive_closure(rf_deriver *d, rf_member *m, unsigned pass, unsigned n,
                       const rf_sym *const *results)
{
    if (m->red->op != RF_REDUCE_SUM || m->guard || m->red->n_outer ||
        m->red->n_free || !counts_by_one(d) || m->init_later)
        return false;
    const rf_sym *f = rf_real_of(d->reals, m->red->term);
    if (!rf_derive_is_bounded(d, m, f))
        return false;
    unsigned before = m->pass;
    m->pass = pass;
    if (close_parts(d, m, f, n, results) || close_whole(d, m, f, n, results))
        return true;
    m->pass = before;
    m->step = m->later = m->merge = NULL;
    m->sums = NULL;
    m->is_derived = false;
    m->term = m->red->term;
    return false;
}
