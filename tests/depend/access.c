/* Elements that accesses share (T-D2, T-D3, T-D4). */
#include "build.h"

#include <criterion/criterion.h>
#include <string.h>

static const char variables[] =
    "int n; int m; int r; int s; int D; int C; int H; int w; unsigned u; "
    "unsigned v; size_t z; float *x; int *p; float **rows; local float t[4][8]";

static const struct {
    const char *facts, *loops_a, *a, *loops_b, *b;
    rf_index_relation relation;
} table[] = {
    /* rows */
    { "", "int i = 0; i < n; i += 1", "x[i]", "int j = 0; j < n; j += 1",
      "x[j]", RF_INDEX_SAME },
    { "", "int i = 0; i < n; i += 1", "x[r * n + i]",
      "int j = 0; j < n; j += 1", "x[n * r + j]", RF_INDEX_SAME },
    { "", "int i = 0; i < n; i += 1", "x[(size_t)r * n + i]",
      "int j = 0; j < n; j += 1", "x[(size_t)r * n + j]", RF_INDEX_SAME },
    { "", "int i = 0; i < n; i += 1", "(x + r * n)[i]",
      "int j = 0; j < n; j += 1", "x[r * n + j]", RF_INDEX_SAME },
    { "", "int i = 0; i < n; i += 1", "x[i]", "int j = 0; j < n; j += 1",
      "x[j + 1]", RF_INDEX_MAYBE },
    { "", "int i = 0; i < n; i += 1", "x[i]", "int j = 0; j < n; j += 1",
      "x[n + j]", RF_INDEX_NEVER },
    { "", "int i = 0; i < n; i += 1", "x[i]", "", "x[n]", RF_INDEX_NEVER },
    { "", "int i = 0; i < n; i += 1", "x[2 * i]", "int j = 0; j < n; j += 1",
      "x[2 * j + 1]", RF_INDEX_NEVER },
    { "", "int i = 0; i < n; i += 1", "x[2 * i + 1]",
      "int j = 0; j < n; j += 1", "x[j * 2 + 1]", RF_INDEX_SAME },
    { "", "int i = n - 1; i >= 0; i -= 1", "x[i]", "int j = 0; j < n; j += 1",
      "x[j]", RF_INDEX_SAME },
    { "", "int i = 0; i < n; i += 1", "x[r]", "int j = 0; j < n; j += 1",
      "x[r]", RF_INDEX_ALWAYS },
    { "", "", "x[r]", "", "x[r + 1]", RF_INDEX_NEVER },
    { "", "", "x[r]", "", "x[s]", RF_INDEX_MAYBE },
    { "r != s", "", "x[r]", "", "x[s]", RF_INDEX_NEVER },
    /* strides and guards */
    { "", "int i = threadIdx.x; i < n; i += blockDim.x", "x[i]",
      "int j = threadIdx.x; j < n; j += blockDim.x", "x[j]", RF_INDEX_SAME },
    { "", "int i = 0; i < n; i += 4", "x[i]", "int j = 0; j < n; j += 4",
      "x[j + 3]", RF_INDEX_NEVER },
    { "", "int i = 0; i < n; i += 1 | if i < w", "x[i]",
      "int j = 0; j < n; j += 1 | if j >= w", "x[j]", RF_INDEX_NEVER },
    { "", "int i = 0; i <= r; i += 1", "x[i]", "int j = r + 1; j < n; j += 1",
      "x[j]", RF_INDEX_NEVER },
    { "", "int i = max(0, r - w); i <= r; i += 1", "x[i]",
      "int j = max(0, r - w); j <= r; j += 1", "x[j]", RF_INDEX_SAME },
    /* two loops */
    { "", "int i = 0; i < n; i += 1 | int d = 0; d < 8; d += 1", "x[i * 8 + d]",
      "int j = 0; j < n; j += 1 | int e = 0; e < 8; e += 1", "x[j * 8 + e]",
      RF_INDEX_SAME },
    { "", "int i = 0; i < n; i += 1 | int d = 0; d < 9; d += 1", "x[i * 8 + d]",
      "int j = 0; j < n; j += 1 | int e = 0; e < 8; e += 1", "x[j * 8 + e]",
      RF_INDEX_MAYBE },
    { "", "int i = 0; i < n; i += 1 | int d = 0; d < D; d += 1", "x[i * D + d]",
      "int j = 0; j < n; j += 1 | int e = 0; e < D; e += 1", "x[j * D + e]",
      RF_INDEX_SAME },
    { "", "int i = 0; i < n; i += 1 | int d = 0; d < C; d += 1", "x[i * D + d]",
      "int j = 0; j < n; j += 1 | int e = 0; e < C; e += 1", "x[j * D + e]",
      RF_INDEX_MAYBE },
    { "C <= D", "int i = 0; i < n; i += 1 | int d = 0; d < C; d += 1",
      "x[i * D + d]", "int j = 0; j < n; j += 1 | int e = 0; e < C; e += 1",
      "x[j * D + e]", RF_INDEX_SAME },
    { "", "int i = 0; i < n; i += 1 | int d = 0; d < D; d += 1",
      "x[(i + 1) * D + d]",
      "int j = 0; j < n; j += 1 | int e = 0; e < D; e += 1", "x[j * D + e + D]",
      RF_INDEX_SAME },
    { "r >= 0; r < n", "int d = 0; d < D; d += 1", "x[r * D + d]",
      "int e = 0; e < D; e += 1", "x[(r + 1) * D + e]", RF_INDEX_NEVER },
    { "",
      "int h = 0; h < H; h += 1 | int i = 0; i < n; i += 1 | "
      "int d = 0; d < D; d += 1",
      "x[((r * H + h) * n + i) * D + d]",
      "int g = 0; g < H; g += 1 | int j = 0; j < n; j += 1 | "
      "int e = 0; e < D; e += 1",
      "x[((r * H + g) * n + j) * D + e]", RF_INDEX_SAME },
    { "", "int i = 0; i < n; i += 1", "x[i * 2 * D + 1]",
      "int j = 0; j < n; j += 1", "x[j * 2 * D]", RF_INDEX_NEVER },
    { "D > 0", "int i = 0; i < n; i += 1 | int d = 0; d < 2 * D; d += 1",
      "x[i * 2 * D + d]",
      "int j = 0; j < n; j += 1 | int e = 0; e < 2 * D; e += 1",
      "x[j * 2 * D + e]", RF_INDEX_SAME },
    /* elements at a stride */
    { "", "int i = 0; i < n; i += 1", "x[r + i * s]",
      "int j = 0; j < n; j += 1", "x[r + j * s]", RF_INDEX_MAYBE },
    { "s > 0", "int i = 0; i < n; i += 1", "x[r + i * s]",
      "int j = 0; j < n; j += 1", "x[r + j * s]", RF_INDEX_SAME },
    { "r >= 0; r < m * s", "int i = 0; i < n; i += 1", "x[r + i * s]",
      "int j = 0; j < n; j += 1", "x[r + j * s]", RF_INDEX_SAME },
    { "", "int i = 0; i < n; i += 1", "x[i * blockDim.x + threadIdx.x]",
      "int j = 0; j < n; j += 1", "x[j * blockDim.x + threadIdx.x]",
      RF_INDEX_MAYBE }, /* wraps after 2^32 / blockDim.x rows */
    { "", "int i = 0; i < n; i += 1", "x[i * (int)blockDim.x + r]",
      "int j = 0; j < n; j += 1", "x[j * (int)blockDim.x + r]", RF_INDEX_SAME },
    /* unsigned indices wrap, but not onto each other */
    { "", "unsigned i = 0; i < u; i += 1", "x[v * 7u + i]",
      "unsigned j = 0; j < u; j += 1", "x[v * 7u + j]", RF_INDEX_SAME },
    { "", "unsigned i = 0; i < u; i += 1", "x[2 * i]",
      "unsigned j = 0; j < u; j += 1", "x[2 * j]", RF_INDEX_MAYBE },
    { "u < 1000", "unsigned i = 0; i < u; i += 1", "x[2 * i]",
      "unsigned j = 0; j < u; j += 1", "x[2 * j]", RF_INDEX_SAME },
    { "", "unsigned i = 0; i < u; i += 4", "x[i]",
      "unsigned j = 0; j < u; j += 4", "x[j]", RF_INDEX_MAYBE },
    { "u <= 4000000000", "unsigned i = 0; i < u; i += 4", "x[i]",
      "unsigned j = 0; j < u; j += 4", "x[j]", RF_INDEX_SAME },
    { "", "unsigned i = 0; i < u; i += 1", "x[i]",
      "unsigned j = 0; j < u; j += 1", "x[j + u]", RF_INDEX_MAYBE },
    /* indirection */
    { "", "int i = 0; i < n; i += 1", "x[p[i]]", "int j = 0; j < n; j += 1",
      "x[p[j]]", RF_INDEX_MAYBE },
    { "", "int i = 0; i < n; i += 1", "rows[r][i]", "int j = 0; j < n; j += 1",
      "rows[r][j]", RF_INDEX_SAME },
    { "", "int i = 0; i < n; i += 1", "rows[i][0]", "int j = 0; j < n; j += 1",
      "rows[j][0]", RF_INDEX_MAYBE },
    { "", "int i = 0; i < 4; i += 1 | int d = 0; d < 8; d += 1", "t[i][d]",
      "int j = 0; j < 4; j += 1 | int e = 0; e < 8; e += 1", "t[j][e]",
      RF_INDEX_SAME },
    { "", "int i = 0; i < 4; i += 1", "t[i][0]", "int j = 0; j < 4; j += 1",
      "t[j][7]", RF_INDEX_NEVER },
    { "", "int i = 0; i < n; i += 1", "x[i]", "int j = 0; j < n; j += 1",
      "((int *)x)[j]", RF_INDEX_MAYBE },
    /* quotients */
    { "", "int i = 0; i < n; i += 1", "x[i / 4]", "int j = 0; j < n; j += 1",
      "x[j / 4]", RF_INDEX_MAYBE },
    { "", "int i = 0; i < n; i += 4", "x[i / 4]", "int j = 0; j < n; j += 4",
      "x[j / 4]", RF_INDEX_SAME },
    { "", "int i = 0; i < n; i += 1", "x[i % 8]", "int j = 0; j < n; j += 1",
      "x[j % 8 + 8]", RF_INDEX_NEVER },
};

