/* The iteration sets of loops (T-D1). */
#include "build.h"

#include <criterion/criterion.h>
#include <string.h>

static const char variables[] =
    "int n; int m; int a; int s; unsigned u; unsigned v; size_t z; long l; "
    "float *x; int *len; float f";

static const struct {
    const char *facts, *a, *b;
    rf_answer set, order;
    rf_axis_relation relation;
    int64_t shift;
    unsigned missing;
} table[] = {
    /* one axis, spelled differently */
    { "", "int i = 0; i < n; i += 1", "int j = 0; j <= n - 1; j += 1", RF_YES,
      RF_YES, RF_AXIS_SAME, 0, 0 },
    { "", "int i = 0; i < n; i += 1", "int j = n - 1; j >= 0; j -= 1", RF_YES,
      RF_NO, RF_AXIS_SAME, 0, 0 },
    { "", "int i = 0; i < n; i += 1", "int j = 0; j != n; j += 1", RF_YES,
      RF_YES, RF_AXIS_SAME, 0, 0 },
    { "", "int i = 0; i < n; i += 1", "long j = 0; j < n; j += 1", RF_YES,
      RF_YES, RF_AXIS_SAME, 0, 0 },
    { "", "int i = 0; i < 8; i += 1", "unsigned j = 0; j < 8; j += 1", RF_YES,
      RF_YES, RF_AXIS_SAME, 0, 0 },
    { "n >= 0", "int i = 0; i < n; i += 1", "size_t j = 0; j < n; j += 1",
      RF_YES, RF_YES, RF_AXIS_SAME, 0, 0 },
    { "", "int i = 0; i < n; i += 1", "size_t j = 0; j < n; j += 1", RF_MAYBE,
      RF_MAYBE, RF_AXIS_OTHER, 0, 0 },
    { "n >= 1", "int i = 0; i < n; i += 1", "do int j = 0; j < n; j += 1",
      RF_YES, RF_YES, RF_AXIS_SAME, 0, 0 },
    { "", "do int i = 0; i < n; i += 1", "int j = 0; j < n; j += 1", RF_NO,
      RF_MAYBE, RF_AXIS_SUFFIX, 0, 1 },
    { "n == m", "int i = 0; i < n; i += 1", "int j = 0; j < m; j += 1", RF_YES,
      RF_YES, RF_AXIS_SAME, 0, 0 },
    { "", "int i = 0; i < n; i += 1", "int j = 0; j < m; j += 1", RF_NO,
      RF_MAYBE, RF_AXIS_OTHER, 0, 0 },
    /* strides */
    { "", "int i = 0; i < n; i += 4", "int j = 0; j < n; j += 4", RF_YES,
      RF_YES, RF_AXIS_SAME, 0, 0 },
    { "", "int i = 0; i < 10; i += 4", "int j = 8; j >= 0; j -= 4", RF_YES,
      RF_NO, RF_AXIS_SAME, 0, 0 },
    { "", "int i = 0; i < n; i += 1", "int j = 0; j < n; j += 2", RF_NO,
      RF_MAYBE, RF_AXIS_SUBSET, 0, 0 },
    { "", "int i = 0; i < n; i += 2", "int j = 1; j < n; j += 2", RF_NO,
      RF_MAYBE, RF_AXIS_DISJOINT, 0, 0 },
    { "", "int i = threadIdx.x; i < n; i += blockDim.x",
      "int j = threadIdx.x; j < n; j += blockDim.x", RF_YES, RF_YES,
      RF_AXIS_SAME, 0, 0 },
    { "n == m", "int i = threadIdx.x; i < n; i += blockDim.x",
      "int j = threadIdx.x; j < m; j += blockDim.x", RF_YES, RF_YES,
      RF_AXIS_SAME, 0, 0 },
    { "", "int i = threadIdx.x; i < n; i += blockDim.x",
      "int j = 0; j < n; j += blockDim.x", RF_MAYBE, RF_MAYBE, RF_AXIS_OTHER, 0,
      0 },
    { "", "int i = threadIdx.x; i < n; i += blockDim.x",
      "int j = threadIdx.x; j < n; j += s", RF_MAYBE, RF_MAYBE, RF_AXIS_OTHER,
      0, 0 },
    /* first element as identity, remainders, windows */
    { "", "int i = 0; i < n; i += 1", "int j = 1; j < n; j += 1", RF_NO,
      RF_MAYBE, RF_AXIS_SUFFIX, 0, 1 },
    { "", "int i = 0; i < n; i += 1", "int j = 0; j < n - 2; j += 1", RF_NO,
      RF_MAYBE, RF_AXIS_PREFIX, 0, 2 },
    { "a >= 0; a < n", "int i = 0; i < n; i += 1", "int j = 0; j <= a; j += 1",
      RF_NO, RF_MAYBE, RF_AXIS_PREFIX, 0, 0 },
    { "a >= 0; a < n", "int i = 0; i < n; i += 1", "int j = a; j < n; j += 1",
      RF_NO, RF_MAYBE, RF_AXIS_SUFFIX, 0, 0 },
    { "a >= 0; a < n", "int i = 0; i <= a; i += 1",
      "int j = max(0, a - s); j <= a; j += 1", RF_NO, RF_MAYBE, RF_AXIS_SUFFIX,
      0, 0 },
    { "a >= 0; s >= 0", "int i = 0; i <= a; i += 1",
      "int j = max(0, a - s); j <= a; j += 1", RF_NO, RF_MAYBE, RF_AXIS_SUFFIX,
      0, 0 },
    { "", "int i = max(0, a - s); i <= a; i += 1",
      "int j = a - s > 0 ? a - s : 0; j < a + 1; j += 1", RF_YES, RF_YES,
      RF_AXIS_SAME, 0, 0 },
    { "", "int i = 0; i < n; i += 1", "int j = n; j < m; j += 1", RF_NO,
      RF_MAYBE, RF_AXIS_DISJOINT, 0, 0 },
    { "", "int i = 0; i < n; i += 1", "int j = 1; j <= n; j += 1", RF_NO,
      RF_MAYBE, RF_AXIS_SHIFTED, 1, 0 },
    { "", "int i = 0; i < n; i += 4", "int j = 2; j < n + 2; j += 4", RF_NO,
      RF_MAYBE, RF_AXIS_SHIFTED, 2, 0 },
    /* vector body and scalar tail */
    { "n >= 0", "int i = 0; i < n; i += 1", "int j = n / 4 * 4; j < n; j += 1",
      RF_NO, RF_MAYBE, RF_AXIS_SUFFIX, 0, 0 },
    { "n % 4 == 0; n > 0", "int i = 0; i < n; i += 1",
      "int j = n / 4 * 4 - n; j < n; j += 1", RF_YES, RF_YES, RF_AXIS_SAME, 0,
      0 },
    /* opaque bounds */
    { "", "int i = 0; i < len[a]; i += 1", "int j = 0; j < len[a]; j += 1",
      RF_YES, RF_YES, RF_AXIS_SAME, 0, 0 },
    { "", "int i = 0; i < len[a]; i += 1", "int j = 0; j < len[m]; j += 1",
      RF_MAYBE, RF_MAYBE, RF_AXIS_OTHER, 0, 0 },
    { "", "int i = 0; i < n * m; i += 1", "int j = 0; j < m * n; j += 1",
      RF_YES, RF_YES, RF_AXIS_SAME, 0, 0 },
    /* unsigned counters wrap */
    { "", "unsigned i = 0; i < u; i += 1", "unsigned j = 0; j < u; j += 1",
      RF_YES, RF_YES, RF_AXIS_SAME, 0, 0 },
    { "", "unsigned i = 0; i < u; i += 4", "unsigned j = 0; j < u; j += 4",
      RF_YES, RF_YES, RF_AXIS_SAME, 0, 0 },
    { "u == v", "unsigned i = 0; i < u; i += 4",
      "unsigned j = 0; j <= v - 1; j += 4", RF_MAYBE, RF_MAYBE, RF_AXIS_OTHER,
      0, 0 },
    { "", "unsigned i = 0; i < u; i += 1", "unsigned j = 0; j <= u - 1; j += 1",
      RF_MAYBE, RF_MAYBE, RF_AXIS_OTHER, 0, 0 },
    { "u >= 1", "unsigned i = 0; i < u; i += 1",
      "unsigned j = 0; j <= u - 1; j += 1", RF_YES, RF_YES, RF_AXIS_SAME, 0,
      0 },
    { "u < 1000", "unsigned i = 0; i < u; i += 1",
      "unsigned j = 0; j < u; j += 2", RF_NO, RF_MAYBE, RF_AXIS_SUBSET, 0, 0 },
    { "", "unsigned i = 0; i < u; i += 1", "int j = 0; j < u; j += 1", RF_NO,
      RF_MAYBE, RF_AXIS_PREFIX, 0, 0 },
};

