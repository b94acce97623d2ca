/* Class M: the derived bases, steps and merges are the textbook's, by exact
 * identity; run on numbers they give what two passes give. */
#include "fixture.h"

static const rf_sym *length, *sum_x, *mean_x, *sum_y, *mean_y;
static const rf_sym *total_w, *sum_wx, *mean_w;
static rf_definition plain[4], weighted[3];
static rf_definitions defs, weighted_defs;
static rf_closure k;
static rf_step step;
static rf_merge merge;

static const rf_sym *result(const char *name)
{
    return rf_sym_atom(s, RF_ATOM_RESULT, name, NULL);
}

static void setup(void)
{
    algebra_setup();
    length = rf_sym_atom_signed(s, RF_ATOM_PARAM, "L", NULL, RF_SIGN_POSITIVE);
    sum_x = result("sx");
    mean_x = result("mx");
    sum_y = result("sy");
    mean_y = result("my");
    total_w =
        rf_sym_atom_signed(s, RF_ATOM_RESULT, "W", NULL, RF_SIGN_POSITIVE);
    sum_wx = result("swx");
    mean_w = result("mw");
    plain[0] = (rf_definition){ .result = sum_x, .element = x };
    plain[1] = (rf_definition){ .result = mean_x, .post = div_(sum_x, length) };
    plain[2] = (rf_definition){ .result = sum_y, .element = y };
    plain[3] = (rf_definition){ .result = mean_y, .post = div_(sum_y, length) };
    defs = (rf_definitions){ 4, plain, length };
    weighted[0] = (rf_definition){ .result = total_w, .element = w };
    weighted[1] = (rf_definition){ .result = sum_wx, .element = mul(w, x) };
    weighted[2] =
        (rf_definition){ .result = mean_w, .post = div_(sum_wx, total_w) };
    weighted_defs = (rf_definitions){ 3, weighted, length };
}

TestSuite(closure, .init = setup, .fini = algebra_teardown);

static void same(const rf_sym *a, const rf_sym *b)
{
    cr_expect_eq(rf_algebra_equal(alg, a, b), RF_YES, "%s = %s", text(a),
                 text(b));
}

static void expect_text(const rf_sym *e, const char *expected)
{
    cr_assert_not_null(e);
    cr_expect_str_eq(text(e), expected);
}

static rf_truth ask(const rf_sym *f, const rf_definitions *of)
{
    const rf_sym *results[] = { sum_x,  mean_x, sum_y, mean_y, total_w,
                                sum_wx, mean_w, m,     d,      r };
    rf_truth truth =
        rf_closure_find(alg, f, RF_COUNTOF(results), results, of, &k);
    if (truth == RF_YES) {
        rf_closure_step(alg, &k, of, &step);
        rf_closure_merge(alg, &k, of, &merge);
    }
    return truth;
}

/* ---- running the derived forms on numbers ---- */

typedef struct {
    rf_sym const *atom[64];
    double value[64];
    unsigned n;
} point;

static void set(point *at, const rf_sym *atom, double value)
{
    for (unsigned i = 0; i < at->n; i++)
        if (at->atom[i] == atom) {
            at->value[i] = value;
            return;
        }
    cr_assert_lt(at->n, 64);
    at->atom[at->n] = atom;
    at->value[at->n++] = value;
}

static double get(const point *at, const rf_sym *e)
{
    return rf_sym_value(e, at->n, at->atom, at->value);
}

enum { ELEMENTS = 3, MOST = 16 };
typedef struct {
    double of[ELEMENTS];
} element;
typedef struct {
    double result[8], state[8], count;
} state;

static void set_element(point *at, const element *e)
{
    set(at, x, e->of[0]);
    set(at, y, e->of[1]);
    set(at, w, e->of[2]);
}

static state fold(const rf_definitions *of, const element *e, unsigned n)
{
    state u = { 0 };
    for (unsigned i = 0; i < of->n; i++)
        if (of->def[i].op == RF_REDUCE_MAX)
            u.result[i] = e[0].of[0]; /* any shift will do */
    for (unsigned j = 0; j < n; j++) {
        point at = { .n = 0 };
        set_element(&at, &e[j]);
        set(&at, c, 0.75);
        set(&at, p, 1.25);
        set(&at, k.count, u.count);
        for (unsigned i = 0; i < of->n; i++)
            set(&at, rf_algebra_old(alg, of->def[i].result), u.result[i]);
        for (unsigned i = 0; i < k.rank; i++)
            if (k.state[i])
                set(&at, k.state[i], u.state[i]);
        for (unsigned i = 0; i < of->n; i++) {
            u.result[i] = get(&at, step.result[i]);
            set(&at, of->def[i].result, u.result[i]);
        }
        for (unsigned i = 0; i < k.rank; i++)
            if (k.state[i])
                u.state[i] = get(&at, step.next[i]);
        u.count++;
    }
    return u;
}