static const char *relation_name(rf_index_relation r)
{
    static const char *const names[] = { "never", "same", "always", "maybe" };
    return names[r];
}

Test(access, compared)
{
    for (size_t i = 0; i < RF_COUNTOF(table); i++) {
        world w = world_new(variables);
        facts(&w, table[i].facts);
        rf_access a = access_of(&w, table[i].loops_a, table[i].a);
        rf_access b = access_of(&w, table[i].loops_b, table[i].b);
        const char *why;
        rf_index_relation r = rf_access_compare(w.depend, &a, &b, &why);
        cr_expect_eq(r, table[i].relation, "[%s] %s | %s: %s (%s)",
                     table[i].facts, table[i].a, table[i].b, relation_name(r),
                     why ? why : "");
        world_free(&w);
    }
}

static const struct {
    const char *facts, *loops, *access;
    rf_answer injective;
} unique[] = {
    { "", "int i = 0; i < n; i += 1", "x[i]", RF_YES },
    { "", "int i = 0; i < n; i += 1", "x[r]", RF_NO },
    { "n <= 1", "int i = 0; i < n; i += 1", "x[r]", RF_YES },
    { "", "int i = 0; i < n; i += 1", "x[i / 2]", RF_NO },
    { "", "int i = 0; i < n; i += 1", "x[i * s]", RF_MAYBE },
    { "", "int i = 0; i < n; i += 1", "x[p[i]]", RF_MAYBE },
    { "", "int i = 0; i < n; i += 1 | int d = 0; d < D; d += 1", "x[i * D + d]",
      RF_YES },
    { "", "int i = 0; i < n; i += 1 | int d = 0; d < D; d += 1", "x[i * C + d]",
      RF_MAYBE },
    { "", "int i = 0; i < n; i += 1 | int d = 0; d < D; d += 1", "x[i + d]",
      RF_NO },
    { "", "int i = 0; i < n; i += 1 | int d = 0; d < D; d += 1", "x[i + d * n]",
      RF_YES },
    { "", "int i = 0; i < n; i += 1 | int d = 0; d <= i; d += 1",
      "x[i * n + d]", RF_YES },
    { "", "unsigned i = threadIdx.x; i < u; i += blockDim.x", "x[i]",
      RF_MAYBE },
    { "u <= 4000000000", "unsigned i = threadIdx.x; i < u; i += blockDim.x",
      "x[i]", RF_YES },
    { "", "size_t i = threadIdx.x; i < z; i += blockDim.x", "x[i]", RF_YES },
    { "", "int i = 0; i < n; i += 1", "x[min(i, 9)]", RF_NO },
    { "", "", "x[r]", RF_YES },
};

