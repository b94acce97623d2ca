/* Class S: what separates, how, and what does not, with numbers. */
#include "fixture.h"

TestSuite(separate, .init = algebra_setup, .fini = algebra_teardown);

static rf_separation out;

static rf_truth ask(rf_reduce_op op, const rf_sym *f)
{
    const rf_sym *results[] = { m, d, r };
    return rf_separate(alg, op, f, 3, results, &out);
}

static void expect_text(const rf_sym *e, const char *expected)
{
    cr_assert_not_null(e);
    cr_expect_str_eq(text(e), expected);
}

static void same(const rf_sym *a, const rf_sym *b)
{
    cr_expect_eq(rf_algebra_equal(alg, a, b), RF_YES, "%s = %s", text(a),
                 text(b));
}

/* The values that a counterexample claims are the values of F. */
static double reduced(rf_reduce_op op, const rf_sym *f, const double *input,
                      const double *others)
{
    const rf_counterexample *e = &out.counterexample;
    unsigned n = e->n_elements + e->n_results;
    const rf_sym *atom[16];
    double value[16], total = 0;
    for (unsigned i = 0; i < e->length; i++) {
        for (unsigned k = 0; k < n; k++) {
            bool element = k < e->n_elements;
            unsigned o = k - e->n_elements;
            atom[k] = element ? e->element[k] : e->result[o];
            value[k] = element ? input[i * e->n_elements + k] : others[o];
        }
        double v = rf_sym_value(f, n, atom, value);
        total = i == 0                ? v
                : op == RF_REDUCE_SUM ? total + v
                : op == RF_REDUCE_MAX ? fmax(total, v)
                                      : fmin(total, v);
    }
    return total;
}

static void refuse(rf_reduce_op op, const rf_sym *f, const rf_sym *blame)
{
    cr_expect_eq(ask(op, f), RF_NO, "%s", text(f));
    const rf_counterexample *e = &out.counterexample;
    cr_assert(e->found);
    cr_expect_eq(out.blame, blame, "%s blames %s", text(f), text(out.blame));
    cr_expect_not_null(out.reason);
    cr_expect_float_eq(reduced(op, f, e->a, e->old_value),
                       reduced(op, f, e->b, e->old_value), 1e-9);
    double a = reduced(op, f, e->a, e->new_value);
    double b = reduced(op, f, e->b, e->new_value);
    cr_expect(fabs(a - b) > 1e-3, "%s", e->text);
    cr_expect_float_eq(a, e->new_a, 0);
}

Test(separate, softmax)
{
    const rf_sym *f = expo(sub(x, m));
    cr_assert_eq(ask(RF_REDUCE_SUM, f), RF_YES);
    cr_expect_eq(out.times, RF_TIMES_MUL);
    expect_text(out.ratio, "exp(m_old - m)");
    cr_expect_eq(out.lift, f);
    cr_expect_eq(out.later, out.state);
    cr_expect(out.later_keeps_identity);
    same(mul(out.g, out.h), f);
}

Test(separate, attention_defers_the_division)
{
    const rf_sym *f = mul(div_(expo(sub(x, m)), r), y);
    cr_assert_eq(ask(RF_REDUCE_SUM, f), RF_YES);
    expect_text(out.ratio, "exp(m_old - m)");
    expect_text(out.lift, "y*exp(x - m)");
    expect_text(out.later, "acc/r");
    cr_expect(out.later_keeps_identity);
}