static state join(const rf_definitions *of, const state *u, const state *v)
{
    state j = { .count = u->count + v->count };
    point at = { .n = 0 };
    set(&at, c, 0.75);
    set(&at, p, 1.25);
    set(&at, k.count, u->count);
    set(&at, merge.right_count, v->count);
    for (unsigned i = 0; i < of->n; i++) {
        set(&at, rf_algebra_old(alg, of->def[i].result), u->result[i]);
        set(&at, merge.right_result[i], v->result[i]);
    }
    for (unsigned i = 0; i < k.rank; i++)
        if (k.state[i]) {
            set(&at, k.state[i], u->state[i]);
            set(&at, merge.right_state[i], v->state[i]);
        }
    for (unsigned i = 0; i < of->n; i++) {
        j.result[i] = get(&at, merge.result[i]);
        set(&at, of->def[i].result, j.result[i]);
    }
    for (unsigned i = 0; i < k.rank; i++)
        if (k.state[i])
            j.state[i] = get(&at, merge.next[i]);
    return j;
}

static double finish(const rf_definitions *of, const state *u)
{
    point at = { .n = 0 };
    set(&at, length, u->count);
    set(&at, c, 0.75);
    set(&at, p, 1.25);
    for (unsigned i = 0; i < of->n; i++)
        set(&at, of->def[i].result, u->result[i]);
    for (unsigned i = 0; i < k.rank; i++)
        if (k.state[i])
            set(&at, k.state[i], u->state[i]);
    return get(&at, k.later);
}

/* SUM F by two passes: first the results, then F. */
static double two_passes(const rf_sym *f, const rf_definitions *of,
                         const element *e, unsigned n)
{
    point at = { .n = 0 };
    double total = 0;
    set(&at, length, n);
    set(&at, c, 0.75);
    set(&at, p, 1.25);
    for (unsigned i = 0; i < of->n; i++) {
        const rf_definition *a = &of->def[i];
        double v = a->op == RF_REDUCE_MAX ? -INFINITY : 0;
        for (unsigned j = 0; a->element && j < n; j++) {
            set_element(&at, &e[j]);
            double t = get(&at, a->element);
            v = a->op == RF_REDUCE_MAX ? fmax(v, t) : v + t;
        }
        set(&at, a->result, a->post ? get(&at, a->post) : v);
    }
    for (unsigned j = 0; j < n; j++) {
        set_element(&at, &e[j]);
        total += get(&at, f);
    }
    return total;
}

static void run(const rf_sym *f, const rf_definitions *of, double offset)
{
    element e[MOST];
    for (unsigned j = 0; j < MOST; j++) {
        e[j].of[0] = offset + sin(7.0 * j + 1);
        e[j].of[1] = 2 * cos(3.0 * j) - offset;
        e[j].of[2] = 0.5 + fabs(sin(j + 0.5));
    }
    double expected = two_passes(f, of, e, MOST);
    double tolerance = 1e-9 * fmax(1, fabs(expected));
    for (unsigned cut = 1; cut < MOST; cut += 4) {
        state u = fold(of, e, cut), v = fold(of, e + cut, MOST - cut);
        state j = join(of, &u, &v), whole = fold(of, e, MOST);
        cr_expect_float_eq(finish(of, &j), expected, tolerance,
                           "%s: %.17g %.17g", text(f), finish(of, &j),
                           expected);
        cr_expect_float_eq(finish(of, &whole), expected, tolerance,
                           "%s: %.17g %.17g", text(f), finish(of, &whole),
                           expected);
    }
}

/* ---- the textbook ---- */

static const rf_sym *old(const rf_sym *e)
{
    return rf_algebra_old(alg, e);
}

