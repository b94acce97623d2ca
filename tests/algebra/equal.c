/* Equality: identities are proven, near misses are refuted by a point. */
#include "fixture.h"

TestSuite(equal, .init = algebra_setup, .fini = algebra_teardown);

static void same(const rf_sym *a, const rf_sym *b)
{
    cr_expect_eq(rf_algebra_equal(alg, a, b), RF_YES, "%s = %s", text(a),
                 text(b));
}

static void differ(const rf_sym *a, const rf_sym *b)
{
    rf_witness at;
    cr_expect_eq(rf_algebra_differ(alg, a, b, &at), RF_NO, "%s != %s", text(a),
                 text(b));
    cr_expect_neq(at.left, at.right);
    cr_expect_float_eq(rf_sym_value(a, at.n, at.atom, at.value), at.left, 0);
}

Test(equal, polynomials_and_fractions)
{
    const rf_sym *a = sq(add(x, y));
    same(a, add(add(sq(x), mul(num(2), mul(x, y))), sq(y)));
    differ(a, add(sq(x), sq(y)));
    same(sub(div_(num(1), x), div_(num(1), add(x, num(1)))),
         div_(num(1), mul(x, add(x, num(1)))));
    same(div_(sub(sq(x), sq(y)), sub(x, y)), add(x, y));
}

Test(equal, exponentials_and_logarithms)
{
    same(expo(sub(x, m)), div_(expo(x), expo(m)));
    same(mul(expo(div_(x, num(2))), expo(div_(x, num(2)))), expo(x));
    same(sq(expo(mul(x, y))), expo(mul(num(2), mul(x, y))));
    same(rf_sym_exp(s, 2, add(x, num(3))), mul(num(8), rf_sym_exp(s, 2, x)));
    differ(expo(x), rf_sym_exp(s, 2, x));
    same(rf_sym_log(s, mul(expo(x), p)), add(x, rf_sym_log(s, p)));
    same(expo(expo(add(x, y))), expo(mul(expo(x), expo(y))));
    differ(expo(mul(x, y)), mul(expo(x), expo(y)));
}

Test(equal, roots)
{
    const rf_sym *v = add(sq(x), num(1));
    same(sq(rf_sym_sqrt(s, v)), v);
    same(div_(v, rf_sym_sqrt(s, v)), rf_sym_sqrt(s, v));
    same(rf_sym_sqrt(s, sq(x)), rf_sym_abs(s, x));
    same(rf_sym_sqrt(s, mul(num(4), p)), mul(num(2), rf_sym_sqrt(s, p)));
    same(mul(rf_sym_sqrt(s, p), rf_sym_sqrt(s, p)), p);
    differ(rf_sym_sqrt(s, sq(x)), x);
    same(rf_sym_pow(s, p, add(x, y)),
         mul(rf_sym_pow(s, p, x), rf_sym_pow(s, p, y)));
}

Test(equal, order)
{
    const rf_sym *zero = num(0);
    same(rf_sym_max(s, x, y),
         rf_sym_neg(s, rf_sym_min(s, rf_sym_neg(s, x), rf_sym_neg(s, y))));
    same(add(rf_sym_max(s, x, y), rf_sym_min(s, x, y)), add(x, y));
    same(rf_sym_max(s, x, rf_sym_neg(s, x)), rf_sym_abs(s, x));
    same(rf_sym_abs(s, mul(x, y)), mul(rf_sym_abs(s, x), rf_sym_abs(s, y)));
    same(rf_sym_max(s, mul(p, x), mul(p, y)), mul(p, rf_sym_max(s, x, y)));
    differ(rf_sym_max(s, mul(m, x), mul(m, y)), mul(m, rf_sym_max(s, x, y)));
    same(rf_sym_max(s, x, zero),
         rf_sym_select(s, rf_sym_lt(s, zero, x), x, zero));
    same(rf_sym_select(s, rf_sym_lt(s, x, y), y, x), rf_sym_max(s, x, y));
    differ(rf_sym_select(s, rf_sym_lt(s, x, y), x, y), rf_sym_max(s, x, y));
    same(rf_sym_min(s, rf_sym_max(s, x, num(1)), num(3)),
         rf_sym_max(s, rf_sym_min(s, x, num(3)), num(1)));
}

