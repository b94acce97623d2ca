/* Random reductions from a grammar: what is accepted merges on numbers, what
 * is refused has a counterexample that differs. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

TestSuite(random, .init = algebra_setup, .fini = algebra_teardown);

static uint64_t seed;

static unsigned draw(unsigned below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)((seed >> 11) % below);
}

static double draw_value(void)
{
    return ((double)draw(4001) - 2000) / 1000;
}

/* A tree over x, y, w, m, d, r, p and small numbers. */
static const rf_sym *grow(int depth)
{
    const rf_sym *leaves[] = { x, x, y, w, m, m, d, r, p, num(2), num(-1) };
    if (depth == 0 || draw(6) == 0)
        return leaves[draw(RF_COUNTOF(leaves))];
    const rf_sym *a = grow(depth - 1), *b;
    switch (draw(12)) {
    case 0:
        return expo(a);
    case 1:
        return rf_sym_abs(s, a);
    case 2:
        return sq(a);
    case 3:
        return div_(a, draw(2) ? r : w);
    case 4:
        b = grow(depth - 1);
        return rf_sym_max(s, a, b);
    case 5:
        b = grow(depth - 1);
        return rf_sym_select(s, rf_sym_lt(s, a, b), y, num(0));
    case 6:
    case 7:
        b = grow(depth - 1);
        return sub(a, b);
    case 8:
        b = grow(depth - 1);
        return add(a, b);
    default:
        b = grow(depth - 1);
        return mul(a, b);
    }
}

enum { LENGTH = 5 };
static const rf_sym *elements[3], *others[4];

static double at(const rf_sym *e, const double *element, const double *now,
                 const double *before, double acc, const rf_sym *state)
{
    const rf_sym *atom[12];
    double value[12];
    unsigned n = 0;
    for (int i = 0; i < 3; i++) {
        atom[n] = elements[i];
        value[n++] = element ? element[i] : NAN;
    }
    for (int i = 0; i < 4; i++) {
        atom[n] = others[i];
        value[n++] = now[i];
    }
    for (int i = 0; i < 3; i++) {
        atom[n] = rf_algebra_old(alg, others[i]);
        value[n++] = before[i];
    }
    atom[n] = state;
    value[n++] = acc;
    return rf_sym_value(e, n, atom, value);
}

static double combine(rf_reduce_op op, double a, double b)
{
    return op == RF_REDUCE_SUM   ? a + b
           : op == RF_REDUCE_MAX ? fmax(a, b)
                                 : fmin(a, b);
}

static void draw_point(double element[LENGTH][3], double *now, double *before)
{
    for (int j = 0; j < LENGTH; j++) {
        for (int i = 0; i < 3; i++)
            element[j][i] = draw_value();
        element[j][2] = fabs(element[j][2]) + 0.1;
    }
    for (int i = 0; i < 3; i++) {
        now[i] = draw_value();
        before[i] = draw_value();
    }
    now[2] = fabs(now[2]) + 0.1;
    before[2] = fabs(before[2]) + 0.1;
    now[3] = before[3] = 0.75;
}

/* T-6: old state (x) ratio (+) lift of the rest, finished, is the reduction. */
static void check_merge(rf_reduce_op op, const rf_sym *f,
                        const rf_separation *o)
{
    double element[LENGTH][3], now[4], before[4];
    draw_point(element, now, before);
    double direct = NAN, state = NAN;
    for (int j = 0; j < LENGTH; j++) {
        double v = at(f, element[j], now, before, 0, o->state);
        const double *when = j < 2 ? before : now;
        double l = at(o->lift, element[j], when, before, 0, o->state);
        if (j == 2 && o->ratio)
            state *= at(o->ratio, NULL, now, before, 0, o->state);
        direct = j ? combine(op, direct, v) : v;
        state = j ? combine(o->reduce, state, l) : l;
    }
    double finished = at(o->later, NULL, now, before, state, o->state);
    if (!isfinite(direct) || fabs(direct) > 1e12)
        return;
    cr_expect_float_eq(finished, direct, 1e-7 * fmax(1, fabs(direct)),
                       "%s of %s: %.17g %.17g (%s)", rf_reduce_name(op),
                       text(f), finished, direct, text(o->later));
}

static void check_counterexample(rf_reduce_op op, const rf_sym *f,
                                 const rf_counterexample *e)
{
    double part[2] = { 0, 0 }, after[2] = { 0, 0 };
    for (unsigned j = 0; j < e->length; j++)
        for (int side = 0; side < 2; side++) {
            const rf_sym *atom[8];
            double value[8];
            const double *in = side ? e->b : e->a;
            unsigned k = e->n_elements;
            for (unsigned i = 0; i < k; i++) {
                atom[i] = e->element[i];
                value[i] = in[j * k + i];
            }
            for (int new = 0; new < 2; new ++) {
                for (unsigned i = 0; i < e->n_results; i++) {
                    atom[k + i] = e->result[i];
                    value[k + i] = new ? e->new_value[i] : e->old_value[i];
                }
                double v = rf_sym_value(f, k + e->n_results, atom, value);
                double *to = new ? &after[side] : &part[side];
                *to = j ? combine(op, *to, v) : v;
            }
        }
    cr_expect_float_eq(part[0], part[1], 1e-9 * fmax(1, fabs(part[0])));
    cr_expect(fabs(after[0] - after[1]) > 1e-4, "%s: %s", text(f), e->text);
}