Test(separate, spelling_does_not_matter)
{
    const rf_sym *f = div_(mul(y, expo(x)), mul(expo(m), add(d, num(1))));
    cr_assert_eq(ask(RF_REDUCE_SUM, f), RF_YES);
    expect_text(out.ratio, "exp(m_old - m)");
    expect_text(out.later, "acc/(d + 1)");
    cr_expect_not(out.later_keeps_identity);
    const rf_sym *g = add(mul(x, d), mul(y, d)); /* (x + y)*d */
    cr_assert_eq(ask(RF_REDUCE_SUM, g), RF_YES);
    expect_text(out.lift, "x + y");
    expect_text(out.later, "d*acc");
    cr_expect_null(out.ratio);
    const rf_sym *h = add(add(mul(x, d), x), add(d, num(1)));
    cr_assert_eq(ask(RF_REDUCE_SUM, h), RF_YES);
    same(out.lift, add(x, num(1)));
}

Test(separate, temperature_and_base_two)
{
    const rf_sym *f = expo(div_(sub(mul(x, c), m), p));
    cr_assert_eq(ask(RF_REDUCE_SUM, f), RF_YES);
    same(out.ratio, expo(div_(sub(rf_algebra_old(alg, m), m), p)));
    const rf_sym *g = rf_sym_exp(s, 2, sub(x, m));
    cr_assert_eq(ask(RF_REDUCE_SUM, g), RF_YES);
    expect_text(out.ratio, "exp2(m_old - m)");
}

/* log2(e) as a double: 53 bits in the exponent must not become a degree */
Test(separate, constants_of_many_bits)
{
    const rf_sym *log2e = rf_sym_real(s, 1.4426950408889634);
    const rf_sym *f = rf_sym_exp(s, 2, mul(log2e, sub(x, m)));
    cr_assert_eq(ask(RF_REDUCE_SUM, mul(f, div_(y, r))), RF_YES);
    same(out.ratio,
         rf_sym_exp(s, 2, mul(log2e, sub(rf_algebra_old(alg, m), m))));
    const rf_sym *g = rf_sym_exp(s, 2, sub(mul(x, log2e), mul(m, c)));
    cr_assert_eq(ask(RF_REDUCE_SUM, g), RF_YES);
    const rf_sym *third = rf_sym_rat(s, 1, 3), *tiny = rf_sym_real(s, 1e-9);
    const rf_sym *h = mul(expo(mul(third, sub(x, m))), expo(mul(tiny, x)));
    cr_assert_eq(ask(RF_REDUCE_SUM, h), RF_YES);
}

/* A masked score is -inf, which is an opaque constant to the algebra. */
Test(separate, masked_scores)
{
    const rf_sym *inf = rf_sym_atom(s, RF_ATOM_PARAM, "-inf", NULL);
    const rf_sym *score = rf_sym_select(s, rf_sym_lt(s, y, c), mul(x, p), inf);
    const rf_sym *f = expo(sub(score, m));
    cr_assert_eq(ask(RF_REDUCE_SUM, f), RF_YES);
    cr_expect_eq(out.lift, f);
    expect_text(out.ratio, "exp(m_old - m)");
}

Test(separate, log_sum_exp_and_cross_entropy)
{
    /* exp(x - (m + log r)): the log-sum-exp as the shift */
    const rf_sym *f = expo(sub(x, add(m, rf_sym_log(s, r))));
    cr_assert_eq(ask(RF_REDUCE_SUM, f), RF_YES);
    expect_text(out.ratio, "exp(m_old - m)");
    same(out.later, div_(out.state, r));
}

Test(separate, sum_of_sums_defers_what_may_be_zero)
{
    /* m = sum x, c = sum y*m: at m = 0 there is no inverse, so none is taken */
    const rf_sym *f = mul(y, m);
    cr_assert_eq(ask(RF_REDUCE_SUM, f), RF_YES);
    cr_expect_null(out.ratio);
    expect_text(out.lift, "y");
    expect_text(out.later, "m*acc");
    const rf_sym *xs[] = { num(1), num(-1), num(1) };
    const rf_sym *total = num(0), *state = num(0);
    for (int i = 0; i < 3; i++) {
        total = add(total, xs[i]);
        state = add(state, num(1));
    }
    const rf_sym *from[] = { out.state, m }, *to[] = { state, total };
    cr_expect_eq(rf_sym_subst(s, out.later, 2, from, to), num(3));
    /* s = sum x*y / sqrt(max(m, eps)) */
    const rf_sym *root = rf_sym_sqrt(s, rf_sym_max(s, m, p));
    cr_assert_eq(ask(RF_REDUCE_SUM, div_(mul(x, y), root)), RF_YES);
    cr_expect(out.later_keeps_identity);
    expect_text(out.lift, "x*y");
}

