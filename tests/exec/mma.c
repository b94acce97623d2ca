/* mma.sync: every shape and type against a plain product. The fragments are
 * filled from a table of the places that the PTX manual gives for each
 * register, so that the rule in lib/exec/mma.h is checked, not repeated. */
#include "elements.h"
#include "rows.h"

#include "support/array.h"
#include "support/buf.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_REGS = 8, LANES = 32, MAX_M = 16, MAX_N = 8, MAX_K = 256 };

/* Where the first element of a register lies for lane 0, in rows and columns:
 * lane l adds l/4 to the row and l%4 registers to the column (the k). */
typedef struct {
    int row, col;
} place;

typedef struct {
    const char *shape, *modifiers; /* after the shape, before the types */
    int m, n, k;
    const char *d, *a, *b, *c;
    int a_regs, b_regs;
    place a_place[MAX_REGS], b_place[MAX_REGS]; /* b: row n, column k */
} product;

/* clang-format off */
#define K8   { { 0, 0 }, { 8, 0 } }
#define B1   { { 0, 0 } }
#define QUAD(w) { { 0, 0 }, { 8, 0 }, { 0, w }, { 8, w } }
#define PAIR(w) { { 0, 0 }, { 0, w } }
#define ROW16(shape, k, d, a, b, c, w)                                         \
    { shape, ".row.col", 16, 8, k, d, a, b, c, 4, 2, QUAD(w), PAIR(w) }
#define ROW8(shape, k, d, a, b, c)                                             \
    { shape, ".row.col", 16, 8, k, d, a, b, c, 2, 1, K8, B1 }
#define SQUARE(shape, mods, k, d, a, b, c)                                     \
    { shape, mods, 8, 8, k, d, a, b, c, 1, 1, B1, B1 }

static const product products[] = {
    ROW16("m16n8k16", 16, "f32", "f16", "f16", "f32", 8),
    ROW16("m16n8k16", 16, "f16", "f16", "f16", "f16", 8),
    ROW16("m16n8k16", 16, "f32", "bf16", "bf16", "f32", 8),
    ROW8("m16n8k8", 8, "f32", "f16", "f16", "f32"),
    ROW8("m16n8k8", 8, "f16", "f16", "f16", "f16"),
    ROW8("m16n8k8", 8, "f32", "bf16", "bf16", "f32"),
    ROW8("m16n8k4", 4, "f32", "tf32", "tf32", "f32"),
    ROW16("m16n8k8", 8, "f32", "tf32", "tf32", "f32", 4),
    ROW16("m16n8k32", 32, "f32", "e4m3", "e4m3", "f32", 16),
    ROW16("m16n8k32", 32, "f32", "e5m2", "e4m3", "f32", 16),
    ROW16("m16n8k32", 32, "f32", "e5m2", "e5m2", "f32", 16),
    ROW16("m16n8k32", 32, "f16", "e4m3", "e4m3", "f16", 16),
    ROW8("m16n8k16", 16, "f32", "e4m3", "e5m2", "f32"),
    ROW8("m16n8k16", 16, "s32", "s8", "s8", "s32"),
    ROW8("m16n8k16", 16, "s32", "u8", "s8", "s32"),
    ROW16("m16n8k32", 32, "s32", "s8", "s8", "s32", 16),
    ROW16("m16n8k32", 32, "s32", "s8", "u8", "s32", 16),
    ROW16("m16n8k32", 32, "s32", "u8", "u8", "s32", 16),
    ROW8("m16n8k32", 32, "s32", "s4", "s4", "s32"),
    ROW16("m16n8k64", 64, "s32", "s4", "u4", "s32", 32),
    SQUARE("m8n8k16", ".row.col", 16, "s32", "s8", "s8", "s32"),
    SQUARE("m8n8k16", ".row.col", 16, "s32", "u8", "u8", "s32"),
    SQUARE("m8n8k32", ".row.col", 32, "s32", "s4", "s4", "s32"),
    SQUARE("m8n8k4", ".row.col", 4, "f64", "f64", "f64", "f64"),
    { "m16n8k4", ".row.col", 16, 8, 4, "f64", "f64", "f64", "f64", 2, 1,
      K8, B1 },
    { "m16n8k8", ".row.col", 16, 8, 8, "f64", "f64", "f64", "f64", 4, 2,
      QUAD(4), PAIR(4) },
    { "m16n8k16", ".row.col", 16, 8, 16, "f64", "f64", "f64", "f64", 8, 4,
      { { 0, 0 }, { 8, 0 }, { 0, 4 }, { 8, 4 },
        { 0, 8 }, { 8, 8 }, { 0, 12 }, { 8, 12 } },
      { { 0, 0 }, { 0, 4 }, { 0, 8 }, { 0, 12 } } },
    { "m16n8k256", ".row.col", 16, 8, 256, "s32", "b1", "b1", "s32", 4, 2,
      QUAD(128), PAIR(128) },
};
/* clang-format on */