static void campaign(rf_reduce_op op, int trials, uint64_t start)
{
    int yes = 0, no = 0, unknown = 0;
    const rf_sym *e[] = { x, y, w }, *o[] = { m, d, r, p };
    memcpy(elements, e, sizeof e);
    memcpy(others, o, sizeof o);
    const char *scale = getenv("RF_TEST_SCALE"); /* longer campaigns */
    trials *= scale ? atoi(scale) : 1;
    seed = scale ? start + strlen(scale) : start;
    for (int i = 0; i < trials; i++) {
        const rf_sym *f = grow(3);
        rf_separation out;
        switch (rf_separate(alg, op, f, 3, others, &out)) {
        case RF_YES:
            yes++;
            for (int k = 0; k < 4; k++)
                check_merge(op, f, &out);
            break;
        case RF_NO:
            no++;
            check_counterexample(op, f, &out.counterexample);
            break;
        case RF_UNKNOWN:
            unknown++;
            if (getenv("RF_TEST_VERBOSE"))
                printf("unknown %s of %s\n", rf_reduce_name(op), text(f));
        }
    }
    cr_expect_gt(yes, trials / 5);
    cr_expect_gt(no, trials / 10);
    cr_expect_lt(unknown, trials / 6, "%d yes, %d no, %d unknown", yes, no,
                 unknown);
    if (getenv("RF_TEST_VERBOSE"))
        printf("%s: %d yes, %d no, %d unknown\n", rf_reduce_name(op), yes, no,
               unknown);
}

Test(random, sums)
{
    campaign(RF_REDUCE_SUM, 80, 88172645463325252u);
}

Test(random, maxima)
{
    campaign(RF_REDUCE_MAX, 80, 977231u);
}

Test(random, minima)
{
    campaign(RF_REDUCE_MIN, 40, 5557771u);
}

/* A small tree full of ties: two atoms, order, choices. */
static const rf_sym *grow_tied(int depth)
{
    const rf_sym *leaves[] = { x, y, x, y, num(0), num(1) };
    if (depth == 0)
        return leaves[draw(RF_COUNTOF(leaves))];
    const rf_sym *a = grow_tied(depth - 1), *b = grow_tied(depth - 1);
    switch (draw(8)) {
    case 0:
        return rf_sym_max(s, a, b);
    case 1:
        return rf_sym_min(s, a, b);
    case 2:
        return rf_sym_select(s, rf_sym_lt(s, a, b), x, y);
    case 3:
        return rf_sym_select(s, rf_sym_le(s, a, b), b, a);
    case 4:
        return rf_sym_select(s, rf_sym_eq(s, a, b), a, b);
    case 5:
        return rf_sym_abs(s, sub(a, b));
    case 6:
        return mul(a, b);
    default:
        return add(a, b);
    }
}

/* YES is true on a grid with all ties; NO has a point; few stay open. */
Test(random, equality_is_sound)
{
    const rf_sym *atom[] = { x, y };
    int yes = 0, open = 0;
    seed = 77777u;
    for (int i = 0; i < 300; i++) {
        const rf_sym *a = grow_tied(2), *b = grow_tied(2);
        bool differs = false;
        for (int k = 0; k < 49; k++) {
            double v[] = { k % 7 / 2.0 - 1, k / 7 / 2.0 - 1 };
            differs |=
                rf_sym_value(a, 2, atom, v) != rf_sym_value(b, 2, atom, v);
        }
        rf_truth truth = rf_algebra_equal(alg, a, b);
        if (truth == RF_YES)
            cr_expect_not(differs, "%s = %s", text(a), text(b));
        yes += truth == RF_YES && a != b;
        open += truth == RF_UNKNOWN;
    }
    cr_expect_gt(yes, 3);
    cr_expect_lt(open, 10, "%d open", open);
}

/* rf_algebra_simplify and rf_prepare change no value. */
Test(random, simplified_forms_keep_their_values)
{
    seed = 20231117u;
    for (int i = 0; i < 300; i++) {
        const rf_sym *f = grow(4), *g = rf_algebra_simplify(alg, f);
        const rf_sym *atom[] = { x, y, w, m, d, r, p };
        double value[RF_COUNTOF(atom)];
        for (size_t k = 0; k < RF_COUNTOF(atom); k++)
            value[k] = fabs(draw_value()) + 0.05;
        for (int k = 0; k < 2; k++)
            value[k] *= draw(2) ? 1 : -1;
        double a = rf_sym_value(f, RF_COUNTOF(atom), atom, value);
        double b = rf_sym_value(g, RF_COUNTOF(atom), atom, value);
        if (isfinite(a) && isfinite(b) && fabs(a) < 1e10)
            cr_expect_float_eq(a, b, 1e-6 * fmax(1, fabs(a)), "%s: %g %g %s",
                               text(f), a, b, text(g));
    }
}
