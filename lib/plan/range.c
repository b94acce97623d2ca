/* The interval of a value, by its operators, each rounded to its type:
 *
 *     x of float         [-FLT_MAX, FLT_MAX], or with infinities and NaN
 *     x * x              beyond FLT_MAX it is infinite
 *     SUM t, n steps     init + [min(0, n * t.lo), max(0, n * t.hi)]
 *     SUM exp(t - MAX t) at least 1: one term is exp(0)
 *
 * Rounding is monotone, so the ends of the intervals may be rounded too. */
#include "plan/range.h"

#include "ir/math.h"

#include <float.h>
#include <math.h>

static rf_interval all_reals(void)
{
    return (rf_interval){ -(double)INFINITY, (double)INFINITY, true };
}

static rf_interval point(double v)
{
    return (rf_interval){ v, v, isnan(v) };
}

static bool is_float(const rf_type *t)
{
    return t && t->kind == RF_TYPE_FLOAT;
}

/* Types that a template names count as float. */
double rf_range_most(const rf_type *t)
{
    static const double most[] = {
        [RF_F32] = (double)FLT_MAX, [RF_F64] = DBL_MAX, [RF_F16] = 65504,
        [RF_BF16] = 0x1.fep127,     [RF_E4M3] = 448,    [RF_E5M2] = 57344
    };
    if (is_float(t))
        return most[t->format];
    if (t->kind == RF_TYPE_INT && t->bits <= 64)
        return ldexp(1, (int)t->bits - !t->is_unsigned);
    return t->kind == RF_TYPE_BOOL ? 1 : (double)FLT_MAX;
}

double rf_range_trips(const rf_loop *loop)
{
    return rf_range_most(loop->type);
}

/* The least positive number. */
static double least_of(const rf_type *t)
{
    return is_float(t) && t->format == RF_F64 ? DBL_TRUE_MIN
                                              : (double)FLT_TRUE_MIN;
}

/* What "i" becomes when it is rounded to type "t". */
static rf_interval rounded(const rf_type *t, rf_interval i)
{
    double most = rf_range_most(t), least = least_of(t);
    if (t->kind == RF_TYPE_INT || t->kind == RF_TYPE_BOOL)
        return i.nan || i.lo < -most || i.hi > most
                   ? (rf_interval){ -most, most, false }
                   : (rf_interval){ floor(i.lo), ceil(i.hi), false };
    i.lo = i.lo > most ? most : i.lo < -most ? -(double)INFINITY : i.lo;
    i.hi = i.hi < -most ? -most : i.hi > most ? (double)INFINITY : i.hi;
    i.lo = i.lo > 0 && i.lo < least ? 0 : i.lo;
    i.hi = i.hi < 0 && i.hi > -least ? 0 : i.hi;
    return i;
}

static rf_interval join(rf_interval a, rf_interval b)
{
    return (rf_interval){ fmin(a.lo, b.lo), fmax(a.hi, b.hi), a.nan || b.nan };
}

static bool has(rf_interval i, double value)
{
    return i.lo <= value && value <= i.hi;
}

static bool has_infinity(rf_interval i)
{
    return isinf(i.lo) || isinf(i.hi);
}

static rf_interval read_value(const rf_type *t, rf_reads reads)
{
    double most = rf_range_most(t);
    bool is_int = t->kind == RF_TYPE_INT || t->kind == RF_TYPE_BOOL;
    if (!is_int && reads == RF_READS_ALL)
        return all_reals();
    return (rf_interval){ t->is_unsigned ? 0 : -most, most, false };
}

/* ---- arithmetic ---- */

static rf_interval add(rf_interval a, rf_interval b)
{
    double lo = a.lo + b.lo, hi = a.hi + b.hi;
    bool nan = (has(a, (double)INFINITY) && has(b, -(double)INFINITY)) ||
               (has(a, -(double)INFINITY) && has(b, (double)INFINITY));
    return (rf_interval){ isnan(lo) ? -(double)INFINITY : lo,
                          isnan(hi) ? (double)INFINITY : hi,
                          a.nan || b.nan || nan };
}

static rf_interval negated(rf_interval a)
{
    return (rf_interval){ -a.hi, -a.lo, a.nan };
}