Test(equal, impossible_orders_are_no_cases)
{
    const rf_sym *a = rf_sym_max(s, x, y), *b = rf_sym_max(s, y, w);
    const rf_sym *c1 = rf_sym_max(s, rf_sym_min(s, x, y), rf_sym_min(s, y, w));
    const rf_sym *median = rf_sym_max(s, c1, rf_sym_min(s, x, w));
    const rf_sym *c2 = rf_sym_min(s, rf_sym_min(s, a, b), rf_sym_max(s, x, w));
    same(median, c2);
    same(add(rf_sym_max(s, a, w),
             add(median, rf_sym_min(s, rf_sym_min(s, x, y), w))),
         add(x, add(y, w)));
    same(rf_sym_abs(s, sub(rf_sym_max(s, x, y), rf_sym_min(s, x, y))),
         rf_sym_abs(s, sub(x, y)));
    differ(median, rf_sym_min(s, a, b));
}

/* A tie is a case of its own where the value jumps. */
Test(equal, jumps_at_ties)
{
    const rf_sym *tie = rf_sym_eq(s, x, y);
    const rf_sym *a = rf_sym_select(s, tie, num(1), num(0));
    differ(a, num(0));
    same(rf_sym_select(s, tie, expo(x), w), rf_sym_select(s, tie, expo(y), w));
    const rf_sym *both = rf_sym_select(
        s, rf_sym_le(s, x, y), rf_sym_select(s, rf_sym_le(s, y, x), p, w), w);
    differ(both, w);
    same(both, rf_sym_select(s, tie, p, w));
    same(rf_sym_select(s, rf_sym_lt(s, x, y),
                       rf_sym_select(s, rf_sym_lt(s, y, x), p, w), w),
         w);
    rf_algebra_assume(alg, sub(x, y), false);
    rf_algebra_assume(alg, sub(y, x), false);
    same(rf_sym_max(s, x, y), x);
    differ(rf_sym_max(s, x, y), add(x, num(1)));
}

Test(equal, opaque_functions_are_congruent)
{
    const rf_sym *a = add(x, y), *b = sub(sq(x), sq(y));
    const rf_sym *e = div_(b, sub(x, y));
    same(call("f", a), call("f", e));
    differ(call("f", a), call("f", x));
    differ(call("f", a), call("g", a));
    differ(rf_sym_named(s, RF_SYM_ROUND, "f16", 1, &x), x);
}

Test(equal, facts_decide)
{
    const rf_sym *e = rf_sym_max(s, x, y);
    differ(e, x);
    rf_algebra_assume(alg, sub(x, y), false);
    same(e, x);
    cr_expect_eq(rf_algebra_sign(alg, sub(x, y)), RF_IS_NONNEG);
}

Test(equal, signs)
{
    cr_expect_eq(rf_algebra_sign(alg, expo(x)), RF_IS_POSITIVE);
    cr_expect_eq(rf_algebra_sign(alg, sq(x)), RF_IS_NONNEG);
    cr_expect_eq(rf_algebra_sign(alg, add(sq(x), num(1))), RF_IS_POSITIVE);
    cr_expect_eq(rf_algebra_sign(alg, rf_sym_max(s, x, p)), RF_IS_POSITIVE);
    cr_expect_eq(rf_algebra_sign(alg, rf_sym_neg(s, p)), RF_IS_NEGATIVE);
    cr_expect_eq(rf_algebra_sign(alg, sub(x, y)), RF_IS_ANY);
    cr_expect_eq(rf_algebra_sign(alg, rf_sym_min(s, x, num(-1))),
                 RF_IS_NEGATIVE);
    const rf_sym *square =
        add(sub(sq(x), mul(num(2), mul(x, y))), sq(y)); /* (x - y)^2 */
    cr_expect_eq(rf_algebra_sign(alg, square), RF_IS_NONNEG);
    cr_expect_eq(rf_algebra_reduce_sign(alg, RF_REDUCE_SUM, expo(x), NULL),
                 RF_SIGN_NONNEG);
    cr_expect_eq(
        rf_algebra_reduce_sign(alg, RF_REDUCE_MAX, rf_sym_abs(s, x), num(0)),
        RF_SIGN_NONNEG);
    cr_expect_eq(rf_algebra_reduce_sign(alg, RF_REDUCE_MAX, x, num(0)),
                 RF_SIGN_NONNEG);
    cr_expect_eq(rf_algebra_reduce_sign(alg, RF_REDUCE_MAX, x, NULL),
                 RF_SIGN_ANY);
}