Test(access, injective)
{
    for (size_t i = 0; i < RF_COUNTOF(unique); i++) {
        world w = world_new(variables);
        facts(&w, unique[i].facts);
        rf_access a = access_of(&w, unique[i].loops, unique[i].access);
        const char *why;
        rf_answer r = rf_access_injective(w.depend, &a, &why);
        cr_expect_eq(r, unique[i].injective, "[%s] %s: %d (%s)",
                     unique[i].facts, unique[i].access, r, why ? why : "");
        world_free(&w);
    }
}

static const struct {
    const char *facts, *loops_a, *store, *loops_b, *load;
    rf_answer covers;
} covered[] = {
    { "", "int i = 0; i < n; i += 1", "x[i]", "int j = 0; j < n; j += 1",
      "x[j]", RF_YES },
    { "", "int i = 1; i < n; i += 1", "x[i]", "int j = 0; j < n; j += 1",
      "x[j]", RF_NO },
    { "", "int i = 0; i < n; i += 1", "x[i]", "int j = 1; j < n; j += 1",
      "x[j]", RF_YES },
    { "", "int i = 0; i < n; i += 1", "x[i]", "int j = n - 1; j >= 0; j -= 1",
      "x[j]", RF_YES },
    { "", "int i = 0; i < n; i += 1", "x[i]", "", "x[0]", RF_NO },
    { "n > 0", "int i = 0; i < n; i += 1", "x[i]", "", "x[0]", RF_YES },
    { "", "int i = 0; i < n; i += 2", "x[i]", "int j = 0; j < n; j += 1",
      "x[j]", RF_NO },
    { "", "int i = 0; i < n; i += 1", "x[i]", "int j = 0; j < n; j += 2",
      "x[j]", RF_YES },
    { "", "int i = 0; i < n; i += 1 | if i <= r", "x[i]",
      "int j = 0; j < n; j += 1", "x[j]", RF_NO },
    { "", "int i = 0; i < n; i += 1 | if i <= r", "x[i]",
      "int j = 0; j < n; j += 1 | if j < r", "x[j]", RF_YES },
    { "", "int i = 0; i < n; i += 1", "x[i + 1]", "int j = 0; j < n; j += 1",
      "x[j]", RF_NO },
    { "", "int i = 0; i < n; i += 1 | int d = 0; d < D; d += 1", "x[i * D + d]",
      "int j = 0; j < n; j += 1 | int e = 0; e < D; e += 1", "x[j * D + e]",
      RF_YES },
    { "", "int i = 0; i < n; i += 1 | int d = 0; d <= i; d += 1",
      "x[i * n + d]", "int j = 0; j < n; j += 1 | int e = 0; e <= j; e += 1",
      "x[j * n + e]", RF_YES },
    { "", "int i = 0; i < n; i += 1 | int d = 0; d <= i; d += 1",
      "x[i * n + d]", "int j = 0; j < n; j += 1 | int e = 0; e < n; e += 1",
      "x[j * n + e]", RF_NO },
    { "", "int i = 0; i < 4; i += 1 | int d = 0; d < 8; d += 1", "x[i * 8 + d]",
      "int j = 0; j < 32; j += 1", "x[j]", RF_YES },
    { "", "int i = threadIdx.x; i < n; i += blockDim.x", "x[i]",
      "int j = 0; j < n; j += 1", "x[j]", RF_MAYBE },
    { "", "int i = 0; i < n; i += 1", "x[p[i]]", "int j = 0; j < n; j += 1",
      "x[j]", RF_MAYBE },
    { "", "int i = 0; i < n; i += 1", "x[0]", "int j = 0; j < n; j += 1",
      "x[0]", RF_YES },
    { "", "int i = 0; i < n; i += 1", "x[0]", "", "x[0]", RF_NO },
};