/* 0 * inf is NaN; at the end of an interval it is a limit and counts as 0. */
static double times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static rf_interval mul(rf_interval a, rf_interval b)
{
    double p[] = { times(a.lo, b.lo), times(a.lo, b.hi), times(a.hi, b.lo),
                   times(a.hi, b.hi) };
    bool nan = (has(a, 0) && has_infinity(b)) || (has(b, 0) && has_infinity(a));
    return (rf_interval){ fmin(fmin(p[0], p[1]), fmin(p[2], p[3])),
                          fmax(fmax(p[0], p[1]), fmax(p[2], p[3])),
                          a.nan || b.nan || nan };
}

static rf_interval squared(rf_interval a)
{
    double lo = a.lo * a.lo, hi = a.hi * a.hi;
    return (rf_interval){ has(a, 0) ? 0 : fmin(lo, hi), fmax(lo, hi), a.nan };
}

static rf_interval reciprocal(rf_interval a)
{
    if (has(a, 0) && a.lo < 0)
        return all_reals();
    bool nan = a.nan;
    if (a.lo == 0)
        return (rf_interval){ 1 / a.hi, (double)INFINITY, nan };
    return (rf_interval){ 1 / a.hi, 1 / a.lo, nan };
}

static rf_interval divide(rf_interval a, rf_interval b)
{
    rf_interval q = mul(a, reciprocal(b));
    q.nan = a.nan || b.nan || (has(a, 0) && has(b, 0)) ||
            (has_infinity(a) && has_infinity(b));
    return q;
}

static rf_interval greater_of(rf_interval a, rf_interval b)
{
    return (rf_interval){ fmax(a.lo, b.lo), fmax(a.hi, b.hi), a.nan || b.nan };
}

static rf_interval absolute(rf_interval a)
{
    double most = fmax(fabs(a.lo), fabs(a.hi));
    double least = has(a, 0) ? 0 : fmin(fabs(a.lo), fabs(a.hi));
    return (rf_interval){ least, most, a.nan };
}

/* A rising function that has no value below "from". */
static rf_interval rising(double (*f)(double), rf_interval a, double from)
{
    rf_interval out = { f(fmax(a.lo, from)), f(fmax(a.hi, from)), a.nan };
    out.nan = out.nan || a.lo < from;
    return out;
}

/* ---- calls ---- */

static bool unary(rf_math meaning, rf_interval a, rf_interval *out)
{
    switch (meaning) {
    case RF_MATH_EXP:
    case RF_MATH_EXP2:
    case RF_MATH_EXP10: /* the largest base bounds them all but for the sign */
        *out = (rf_interval){ a.lo >= 0 ? 1 : 0, a.hi <= 0 ? 1 : exp10(a.hi),
                              a.nan };
        return true;
    case RF_MATH_SQRT:
        return *out = rising(sqrt, a, 0), true;
    case RF_MATH_RSQRT:
        return *out = reciprocal(rising(sqrt, a, 0)), true;
    case RF_MATH_RCP:
        return *out = reciprocal(a), true;
    case RF_MATH_ABS:
        return *out = absolute(a), true;
    case RF_MATH_NEG:
        return *out = negated(a), true;
    case RF_MATH_CONVERT:
        return *out = a, true;
    default:
        return false;
    }
}

static rf_interval binary_call(rf_math meaning, rf_interval a, rf_interval b)
{
    switch (meaning) {
    case RF_MATH_ADD:
        return add(a, b);
    case RF_MATH_SUB:
        return add(a, negated(b));
    case RF_MATH_MUL:
        return mul(a, b);
    case RF_MATH_DIV:
        return divide(a, b);
    case RF_MATH_MAX:
        return greater_of(a, b);
    case RF_MATH_MIN:
        return negated(greater_of(negated(a), negated(b)));
    default:
        return all_reals();
    }
}

static rf_interval call(rf_deriver *d, const rf_val *v, rf_reads reads)
{
    rf_math meaning = v->math;
    rf_interval a = v->n ? rf_range_of(d, v->arg[0], reads) : all_reals(), out;
    if (v->n == 1)
        return unary(meaning, a, &out) ? out : all_reals();
    if (meaning == RF_MATH_FMA && v->n == 3)
        return add(v->arg[0] == v->arg[1]
                       ? squared(a)
                       : mul(a, rf_range_of(d, v->arg[1], reads)),
                   rf_range_of(d, v->arg[2], reads));
    return v->n == 2 ? binary_call(meaning, a, rf_range_of(d, v->arg[1], reads))
                     : all_reals();
}

