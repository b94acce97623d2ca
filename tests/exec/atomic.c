/* Atomic operations: the old value returned, the new one left in memory, for
 * every operation and type, in global and in shared memory. */
#include "reference.h"
#include "rows.h"

#include "support/array.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A type: name, letter, register, bits. */
typedef struct {
    const char *name, *reg;
    char letter, element; /* element: of floats, else 0 */
    int bits;
    bool is_signed;
} atom_type;

static const atom_type types[] = {
    { "u32", "r0", 'r', 0, 32, false },
    { "s32", "r0", 'r', 0, 32, true },
    { "b32", "r0", 'r', 0, 32, false },
    { "u64", "q0", 'q', 0, 64, false },
    { "s64", "q0", 'q', 0, 64, true },
    { "b64", "q0", 'q', 0, 64, false },
    { "b16", "h0", 'h', 0, 16, false },
    { "f32", "r0", 'F', 'F', 32, false },
    { "f64", "q0", 'D', 'D', 64, false },
    { "f16", "h0", 'H', 'H', 16, false },
    { "bf16", "h0", 'B', 'B', 16, false },
    { "f16x2", "r0", 'X', 'H', 32, false },
    { "bf16x2", "r0", 'Y', 'B', 32, false },
};

static const struct {
    const char *op, *types;
} operations[] = {
    { "add", "u32 s32 u64 f32 f64" },
    { "and", "b32 b64" },
    { "or", "b32 b64" },
    { "xor", "b32 b64" },
    { "exch", "b32 b64" },
    { "cas", "b16 b32 b64" },
    { "min", "u32 s32 u64 s64" },
    { "max", "u32 s32 u64 s64" },
    { "inc", "u32" },
    { "dec", "u32" },
    { "add.noftz", "f16 bf16 f16x2 bf16x2" },
};

typedef struct {
    const char *op;
    const atom_type *type;
} atom;

static bool less(const atom_type *t, uint64_t a, uint64_t b)
{
    int up = 64 - t->bits;
    return t->is_signed ? (int64_t)(a << up) < (int64_t)(b << up) : a < b;
}

static uint64_t float_sum(const atom *a, const uint64_t *s)
{
    ref_mode mode = ref_mode_of(".rn");
    char e = a->type->element;
    if (e == a->type->letter)
        return ref_op("add", e, mode, s);
    uint64_t low[3] = { s[0] & 0xffff, s[1] & 0xffff };
    uint64_t high[3] = { s[0] >> 16, s[1] >> 16 };
    return ref_op("add", e, mode, low) | ref_op("add", e, mode, high) << 16;
}

static uint64_t logic(const char *op, uint64_t a, uint64_t b)
{
    return !strcmp(op, "and") ? a & b : !strcmp(op, "or") ? a | b : a ^ b;
}

/* The value that the operation leaves; it is the result of the row. */
static uint64_t want_new(const void *data, const uint64_t *s)
{
    const atom *a = data;
    const char *op = a->op;
    if (!strncmp(op, "add", 3))
        return a->type->element ? float_sum(a, s) : s[0] + s[1];
    if (!strcmp(op, "exch"))
        return s[1];
    if (!strcmp(op, "cas"))
        return s[0] == s[1] ? s[2] : s[0];
    if (!strcmp(op, "min"))
        return less(a->type, s[1], s[0]) ? s[1] : s[0];
    if (!strcmp(op, "max"))
        return less(a->type, s[0], s[1]) ? s[1] : s[0];
    if (!strcmp(op, "inc"))
        return s[0] >= s[1] ? 0 : s[0] + 1;
    if (!strcmp(op, "dec"))
        return !s[0] || s[0] > s[1] ? s[1] : s[0] - 1;
    return logic(op, s[0], s[1]);
}

static bool agree_new(const void *data, const uint64_t *s, uint64_t got,
                      uint64_t want)
{
    const atom *a = data;
    char e = a->type->element;
    (void)s;
    if (!e)
        return got == want;
    if (e == a->type->letter)
        return ref_same(e, got, want);
    return ref_same(e, got & 0xffff, want & 0xffff) &&
           ref_same(e, got >> 16, want >> 16);
}

/* The cell is the thread's own; a wrong old value spoils the result. cas
 * compares with b, made equal to a in every other thread. */