/* The operands as matrices and as the kernel's input: for each lane the
 * registers of A, B and C, 8 bytes each. */
typedef struct {
    int a[MAX_M][MAX_K], b[MAX_N][MAX_K], c[MAX_M][MAX_N];
    uint64_t in[LANES][3 * MAX_REGS];
} operands;

static void fill_matrices(const product *p, operands *o)
{
    for (int k = 0; k < p->k; k++) {
        for (int i = 0; i < p->m; i++)
            o->a[i][k] = element_value(p->a, 1 + i * p->k + k);
        for (int j = 0; j < p->n; j++)
            o->b[j][k] = element_value(p->b, 7777 + j * p->k + k);
    }
    for (int i = 0; i < p->m; i++)
        for (int j = 0; j < p->n; j++)
            o->c[i][j] = element_value("s32", 99999 + i * p->n + j);
}

static uint64_t pack(const char *type, const int *values, int col)
{
    int bits = element_bits(type), per = bits < 32 ? 32 / bits : 1;
    uint64_t reg = 0;
    for (int i = 0; i < per; i++)
        reg |= element_encode(type, values[col + i]) << (i * bits);
    return reg;
}

static int per_register(const char *type)
{
    int bits = element_bits(type);
    return bits < 32 ? 32 / bits : 1;
}

/* Row and column of accumulator "i" of a lane. */
static place accumulator(int lane, int i)
{
    return (place){ lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2 };
}

static int accumulators(const product *p)
{
    return p->m * p->n / LANES;
}

static void fill_lane(const product *p, operands *o, int lane)
{
    int group = lane / 4, thread = lane % 4;
    uint64_t *in = o->in[lane];
    for (int r = 0; r < p->a_regs; r++)
        in[r] = pack(p->a, o->a[p->a_place[r].row + group],
                     p->a_place[r].col + thread * per_register(p->a));
    for (int r = 0; r < p->b_regs; r++)
        in[MAX_REGS + r] =
            pack(p->b, o->b[p->b_place[r].row + group],
                 p->b_place[r].col + thread * per_register(p->b));
    int per = per_register(p->c);
    for (int i = 0; i < accumulators(p); i++) {
        place at = accumulator(lane, i);
        in[2 * MAX_REGS + i / per] |= element_encode(p->c, o->c[at.row][at.col])
                                      << (i % per * element_bits(p->c));
    }
}

static void add_registers(rf_buf *text, char name, int n)
{
    rf_buf_puts(text, name == 'd' ? " {" : ", {");
    for (int i = 0; i < n; i++)
        rf_buf_printf(text, "%s%c%d", i ? "," : "", name, i);
    rf_buf_puts(text, "}");
}

static void add_loads(rf_buf *text, char name, int bits, int n, int at)
{
    rf_buf_printf(text, ".reg .b%d %c<%d>;\n", bits, name, n + 1);
    for (int i = 0; i < n; i++)
        rf_buf_printf(text, "ld.global.b%d %c%d, [from+%d];\n", bits, name, i,
                      (at + i) * 8);
}

static int register_bits(const char *type)
{
    return element_bits(type) == 64 ? 64 : 32;
}

