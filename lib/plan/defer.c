/* Deferred factors (T-7) and the range of floating-point numbers:
 *
 *     SUM (x * h)  =  (SUM x) * h
 *
 * holds in the reals. In C the right side overflows where |SUM x| alone does,
 * inf * 0 is NaN, and x * inf is +-inf or NaN by the sign of x. It is taken
 *
 *   - if h is never infinite (a divisor never 0), and SUM x cannot overflow by
 *     the types of what it adds, or x has a softmax weight (shift.c): such sums
 *     are at most n times the greatest value that they weigh;
 *   - for a maximum, if h is never infinite and always a number: a maximum
 *     skips elements that are none, and rounding is monotone. What makes a
 *     number of such an element, as min(NaN, h) = h does, stays with it:
 *     max min(x, h) is no longer min(max x, h); but max max(x, h) is above h
 *     anyway;
 *   - or if the author vouches for it: assume(finite).
 *
 * Integers wrap: there it holds. */
#include "plan/range.h"

#include "ir/math.h"

#include <math.h>

typedef struct {
    rf_deriver *d;
    const rf_val *state;
    const char **reason; /* set where there is a better one */
    bool is_order;
    bool may_be_nan; /* some element is not a number */
    rf_math same;    /* the extremum that is carried */
} walk;

static bool depends(const walk *w, const rf_val *v)
{
    return rf_val_mentions(v, w->state);
}

static bool is_finite_factor(const walk *w, const rf_val *v)
{
    rf_interval i = rf_range_of(w->d, v, RF_READS_ALL);
    bool has_zero = i.lo <= 0 && i.hi >= 0;
    return !isinf(i.lo) && !isinf(i.hi) &&
           (!w->is_order || (!i.nan && !has_zero));
}

static bool is_finite_term(const walk *w, const rf_val *v)
{
    rf_interval i = rf_range_of(w->d, v, RF_READS_ALL);
    return !w->is_order || (!isinf(i.lo) && !isinf(i.hi) && !i.nan);
}

static bool is_divisor(const walk *w, const rf_val *v)
{
    rf_interval i = rf_range_of(w->d, v, RF_READS_ALL);
    return (i.lo > 0 || i.hi < 0) &&
           (!w->is_order || (!isinf(i.lo) && !isinf(i.hi) && !i.nan));
}

static bool is_number(const rf_val *v)
{
    return v->kind == RF_VAL_CONST && v->expr->op != RF_OP_OPAQUE;
}

/* The state, with nothing around it that could turn its order about. */
static bool is_as_carried(const walk *w, const rf_val *v)
{
    while (v->kind == RF_VAL_CAST)
        v = v->arg[0];
    return v == w->state;
}

/* max (x, h) or min (x, h) around the carried "inner". */
static bool is_extremum_safe(const walk *w, rf_math how, const rf_val *inner)
{
    if (!w->may_be_nan || (how == w->same && is_as_carried(w, inner)))
        return true;
    *w->reason = "an element that is not a number leaves the other operand of "
                 "this extremum, which is lost where it is applied once to the "
                 "whole reduction; assume(finite) unblocks this";
    return false;
}

static bool walk_factors(const walk *w, const rf_val *v);

static bool walk_two(const walk *w, rf_math how, const rf_val *a,
                     const rf_val *b)
{
    bool first = depends(w, a);
    const rf_val *other = first ? b : a;
    if (first && depends(w, b))
        return false;
    if (!walk_factors(w, first ? a : b))
        return false;
    switch (how) {
    case RF_MATH_MUL:
        return is_finite_factor(w, other);
    case RF_MATH_DIV:
        return first && is_divisor(w, other);
    case RF_MATH_MAX:
    case RF_MATH_MIN:
        return is_extremum_safe(w, how, first ? a : b);
    default:
        return is_finite_term(w, other);
    }
}

static rf_math meaning_of(const rf_val *v)
{
    if (v->kind == RF_VAL_CALL)
        return v->math;
    return v->op == RF_OP_MUL   ? RF_MATH_MUL
           : v->op == RF_OP_DIV ? RF_MATH_DIV
           : v->op == RF_OP_ADD ? RF_MATH_ADD
           : v->op == RF_OP_SUB ? RF_MATH_SUB
                                : RF_MATH_NONE;
}