static rf_interval operation(rf_deriver *d, const rf_val *v, rf_reads reads)
{
    rf_interval a = rf_range_of(d, v->arg[0], reads);
    bool same = v->n < 2 || v->arg[0] == v->arg[1];
    rf_interval b = same ? a : rf_range_of(d, v->arg[1], reads);
    switch (v->op) {
    case RF_OP_ADD:
        return add(a, b);
    case RF_OP_SUB:
        return add(a, negated(b));
    case RF_OP_MUL:
        return same ? squared(a) : mul(a, b);
    case RF_OP_DIV:
        return divide(a, b);
    case RF_OP_NEG:
        return negated(a);
    case RF_OP_PLUS:
        return a;
    case RF_OP_SELECT:
        return join(b, rf_range_of(d, v->arg[2], reads));
    case RF_OP_FIELD:
        return read_value(v->type, reads);
    default:
        return all_reals();
    }
}

/* ---- results ---- */

static rf_interval result(rf_deriver *d, const rf_val *v, rf_reads reads)
{
    const rf_red *red = v->red;
    rf_interval init = rf_range_of(d, red->init, reads);
    double least = rf_derive_least_weight_sum(d, red);
    if (least > 0 && init.lo >= 0)
        return (rf_interval){ least, (double)INFINITY, true };
    rf_interval t = rf_range_of(d, red->term, reads), sum;
    double n = rf_range_trips(red->axis);
    switch (red->op) {
    case RF_REDUCE_SUM:
        sum = (rf_interval){ fmin(0, n * t.lo), fmax(0, n * t.hi),
                             t.nan || (isinf(t.lo) && isinf(t.hi)) };
        return add(init, sum);
    case RF_REDUCE_MAX:
        return (rf_interval){ init.lo, fmax(init.hi, t.hi), init.nan || t.nan };
    case RF_REDUCE_MIN:
        return (rf_interval){ fmin(init.lo, t.lo), init.hi, init.nan || t.nan };
    default:
        return all_reals();
    }
}

/* ---- what is read ---- */

/* "v" is known to be positive: an assumption, or the end of a loop that runs.
 */
static bool is_positive(rf_deriver *d, const rf_val *v)
{
    const rf_loop *axis = d->p->plan->axis;
    int64_t lower;
    if (v == axis->upper && !axis->is_reversed && !axis->at_least_once &&
        rf_val_is_int(axis->lower, &lower) && lower >= 0 &&
        (!axis->is_inclusive || lower > 0))
        return true;
    return rf_algebra_sign(d->alg, rf_real_of(d->reals, v)) == RF_IS_POSITIVE;
}

static rf_interval parameter(rf_deriver *d, const rf_val *v, rf_reads reads)
{
    rf_interval i = read_value(v->type, reads);
    if (is_positive(d, v)) {
        i.lo = is_float(v->type) ? least_of(v->type) : 1;
        i.nan = false;
    }
    return i;
}

static rf_interval constant(const rf_val *v)
{
    if (v->expr->op == RF_OP_INT)
        return point((double)v->expr->value.i);
    return v->expr->op == RF_OP_FLOAT ? point(v->expr->value.f) : all_reals();
}

static rf_interval cast(rf_deriver *d, const rf_val *v, rf_reads reads)
{
    return is_float(v->arg[0]->type) && !is_float(v->type)
               ? read_value(v->type, reads)
               : rf_range_of(d, v->arg[0], reads);
}

static rf_interval exact_range(rf_deriver *d, const rf_val *v, rf_reads reads)
{
    switch (v->kind) {
    case RF_VAL_CONST:
        return constant(v);
    case RF_VAL_ENTRY:
        return parameter(d, v, reads);
    case RF_VAL_OP:
        return operation(d, v, reads);
    case RF_VAL_CALL:
        return call(d, v, reads);
    case RF_VAL_CAST:
        return cast(d, v, reads);
    case RF_VAL_RESULT:
        return result(d, v, reads);
    default:
        return read_value(v->type, reads);
    }
}

rf_interval rf_range_of(rf_deriver *d, const rf_val *v, rf_reads reads)
{
    if (!v->type || rf_type_is_pointer_like(v->type) ||
        v->type->kind == RF_TYPE_RECORD)
        return all_reals();
    return rounded(v->type, exact_range(d, v, reads));
}