Test(access, covered)
{
    for (size_t i = 0; i < RF_COUNTOF(covered); i++) {
        world w = world_new(variables);
        facts(&w, covered[i].facts);
        rf_access a = access_of(&w, covered[i].loops_a, covered[i].store);
        rf_access b = access_of(&w, covered[i].loops_b, covered[i].load);
        const char *why;
        rf_answer r = rf_access_covers(w.depend, &a, &b, &why);
        cr_expect_eq(r, covered[i].covers, "[%s] %s (%s) | %s (%s): %d (%s)",
                     covered[i].facts, covered[i].store, covered[i].loops_a,
                     covered[i].load, covered[i].loops_b, r, why ? why : "");
        world_free(&w);
    }
}

/* The same loop on both sides, whose step is a parameter. */
Test(access, one_strided_loop_covers_itself)
{
    world w = world_new(variables);
    rf_access a =
        access_of(&w, "int i = threadIdx.x; i < n; i += blockDim.x", "x[p[i]]");
    rf_access b = a;
    cr_expect_eq(rf_access_covers(w.depend, &a, &b, NULL), RF_YES);
    a.nest.guard = value(&w, "n > 4");
    cr_expect_neq(rf_access_covers(w.depend, &a, &b, NULL), RF_YES);
    world_free(&w);
}