static const char *answer_name(rf_answer a)
{
    return a == RF_YES ? "yes" : a == RF_NO ? "no" : "maybe";
}

Test(loops, compared)
{
    for (size_t i = 0; i < RF_COUNTOF(table); i++) {
        world w = world_new(variables);
        facts(&w, table[i].facts);
        const rf_loop *a = loop(&w, table[i].a), *b = loop(&w, table[i].b);
        rf_axis_match m = rf_loop_compare(w.depend, a, b);
        cr_expect(m.same_set == table[i].set && m.same_order == table[i].order,
                  "%s | %s: %s, %s (%s)", table[i].a, table[i].b,
                  answer_name(m.same_set), answer_name(m.same_order),
                  m.why ? m.why : "");
        cr_expect(m.relation == table[i].relation &&
                      m.shift == table[i].shift &&
                      m.missing == table[i].missing,
                  "%s | %s: relation %d, shift %d, missing %u", table[i].a,
                  table[i].b, m.relation, (int)m.shift, m.missing);
        world_free(&w);
    }
}

Test(loops, inside_an_outer_loop)
{
    world w = world_new("int n; int w");
    const rf_loop *t = loop(&w, "int t = 0; t < n; t += 1");
    rf_depend_enter(w.depend, t);
    rf_axis_match m =
        rf_loop_compare(w.depend, loop(&w, "int i = 0; i < n; i += 1"),
                        loop(&w, "int j = 0; j <= t; j += 1"));
    cr_expect_eq(m.relation, RF_AXIS_PREFIX);
    m = rf_loop_compare(w.depend, loop(&w, "int i = 0; i <= t; i += 1"),
                        loop(&w, "int j = 0; j < t + 1; j += 1"));
    cr_expect_eq(m.same_set, RF_YES);
    const char *why;
    cr_expect_eq(
        rf_loop_nonempty(w.depend, loop(&w, "int j = 0; j <= t; j += 1"), &why),
        RF_YES);
    cr_expect_eq(
        rf_loop_nonempty(w.depend, loop(&w, "int j = 0; j < t; j += 1"), &why),
        RF_NO);
    cr_expect(why && strstr(why, "t = 0"), "%s", why ? why : "none");
    world_free(&w);
}