Test(separate, free_of_results)
{
    cr_assert_eq(ask(RF_REDUCE_SUM, sq(x)), RF_YES);
    cr_expect_eq(out.times, RF_TIMES_NONE);
    cr_expect_eq(out.lift, sq(x));
    cr_expect_eq(out.later, out.state);
}

Test(separate, masks_keep_the_shift)
{
    const rf_sym *mask = rf_sym_lt(s, y, c);
    const rf_sym *f = rf_sym_select(s, mask, expo(sub(x, m)), num(0));
    cr_assert_eq(ask(RF_REDUCE_SUM, f), RF_YES);
    cr_expect_eq(out.lift, f);
    expect_text(out.ratio, "exp(m_old - m)");
    const rf_sym *g = rf_sym_select(s, mask, mul(x, d), mul(mul(y, d), d));
    cr_expect_neq(ask(RF_REDUCE_SUM, g), RF_YES);
    const rf_sym *h = rf_sym_select(s, rf_sym_lt(s, m, c), mul(x, d), x);
    cr_assert_eq(ask(RF_REDUCE_SUM, h), RF_YES);
    expect_text(out.lift, "x");
}

Test(separate, absolute_values_and_relu_of_products)
{
    cr_assert_eq(ask(RF_REDUCE_SUM, rf_sym_abs(s, mul(x, d))), RF_YES);
    expect_text(out.lift, "abs(x)");
    cr_assert_eq(ask(RF_REDUCE_SUM, rf_sym_max(s, num(0), mul(x, r))), RF_YES);
    expect_text(out.later, "r*acc");
}

Test(separate, refuses_what_has_no_merge)
{
    const rf_sym *e = sub(x, m);
    refuse(RF_REDUCE_SUM, sq(e), e);
    refuse(RF_REDUCE_SUM, rf_sym_abs(s, e), rf_sym_abs(s, e));
    const rf_sym *relu = rf_sym_max(s, e, num(0));
    refuse(RF_REDUCE_SUM, relu, relu);
    const rf_sym *clip =
        rf_sym_min(s, rf_sym_max(s, div_(x, r), num(-1)), num(1));
    refuse(RF_REDUCE_SUM, mul(y, clip), clip);
    refuse(RF_REDUCE_SUM, expo(mul(x, m)), mul(x, m));
    refuse(RF_REDUCE_SUM, div_(x, add(x, d)), add(x, d));
    const rf_sym *test = rf_sym_lt(s, x, m);
    refuse(RF_REDUCE_SUM, rf_sym_select(s, test, x, num(0)), test);
}

Test(separate, rounding_is_opaque)
{
    const rf_sym *q = div_(x, r);
    const rf_sym *f = rf_sym_named(s, RF_SYM_ROUND, "e4m3", 1, &q);
    cr_expect_neq(ask(RF_REDUCE_SUM, mul(f, y)), RF_YES);
    cr_expect_eq(out.blame, f);
    /* but it is monotone */
    cr_assert_eq(ask(RF_REDUCE_MAX, f), RF_YES);
    expect_text(out.lift, "x");
    expect_text(out.later, "e4m3(acc/r)");
    cr_expect_neq(ask(RF_REDUCE_ARGMAX, f), RF_YES);
}