static bool run_atom(const char *op, const atom_type *t, const char *space,
                     const char *order)
{
    atom data = { op, t };
    char ptx[600], letters[5] = { t->letter, t->letter, t->letter, 0, 0 };
    bool cas = !strcmp(op, "cas"), shared = !strcmp(space, ".shared");
    if (cas)
        letters[3] = t->letter;
    snprintf(ptx, sizeof ptx,
             "%s st%s.b%d [%s], a; atom%s%s.%s.%s %s, [%s], b%s;"
             " ld%s.b%d d, [%s]; setp.ne.b%d p0, %s, a; @p0 not.b%d d, d; %s",
             shared ? "{ .shared .align 8 .b64 m[512]; mov.u32 r8, %tid.x;"
                      " shl.b32 r8, r8, 3; mov.u32 r9, m;"
                      " add.u32 r8, r8, r9;"
                    : "",
             space, t->bits, shared ? "r8" : "to", order, space, op, t->name,
             t->reg, shared ? "r8" : "to", cas ? ", c" : "", space, t->bits,
             shared ? "r8" : "to", t->bits, t->reg, t->bits, shared ? "}" : "");
    row r = { ptx, letters, want_new, agree_new, &data };
    return row_run(&r);
}

static const atom_type *type_named(const char *name)
{
    size_t i = 0;
    while (strcmp(types[i].name, name))
        i++;
    return &types[i];
}

static int run_all(const char *space, const char *order)
{
    int failed = 0;
    for (size_t i = 0; i < RF_COUNTOF(operations); i++) {
        char list[80], *rest = list;
        snprintf(list, sizeof list, "%s", operations[i].types);
        for (char *name; (name = strsep(&rest, " "));)
            failed +=
                !run_atom(operations[i].op, type_named(name), space, order);
    }
    return failed;
}

Test(atomic, global)
{
    cr_assert_eq(run_all(".global", ""), 0);
}

Test(atomic, shared)
{
    cr_assert_eq(run_all(".shared", ""), 0);
}

Test(atomic, generic_with_order_and_scope)
{
    cr_assert_eq(run_all("", ".acq_rel.gpu"), 0);
}

/* ---- many threads on one cell ---- */

typedef struct {
    const char *ptx;
    uint64_t want;
} contended;

/* Every thread works on the cell "m" and reads it after a barrier. */
static const contended cells[] = {
    { "atom.shared.add.u32 r0, [m], 3;", 3 * ROW_THREADS },
    { "red.shared.add.u32 [m], 2;", 2 * ROW_THREADS },
    { "mov.u32 r1, %tid.x; red.shared.max.u32 [m], r1;", ROW_THREADS - 1 },
    { "mov.u32 r1, %tid.x; red.shared.or.b32 [m], r1;", ROW_THREADS - 1 },
    { "atom.shared.inc.u32 r0, [m], 99;", ROW_THREADS % 100 },
    { "red.relaxed.cta.shared.add.s32 [m], -1;", (uint32_t)-ROW_THREADS },
    { "red.shared.add.f32 [m], 0f3F800000;", 0x44000000 },
};

static uint64_t want_cell(const void *data, const uint64_t *s)
{
    (void)s;
    return ((const contended *)data)->want;
}

Test(atomic, contended)
{
    int failed = 0;
    for (size_t i = 0; i < RF_COUNTOF(cells); i++) {
        char ptx[400];
        snprintf(ptx, sizeof ptx,
                 "{ .shared .align 4 .b32 m; mov.u32 r2, %%tid.x;"
                 " setp.eq.u32 p0, r2, 0; @p0 st.shared.b32 [m], 0;"
                 " bar.sync 0; %s bar.sync 0; ld.shared.b32 d, [m]; }",
                 cells[i].ptx);
        row r = { ptx, "r", want_cell, NULL, &cells[i] };
        failed += !row_run(&r);
    }
    cr_assert_eq(failed, 0);
}

/* Vector reductions of sm_90, two threads' worth of cells each. */
static const contended vectors[] = {
    { "st.global.b64 [to], 0;"
      " red.global.add.v2.f32 [to], {0f3F800000, 0f40000000};"
      " ld.global.b64 d, [to];",
      0x400000003f800000 },
    { "st.global.b64 [to], 0;"
      " red.global.add.noftz.v4.f16 [to], {h0, h1, h0, h1};"
      " ld.global.b64 d, [to];",
      0x40003c0040003c00 },
};

Test(atomic, vectors)
{
    int failed = 0;
    for (size_t i = 0; i < RF_COUNTOF(vectors); i++) {
        char ptx[400];
        snprintf(ptx, sizeof ptx, "mov.b16 h0, 0x3c00; mov.b16 h1, 0x4000; %s",
                 vectors[i].ptx);
        row r = { ptx, "q", want_cell, NULL, &vectors[i] };
        failed += !row_run(&r);
    }
    cr_assert_eq(failed, 0);
}