/* c(D) ? state * h1 : state * h2, where one of them may be a number. */
static bool walk_select(const walk *w, const rf_val *v)
{
    for (unsigned i = 1; i < 3; i++)
        if (!is_number(v->arg[i]) && !walk_factors(w, v->arg[i]))
            return false;
    return !depends(w, v->arg[0]);
}

/* Every factor between the state and "v" keeps the range. */
static bool walk_factors(const walk *w, const rf_val *v)
{
    if (v == w->state)
        return true;
    if (!depends(w, v))
        return false;
    if (v->kind == RF_VAL_CAST)
        return walk_factors(w, v->arg[0]);
    if (v->kind == RF_VAL_OP && v->op == RF_OP_NEG)
        return walk_factors(w, v->arg[0]);
    if (v->kind == RF_VAL_OP && v->op == RF_OP_SELECT)
        return walk_select(w, v);
    rf_math how = meaning_of(v);
    bool is_known = how >= RF_MATH_ADD && how <= RF_MATH_MIN &&
                    how != RF_MATH_FMA && v->n == 2;
    return is_known && walk_two(w, how, v->arg[0], v->arg[1]);
}

/* SUM "term" stays in the range of the type if the elements are finite. */
static bool sum_fits(rf_deriver *d, const rf_member *m)
{
    rf_interval t = rf_range_of(d, m->term, RF_READS_FINITE);
    double trips = rf_range_trips(m->red->axis);
    return !t.nan &&
           fmax(fabs(t.lo), fabs(t.hi)) * trips <= rf_range_most(m->red->type);
}

/* The operator of "v" that joins results to what varies, innermost first. */
static const rf_val *joining(rf_deriver *d, const rf_val *v)
{
    const rf_plan *plan = d->p->plan;
    bool results = false, others = false;
    for (unsigned i = 0; i < v->n; i++) {
        bool uses = rf_plan_result_in(plan, v->arg[i], 0) != NULL;
        results |= uses;
        others |=
            rf_sym_has_role(rf_real_of(d->reals, v->arg[i]), RF_ATOM_ELEMENT);
    }
    for (unsigned i = 0; i < v->n; i++) {
        const rf_val *inner = joining(d, v->arg[i]);
        if (inner)
            return inner;
    }
    return results && others && v->kind != RF_VAL_LOAD ? v : NULL;
}

static bool refuse(rf_deriver *d, const rf_member *m, const char *reason)
{
    rf_range at = rf_plan_place_of(d->p, joining(d, m->red->term), m->red->at);
    rf_derive_explain(d, RF_DIAG_ROUNDING, at, reason);
    d->trial.clause = "finite";
    return false;
}

static rf_math extremum_of(rf_reduce_op op)
{
    return op == RF_REDUCE_MAX   ? RF_MATH_MAX
           : op == RF_REDUCE_MIN ? RF_MATH_MIN
                                 : RF_MATH_NONE;
}

bool rf_derive_keeps_range(rf_deriver *d, rf_member *m)
{
    bool is_order = rf_reduce_is_order(m->red->op);
    const char *reason =
        is_order ? "what is applied once to the whole reduction may be "
                   "infinite or not a number, which the source skips in "
                   "single elements; assume(finite) unblocks this"
                 : "the common factor, applied once to the whole sum, may "
                   "be infinite where single terms are not; assume(finite) "
                   "unblocks this";
    walk w = { d,
               rf_val_entry(d->vals, m->state_var),
               &reason,
               is_order,
               is_order && rf_range_of(d, m->term, RF_READS_ALL).nan,
               extremum_of(m->red->op) };
    bool applies = is_order || m->red->op == RF_REDUCE_SUM ||
                   m->red->op == RF_REDUCE_PRODUCT;
    applies = applies && m->red->type->kind != RF_TYPE_INT;
    if (!m->later || !applies || d->p->mark->finite)
        return true;
    if (!walk_factors(&w, m->later))
        return refuse(d, m, reason);
    if (!is_order && !rf_derive_has_weight(d, m->term) && !sum_fits(d, m))
        return refuse(d, m,
                      "without the common factor the sum may leave the range "
                      "of its type; assume(finite) or a wider accumulator "
                      "unblocks this");
    m->later_needs_steps |= m->guard != NULL;
    return true;
}