Test(closure, welford)
{
    const rf_sym *f = sq(sub(x, mean_x));
    cr_assert_eq(ask(f, &defs), RF_YES);
    cr_expect_eq(k.rank, 3);
    expect_text(k.known[1], "0");
    expect_text(k.known[2], "n");
    expect_text(step.result[1], "mx_old + (x - mx_old)/(n + 1)");
    expect_text(step.next[0], "acc + (x - mx)*(x - mx_old)");
    cr_expect_not(step.carried[0]);
    cr_expect(step.carried[1]);
    cr_expect_eq(k.later, k.state[0]);
    run(f, &defs, 0);
    run(f, &defs, 1e5);
}

Test(closure, chan)
{
    cr_assert_eq(ask(sq(sub(x, mean_x)), &defs), RF_YES);
    const rf_sym *delta = sub(merge.right_result[1], old(mean_x));
    const rf_sym *nu = k.count, *nv = merge.right_count;
    same(merge.result[1], add(old(mean_x), div_(mul(nv, delta), add(nu, nv))));
    const rf_sym *textbook =
        add(add(k.state[0], merge.right_state[0]),
            div_(mul(sq(delta), mul(nu, nv)), add(nu, nv)));
    same(rf_sym_subst(s, merge.next[0], 1, &mean_x, &merge.result[1]),
         textbook);
}

Test(closure, the_length_in_front_stays_outside_or_inside)
{
    const rf_sym *f = div_(sq(sub(x, mean_x)), length);
    cr_assert_eq(ask(f, &defs), RF_YES);
    const rf_sym *inline_mean = sq(sub(x, div_(sum_x, length)));
    rf_lifted lifted;
    rf_closure_lift(alg, inline_mean, 1, &sum_x, length, &lifted);
    cr_assert_eq(lifted.n, 1);
    same(lifted.def[0].post, div_(sum_x, length));
    same(lifted.f, sq(sub(x, lifted.def[0].result)));
}

/* Pebay's one-element updates with N = n + 1 */
Test(closure, higher_moments)
{
    const rf_sym *delta = sub(x, old(mean_x)), *n = k.count;
    const rf_sym *f = cube(sub(x, mean_x));
    cr_assert_eq(ask(f, &defs), RF_YES);
    n = k.count;
    const rf_sym *N = add(n, num(1));
    const rf_sym *m3 = k.state[0], *m2 = k.state[1];
    const rf_sym *textbook =
        sub(add(m3, div_(mul(cube(delta), mul(n, sub(N, num(2)))), sq(N))),
            div_(mul(num(3), mul(delta, m2)), N));
    same(step.next[0], textbook);
    run(f, &defs, 0);
    run(f, &defs, 1000);
    const rf_sym *f4 = sq(sq(sub(x, mean_x)));
    cr_assert_eq(ask(f4, &defs), RF_YES);
    const rf_sym *m4 = k.state[0];
    m3 = k.state[1];
    m2 = k.state[2];
    const rf_sym *inner = add(sub(sq(N), mul(num(3), N)), num(3));
    textbook =
        sub(add(add(m4, div_(mul(sq(sq(delta)), mul(n, inner)), cube(N))),
                div_(mul(num(6), mul(sq(delta), m2)), sq(N))),
            div_(mul(num(4), mul(delta, m3)), N));
    same(step.next[0], textbook);
    run(f4, &defs, 0);
    const rf_sym *f6 = rf_sym_pow(s, sub(x, mean_x), num(6));
    cr_assert_eq(ask(f6, &defs), RF_YES);
    run(f6, &defs, 0);
}

Test(closure, skewness_defers_the_deviation)
{
    const rf_sym *f = cube(div_(sub(x, mean_x), r));
    cr_assert_eq(ask(f, &defs), RF_YES);
    expect_text(k.later, "acc/r^3");
    same(k.basis[0], cube(sub(x, mean_x)));
}

/* The sum of squares of an earlier reduction is not carried twice. */
Test(closure, kurtosis_shares_the_variance)
{
    rf_definition with[4] = { plain[0], plain[1] };
    with[2] = (rf_definition){ .result = d, .element = sq(sub(x, mean_x)) };
    with[3] =
        (rf_definition){ .result = r, .post = rf_sym_sqrt(s, div_(d, length)) };
    rf_definitions of = { 4, with, length };
    cr_assert_eq(ask(sq(sq(div_(sub(x, mean_x), r))), &of), RF_YES);
    cr_expect_eq(k.rank, 5);
    cr_expect_eq(k.known[2], d);
    expect_text(k.later, "acc/r^4");
    cr_assert_eq(ask(div_(sub(x, mean_x), r), &of), RF_YES);
    cr_expect_eq(k.later, num(0));
}