static rf_buf product_kernel(const product *p)
{
    rf_buf t = { 0 };
    int n_d = accumulators(p) / per_register(p->d);
    int n_c = accumulators(p) / per_register(p->c);
    rf_buf_puts(&t, ".version 8.8\n.target sm_90a\n.address_size 64\n"
                    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
                    ".reg .b32 t; .reg .b64 from, to;\n"
                    "ld.param.u64 from, [in];\nld.param.u64 to, [out];\n"
                    "mov.u32 t, %tid.x;\n"
                    "mad.wide.u32 from, t, 192, from;\n"
                    "mad.wide.u32 to, t, 64, to;\n");
    add_loads(&t, 'a', register_bits(p->a), p->a_regs, 0);
    add_loads(&t, 'b', register_bits(p->b), p->b_regs, MAX_REGS);
    add_loads(&t, 'c', register_bits(p->c), n_c, 2 * MAX_REGS);
    rf_buf_printf(&t, ".reg .b%d d<%d>;\n", register_bits(p->d), n_d + 1);
    rf_buf_printf(&t, "mma.sync.aligned.%s%s.%s.%s.%s.%s%s", p->shape,
                  p->modifiers, p->d, p->a, p->b, p->c,
                  strcmp(p->a, "b1") ? "" : ".and.popc");
    add_registers(&t, 'd', n_d);
    add_registers(&t, 'a', p->a_regs);
    add_registers(&t, 'b', p->b_regs);
    add_registers(&t, 'c', n_c);
    rf_buf_puts(&t, ";\n");
    for (int i = 0; i < n_d; i++)
        rf_buf_printf(&t, "st.global.b%d [to+%d], d%d;\n", register_bits(p->d),
                      i * 8, i);
    rf_buf_puts(&t, "ret;\n}\n");
    return t;
}

static bool check_lane(const product *p, const operands *o, int lane,
                       const uint64_t *out)
{
    int per = per_register(p->d), bits = element_bits(p->d);
    for (int i = 0; i < accumulators(p); i++) {
        place at = accumulator(lane, i);
        int sum = o->c[at.row][at.col];
        for (int k = 0; k < p->k; k++)
            sum += o->a[at.row][k] * o->b[at.col][k];
        uint64_t got = out[i / per] >> (i % per * bits);
        if (bits < 64)
            got &= (1ull << bits) - 1;
        if (got == element_encode(p->d, sum))
            continue;
        fprintf(stderr,
                "mma %s %s %s: lane %d element %d: got %" PRIx64 ", want %d\n",
                p->shape, p->a, p->d, lane, i, got, sum);
        return false;
    }
    return true;
}

static bool run_product(const product *p)
{
    operands *o = calloc(1, sizeof *o);
    uint64_t out[LANES][MAX_REGS] = { 0 };
    fill_matrices(p, o);
    for (int lane = 0; lane < LANES; lane++)
        fill_lane(p, o, lane);
    rf_buf text = product_kernel(p);
    bool ok =
        kernel_run(text.data, LANES, o->in, sizeof o->in, out, sizeof out);
    for (int lane = 0; ok && lane < LANES; lane++)
        ok = check_lane(p, o, lane, out[lane]);
    rf_buf_free(&text);
    free(o);
    return ok;
}

/* mma.m8n8k4 on f16 is four products at once; lane "l" belongs to product
 * l / 4 mod 4 and holds half l / 16. The places are those of the manual. */
enum { QUADS = 4, SIDE = 8, DEPTH = 4 };

typedef struct {
    int a[QUADS][SIDE][DEPTH], b[QUADS][DEPTH][SIDE], c[QUADS][SIDE][SIDE];
} quads;

static place quad_a(int lane, int i, bool by_rows)
{
    int half = lane < 16 ? 0 : 4;
    return by_rows ? (place){ lane % 4 + half, i }
                   : (place){ i % 4 + half, lane % 4 };
}

static place quad_b(int lane, int i, bool by_rows)
{
    int half = lane < 16 ? 0 : 4;
    return by_rows ? (place){ lane % 4, i + half }
                   : (place){ i, lane % 4 + half };
}