Test(separate, max_moves_through_monotone_maps)
{
    cr_assert_eq(ask(RF_REDUCE_MAX, sub(x, m)), RF_YES);
    cr_expect_eq(out.times, RF_TIMES_ADD);
    expect_text(out.later, "acc - m");
    cr_expect(out.later_keeps_identity);
    cr_assert_eq(ask(RF_REDUCE_MAX, mul(x, r)), RF_YES);
    cr_expect_eq(out.times, RF_TIMES_MUL);
    cr_assert_eq(ask(RF_REDUCE_MAX, add(mul(x, r), m)), RF_YES);
    expect_text(out.later, "m + r*acc");
    cr_assert_eq(ask(RF_REDUCE_MAX, sub(m, mul(x, r))), RF_YES);
    cr_expect_eq(out.reduce, RF_REDUCE_MIN);
    cr_assert_eq(ask(RF_REDUCE_MAX, div_(expo(sub(x, m)), r)), RF_YES);
    cr_expect_eq(out.lift, x);
    cr_assert_eq(ask(RF_REDUCE_ARGMAX, div_(expo(sub(x, m)), r)), RF_YES);
    cr_assert_eq(ask(RF_REDUCE_TOPK, div_(sub(x, m), r)), RF_YES);
    const rf_sym *clip = rf_sym_min(s, rf_sym_max(s, x, m), d);
    cr_assert_eq(ask(RF_REDUCE_MAX, clip), RF_YES);
    cr_expect_not(out.later_keeps_identity);
    cr_expect_neq(ask(RF_REDUCE_ARGMAX, clip), RF_YES);
    cr_assert_eq(ask(RF_REDUCE_MAX, rf_sym_abs(s, mul(x, r))), RF_YES);
    expect_text(out.lift, "abs(x)");
}

Test(separate, max_of_products_needs_a_sign)
{
    refuse(RF_REDUCE_MAX, mul(x, m), mul(x, m));
    cr_expect_str_eq(out.reason, "the sign of m is not known");
    rf_algebra_assume(alg, m, false);
    cr_assert_eq(ask(RF_REDUCE_MAX, mul(x, m)), RF_YES);
    refuse(RF_REDUCE_MAX, rf_sym_abs(s, sub(x, d)), rf_sym_abs(s, sub(x, d)));
}

Test(separate, products_of_powers)
{
    cr_assert_eq(ask(RF_REDUCE_PRODUCT, rf_sym_pow(s, w, d)), RF_YES);
    cr_expect_eq(out.times, RF_TIMES_POW);
    expect_text(out.lift, "w");
    expect_text(out.later, "acc^d");
    cr_expect_neq(ask(RF_REDUCE_PRODUCT, rf_sym_pow(s, x, d)), RF_YES);
    cr_expect_not_null(out.reason);
    cr_expect_neq(ask(RF_REDUCE_PRODUCT, add(x, d)), RF_YES);
}

Test(separate, conditions)
{
    cr_assert_eq(ask(RF_REDUCE_OR, rf_sym_lt(s, x, m)), RF_YES);
    cr_expect_eq(out.reduce, RF_REDUCE_MIN);
    expect_text(out.later, "acc < m");
    cr_assert_eq(ask(RF_REDUCE_AND, rf_sym_lt(s, x, m)), RF_YES);
    cr_expect_eq(out.reduce, RF_REDUCE_MAX);
    const rf_sym *both[] = { rf_sym_lt(s, num(0), x), rf_sym_lt(s, m, c) };
    cr_assert_eq(ask(RF_REDUCE_OR, rf_sym_make(s, RF_SYM_AND, 2, both)),
                 RF_YES);
    cr_expect_eq(out.times, RF_TIMES_AND);
    cr_expect_eq(out.lift, both[0]);
    cr_expect(out.later_keeps_identity);
    cr_assert_eq(
        ask(RF_REDUCE_OR, rf_sym_lt(s, add(x, y), sub(mul(num(2), y), m))),
        RF_YES);
    cr_expect_eq(out.reduce, RF_REDUCE_MIN);
    same(out.lift, sub(x, y));
}
