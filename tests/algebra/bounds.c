/* Rounding classes and bounds; measured errors stay below them. */
#include "fixture.h"

TestSuite(bounds, .init = algebra_setup, .fini = algebra_teardown);

static rf_separation split;
static rf_rounding bound;
static const rf_sym *n;

static void ask(rf_reduce_op op, const rf_sym *f)
{
    const rf_sym *results[] = { m, d, r };
    cr_assert_eq(rf_separate(alg, op, f, 3, results, &split), RF_YES);
    n = rf_sym_atom_signed(s, RF_ATOM_PARAM, "n", NULL, RF_SIGN_POSITIVE);
    rf_rounding_question q = { .op = op,
                               .bits = 24,
                               .f = f,
                               .separation = &split,
                               .source_path = n,
                               .fused_path = n,
                               .shift_is_monotone = true };
    rf_rounding_find(alg, &q, &bound);
}

Test(bounds, gamma_is_exact)
{
    cr_expect_eq(rf_gamma(s, num(1000), 24),
                 rf_sym_rat(s, 1000, (1 << 24) - 1000));
    cr_expect_eq(rf_gamma(s, num(0), 53), num(0));
    cr_expect_str_eq(text(rf_gamma(s, p, 24)), "p/(16777216*(1 - p/16777216))");
}

Test(bounds, classes)
{
    ask(RF_REDUCE_MAX, x);
    cr_expect_eq(bound.rounding, RF_ROUNDING_EXACT);
    ask(RF_REDUCE_MAX, mul(x, r));
    cr_expect_eq(bound.rounding, RF_ROUNDING_REASSOCIATED);
    ask(RF_REDUCE_SUM, x);
    cr_expect_eq(bound.rounding, RF_ROUNDING_EXACT);
    rf_rounding_question tree = { .op = RF_REDUCE_SUM,
                                  .bits = 24,
                                  .f = x,
                                  .separation = &split,
                                  .source_path = n,
                                  .fused_path = num(10) };
    rf_rounding_find(alg, &tree, &bound);
    cr_expect_eq(bound.rounding, RF_ROUNDING_REASSOCIATED);
    cr_expect_eq(bound.fused_count, num(10));
    ask(RF_REDUCE_SUM, expo(sub(x, m)));
    cr_expect_eq(bound.rounding, RF_ROUNDING_RESCALED);
    cr_expect_str_eq(bound.text, "rescaled: gamma(4*n + 2*range + 2), source "
                                 "gamma(n + range + 2)");
    cr_expect(bound.is_within_four);
    ask(RF_REDUCE_SUM, mul(x, d));
    cr_expect_eq(bound.rounding, RF_ROUNDING_REASSOCIATED);
    cr_expect(bound.is_within_four);
}

/* float against double: softmax's sum, online and in two passes */
Test(bounds, hold_when_measured)
{
    enum { N = 4000 };
    ask(RF_REDUCE_SUM, expo(sub(x, m)));
    float shift = -INFINITY, fused = 0, least = INFINITY;
    double exact = 0;
    for (int i = 0; i < N; i++) {
        float v = (float)(8 * sin(0.7 * i) + 0.002 * i);
        float next = fmaxf(shift, v);
        fused = (i ? fused * expf(shift - next) : 0) + expf(v - next);
        shift = next;
        least = fminf(least, v);
    }
    for (int i = 0; i < N; i++) {
        float v = (float)(8 * sin(0.7 * i) + 0.002 * i);
        exact += exp((double)v - shift);
    }
    const rf_sym *from[] = { n, bound.range };
    const rf_sym *to[] = { num(N), num((int64_t)ceilf(shift - least)) };
    const rf_sym *gamma = rf_sym_subst(s, bound.fused, 2, from, to);
    double limit = rf_sym_value(gamma, 0, NULL, NULL);
    cr_expect_lt(fabs(fused - exact) / exact, limit);
    cr_expect_lt(limit, 2e-3);
}