Test(closure, covariance)
{
    const rf_sym *f = mul(sub(x, mean_x), sub(y, mean_y));
    cr_assert_eq(ask(f, &defs), RF_YES);
    const rf_sym *from[] = { mean_x, mean_y };
    const rf_sym *to[] = { step.result[1], step.result[3] };
    const rf_sym *textbook =
        add(k.state[0], mul(sub(x, old(mean_x)), sub(y, mean_y)));
    same(rf_sym_subst(s, step.next[0], 2, from, to),
         rf_sym_subst(s, textbook, 2, from, to));
    unsigned carried = 0;
    for (unsigned i = 0; i < k.rank; i++)
        carried += k.known[i] == NULL;
    cr_expect_eq(carried, 1);
    run(f, &defs, 0);
    run(f, &defs, 1e4);
}

Test(closure, weighted_variance_and_inertia)
{
    const rf_sym *f = mul(w, sq(sub(x, mean_w)));
    cr_assert_eq(ask(f, &weighted_defs), RF_YES);
    expect_text(step.result[2], "mw_old + w*(x - mw_old)/W");
    expect_text(step.next[0], "acc + w*(x - mw)*(x - mw_old)");
    cr_expect(step.carried[0]);
    cr_expect_not(step.carried[1]);
    run(f, &weighted_defs, 0);
    run(f, &weighted_defs, 100);
}

Test(closure, shifted_sums_beside_exponentials)
{
    rf_definition shift = { .result = m, .op = RF_REDUCE_MAX, .element = x };
    rf_definitions of = { 1, &shift, length };
    const rf_sym *e = sub(x, m);
    const rf_sym *smooth = add(mul(c, expo(e)), mul(p, e));
    cr_assert_eq(ask(smooth, &of), RF_YES);
    run(smooth, &of, 0);
    const rf_sym *entropy = mul(e, expo(e));
    cr_assert_eq(ask(entropy, &of), RF_YES);
    cr_expect_eq(k.rank, 2);
    same(k.transfer[0], expo(sub(old(m), m)));
    same(k.transfer[1], mul(expo(sub(old(m), m)), sub(old(m), m)));
    run(entropy, &of, 0);
    const rf_sym *plain_sum = e;
    cr_assert_eq(ask(plain_sum, &of), RF_YES);
    cr_expect_null(k.known[0]);
    run(plain_sum, &of, 0);
    /* two independent terms: two accumulators */
    const rf_sym *two = add(mul(y, expo(e)), w);
    cr_assert_eq(ask(two, &of), RF_YES);
    cr_expect_eq(k.rank, 2);
    run(two, &of, 0);
}

Test(closure, class_s_is_rank_one)
{
    rf_definition shift = { .result = m, .op = RF_REDUCE_MAX, .element = x };
    rf_definitions of = { 1, &shift, length };
    cr_assert_eq(ask(div_(mul(y, expo(sub(x, m))), r), &of), RF_YES);
    cr_expect_eq(k.rank, 1);
    expect_text(k.transfer[0], "exp(m_old - m)");
    expect_text(k.later, "acc/r");
}

/* No sum of powers: every basis function is a power of a difference. */
Test(closure, no_raw_power_sums)
{
    cr_assert_eq(ask(sq(sq(sub(x, mean_x))), &defs), RF_YES);
    for (unsigned i = 0; i < k.rank; i++)
        cr_expect(k.basis[i]->kind == RF_SYM_RAT ||
                  rf_sym_mentions(k.basis[i], mean_x));
}

Test(closure, refuses_infinite_closures)
{
    cr_expect_eq(ask(rf_sym_abs(s, sub(x, mean_x)), &defs), RF_NO);
    cr_expect(k.counterexample.found);
    cr_expect_not_null(k.reason);
    cr_expect_eq(ask(rf_sym_max(s, sub(x, d), num(0)), &defs), RF_NO);
    cr_expect_eq(ask(expo(mul(x, d)), &defs), RF_NO);
    cr_expect_eq(ask(div_(num(1), add(sq(x), sq(d))), &defs), RF_NO);
    cr_expect_eq(ask(rf_sym_log(s, add(sq(x), sq(d))), &defs), RF_NO);
}