Test(access, the_author_vouches_for_no_wrap)
{
    world w = world_new(variables);
    rf_depend_assume_no_wrap(w.depend);
    rf_access a = access_of(&w, "int i = 0; i < n; i += 1",
                            "x[i * blockDim.x + threadIdx.x]");
    rf_access b = access_of(&w, "unsigned i = 0; i < u; i += 4", "x[i]");
    cr_expect_eq(rf_access_injective(w.depend, &a, NULL), RF_YES);
    cr_expect_eq(rf_access_injective(w.depend, &b, NULL), RF_YES);
    world_free(&w);
}

Test(access, witnesses)
{
    world w = world_new(variables);
    const char *why = NULL;
    rf_access a = access_of(&w, "int i = 0; i < n; i += 1", "x[i]");
    rf_access b = access_of(&w, "int j = 0; j < n; j += 1", "x[j + 1]");
    rf_access_compare(w.depend, &a, &b, &why);
    cr_expect_str_eq(why ? why : "", "i = 1, n = 2, j' = 0");
    world_free(&w);
}

static const struct {
    const char *a, *b;
    rf_answer overlap, noalias;
} pairs[] = {
    { "x", "x", RF_YES, RF_YES },
    { "x", "y", RF_MAYBE, RF_NO },
    { "x", "r", RF_NO, RF_NO },
    { "x", "t", RF_NO, RF_NO },
    { "x", "sh", RF_NO, RF_NO },
    { "t", "sh", RF_NO, RF_NO },
    { "dyn", "dyn2", RF_YES, RF_YES },
    { "dyn", "sh", RF_NO, RF_NO },
    { "x", "g", RF_MAYBE, RF_NO },
    { "g", "g2", RF_NO, RF_NO },
    { "x", "c", RF_NO, RF_NO },
    { "x", "q", RF_MAYBE, RF_NO },
    { "x", "rows[n]", RF_MAYBE, RF_MAYBE },
    { "x + n", "x", RF_YES, RF_YES },
    { "(int *)(x + n) + 1", "x", RF_YES, RF_YES },
    { "t[n]", "t", RF_YES, RF_YES },
};

Test(access, overlap_of_bases)
{
    world w = world_new(
        "int n; float *x; float *y; restrict float *r; float **rows; "
        "local float t[4][8]; shared float sh[8]; shared float dyn[]; "
        "shared int dyn2[]; global float g[8]; global float g2[8]; "
        "constant float c[8]; local float *q");
    for (size_t i = 0; i < RF_COUNTOF(pairs); i++) {
        const rf_val *a = rf_base_root(value(&w, pairs[i].a));
        const rf_val *b = rf_base_root(value(&w, pairs[i].b));
        cr_expect_eq(rf_base_overlap(a, b, false), pairs[i].overlap, "%s %s",
                     pairs[i].a, pairs[i].b);
        cr_expect_eq(rf_base_overlap(b, a, true), pairs[i].noalias, "%s %s",
                     pairs[i].a, pairs[i].b);
    }
    world_free(&w);
}