static const struct {
    const char *facts, *loop;
    rf_answer nonempty;
} runs[] = {
    { "", "int i = 0; i < n; i += 1", RF_NO },
    { "n > 0", "int i = 0; i < n; i += 1", RF_YES },
    { "n > 0", "int i = 1; i < n; i += 1", RF_NO },
    { "", "int i = 0; i < 4; i += 1", RF_YES },
    { "", "do int i = 0; i < n; i += 1", RF_YES },
    { "", "int i = threadIdx.x; i < 1024; i += blockDim.x", RF_YES },
    { "", "int i = threadIdx.x; i < n; i += blockDim.x", RF_NO },
    { "", "unsigned i = threadIdx.x; i < blockDim.x; i += 32", RF_YES },
    { "", "int i = 0; i < len[a]; i += 1", RF_MAYBE },
    { "a >= 0; a < n * m", "int i = 0; i < n * m; i += 1", RF_YES },
    { "f > 0", "int i = 0; i < n; i += 1", RF_MAYBE },
};

Test(loops, that_run)
{
    for (size_t i = 0; i < RF_COUNTOF(runs); i++) {
        world w = world_new(variables);
        facts(&w, runs[i].facts);
        rf_answer a = rf_loop_nonempty(w.depend, loop(&w, runs[i].loop), NULL);
        cr_expect_eq(a, runs[i].nonempty, "%s: %s", runs[i].loop,
                     answer_name(a));
        world_free(&w);
    }
}