static place quad_c(int lane, int i, bool narrow)
{
    int half = lane < 16 ? 0 : 4;
    if (narrow)
        return (place){ lane % 4 + half, i };
    return (place){ (lane & 1) + (i & 2) + half, (i & 4) + (lane & 2) + i % 2 };
}

static void fill_quads(quads *m)
{
    for (int q = 0; q < QUADS; q++)
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                m->a[q][i][j % DEPTH] = (q * 7 + i * 3 + j % DEPTH) % 11 - 5;
                m->b[q][j % DEPTH][i] =
                    (q * 5 + i * 2 + j % DEPTH * 3) % 13 - 6;
                m->c[q][i][j] = q * 40 + i * 5 - j;
            }
}

static void fill_quad_lane(const quads *m, const product *p, bool rows[2],
                           int lane, uint64_t *in)
{
    bool narrow = !strcmp(p->c, "f16");
    int q = lane / 4 % 4;
    for (int i = 0; i < 4; i++) {
        place x = quad_a(lane, i, rows[0]), y = quad_b(lane, i, rows[1]);
        in[i / 2] |= element_encode("f16", m->a[q][x.row][x.col]) << i % 2 * 16;
        in[MAX_REGS + i / 2] |= element_encode("f16", m->b[q][y.row][y.col])
                                << i % 2 * 16;
    }
    for (int i = 0; i < 8; i++) {
        place z = quad_c(lane, i, narrow);
        uint64_t bits = element_encode(p->c, m->c[q][z.row][z.col]);
        in[2 * MAX_REGS + (narrow ? i / 2 : i)] |= bits
                                                   << (narrow ? i % 2 * 16 : 0);
    }
}

static void check_quad_lane(const quads *m, const product *p, int lane,
                            const uint64_t *out)
{
    bool narrow = !strcmp(p->d, "f16");
    int q = lane / 4 % 4;
    for (int i = 0; i < 8; i++) {
        place z = quad_c(lane, i, narrow);
        int sum = m->c[q][z.row][z.col];
        for (int k = 0; k < DEPTH; k++)
            sum += m->a[q][z.row][k] * m->b[q][k][z.col];
        uint64_t got = narrow ? out[i / 2] >> i % 2 * 16 & 0xffff : out[i];
        cr_expect_eq(got, element_encode(p->d, sum), "%s lane %d element %d",
                     p->modifiers, lane, i);
    }
}

static void run_quad(const char *modifiers, const char *d, const char *c)
{
    /* as a shape of 8 x 8 x 4 a lane would hold two results: it holds eight */
    product p = { .shape = "m8n8k4",
                  .modifiers = modifiers,
                  .m = 16,
                  .n = 16,
                  .k = 4,
                  .d = d,
                  .a = "f16",
                  .b = "f16",
                  .c = c,
                  .a_regs = 2,
                  .b_regs = 2 };
    bool rows[2] = { !strncmp(modifiers, ".row", 4),
                     strstr(modifiers + 4, ".row") != NULL };
    static quads m;
    operands *o = calloc(1, sizeof *o);
    uint64_t out[LANES][MAX_REGS] = { 0 };
    fill_quads(&m);
    for (int lane = 0; lane < LANES; lane++)
        fill_quad_lane(&m, &p, rows, lane, o->in[lane]);
    rf_buf text = product_kernel(&p);
    cr_assert(
        kernel_run(text.data, LANES, o->in, sizeof o->in, out, sizeof out));
    for (int lane = 0; lane < LANES; lane++)
        check_quad_lane(&m, &p, lane, out[lane]);
    rf_buf_free(&text);
    free(o);
}

Test(mma, four_products_of_8x8x4)
{
    static const char *const layouts[] = { ".row.col", ".row.row", ".col.col",
                                           ".col.row" };
    for (size_t i = 0; i < RF_COUNTOF(layouts); i++) {
        run_quad(layouts[i], "f32", "f32");
        run_quad(layouts[i], "f16", "f16");
        run_quad(layouts[i], "f32", "f16");
    }
}

Test(mma, every_shape_and_type)
{
    int failed = 0;
    for (size_t i = 0; i < RF_COUNTOF(products); i++)
        failed += !run_product(&products[i]);
    cr_assert_eq(failed, 0);
}