static const struct {
    const char *facts, *claim;
    rf_answer holds;
} claims[] = {
    { "", "threadIdx.x < blockDim.x", RF_YES },
    { "", "blockIdx.x * blockDim.x >= 0", RF_YES },
    { "", "n * n >= 0", RF_YES },
    { "a >= 0; a < n * m; n > 0", "m > 0", RF_YES },
    { "a >= 0; a < n * m", "m != 0", RF_YES },
    { "a >= 0; a < n * m", "m > 0", RF_MAYBE },
    { "a >= 0", "a / 4 * 4 <= a && a / 4 * 4 > a - 4", RF_YES },
    { "", "a / 4 * 4 <= a", RF_NO },
    { "", "a % 4 >= 0", RF_NO },
    { "", "a % 4 < 4 && a % 4 > 0 - 4", RF_YES },
    { "", "(a & 3) == a % 4 || a < 0", RF_YES },
    { "", "u - 1 < u", RF_NO },
    { "u > 0", "u - 1 < u", RF_YES },
    { "", "(unsigned)n >= 0", RF_YES },
    { "", "(int)(unsigned)n == n", RF_YES },
    { "", "(size_t)n == (size_t)m || n != m", RF_YES },
    { "", "(short)n == n", RF_NO },
    { "n < 100; !(n < 0)", "(short)n == n", RF_YES },
    { "f > 0 && n > 3", "n > 2", RF_YES },
    { "f > 0 || n > 3", "n > 2", RF_MAYBE },
    { "f > 0", "f > 0", RF_YES },
    { "", "min(n, m) <= n && max(n, m) >= m", RF_YES },
    { "n != 0", "n > 0 || n < 0", RF_YES },
    { "n == m || n == a", "min(m, a) <= n", RF_YES },
};

Test(loops, conditions)
{
    for (size_t i = 0; i < RF_COUNTOF(claims); i++) {
        world w = world_new(variables);
        facts(&w, claims[i].facts);
        const char *why;
        rf_answer a =
            rf_depend_holds(w.depend, value(&w, claims[i].claim), &why);
        cr_expect_eq(a, claims[i].holds, "%s => %s: %s (%s)", claims[i].facts,
                     claims[i].claim, answer_name(a), why ? why : "");
        world_free(&w);
    }
}

Test(loops, facts_are_forgotten)
{
    world w = world_new("int n");
    size_t mark = rf_depend_mark(w.depend);
    facts(&w, "n > 0");
    cr_expect_eq(rf_depend_holds(w.depend, value(&w, "n >= 1"), NULL), RF_YES);
    rf_depend_reset(w.depend, mark);
    cr_expect_eq(rf_depend_holds(w.depend, value(&w, "n >= 1"), NULL), RF_NO);
    world_free(&w);
}

Test(loops, invariants)
{
    world w = world_new("int n; float *x; unsigned u");
    const rf_loop *i = loop(&w, "int i = 0; i < n; i += 1");
    rf_depend *d = w.depend;
    cr_expect_eq(rf_loop_invariant(d, value(&w, "n * 4 + 1"), i), RF_YES);
    cr_expect_eq(rf_loop_invariant(d, value(&w, "i + n"), i), RF_NO);
    cr_expect_eq(rf_loop_invariant(d, value(&w, "i + n - i"), i), RF_YES);
    cr_expect_eq(rf_loop_invariant(d, value(&w, "i * n"), i), RF_MAYBE);
    cr_expect_eq(rf_loop_invariant(d, value(&w, "x[n]"), i), RF_YES);
    cr_expect_eq(rf_loop_invariant(d, value(&w, "x[i]"), i), RF_MAYBE);
    cr_expect_eq(rf_loop_invariant(d, value(&w, "?"), i), RF_MAYBE);
    world_free(&w);
}
