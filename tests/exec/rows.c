/* The instruction matrix: input values, the kernel around a row, the check. */
#include "rows.h"

#include "exec/exec.h"
#include "support/array.h"
#include "support/buf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int row_bits(char type)
{
    if (strchr("hHBbe", type))
        return 16;
    return strchr("qD", type) ? 64 : 32;
}

/* ---- values ---- */

static const uint64_t edges_integer[] = { 0,
                                          1,
                                          2,
                                          3,
                                          5,
                                          31,
                                          32,
                                          33,
                                          63,
                                          64,
                                          100,
                                          127,
                                          128,
                                          255,
                                          256,
                                          0x7fff,
                                          0x8000,
                                          0xffff,
                                          0x10000,
                                          0x12345678,
                                          0x7fffffff,
                                          0x80000000,
                                          0xfffffffe,
                                          0xffffffff,
                                          0x100000000,
                                          0x0123456789abcdef,
                                          INT64_MAX,
                                          1ull << 63,
                                          0xffffffff80000000,
                                          0xffffffffffff8000,
                                          ~1ull,
                                          ~0ull };

/* Zeros, subnormals, one and its neighbours, halves, large, infinite, NaN. */
static const uint64_t edges_f16[] = { 0,      0x8000, 1,      0x3ff,  0x400,
                                      0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x3800,
                                      0x3e00, 0x4248, 0x7bff, 0xfbff, 0x7c00,
                                      0xfc00, 0x7e00, 0x6400, 0xe7ff, 0x4500 };
static const uint64_t edges_bf16[] = { 0,      0x8000, 1,      0x7f,   0x80,
                                       0x3f80, 0xbf80, 0x3f81, 0x3f7f, 0x3f00,
                                       0x3fc0, 0x4049, 0x7f7f, 0xff7f, 0x7f80,
                                       0xff80, 0x7fc0, 0x4780, 0xc77f, 0x5f00 };
static const uint64_t edges_f32[] = {
    0,          0x80000000, 1,          0x007fffff, 0x00800000, 0x3f800000,
    0xbf800000, 0x3f800001, 0x3f7fffff, 0x3f000000, 0x3fc00000, 0x40200000,
    0x40490fdb, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
    0x4b000001, 0x4b7fffff, 0x4f000000, 0xcf000000, 0x5f000000, 0xdf000000,
    0x4effffff, 0x33000000, 0x387fc000, 0x477ff000, 0x43e80000, 0x3b000000
};
static const uint64_t edges_f64[] = { 0,
                                      1ull << 63,
                                      1,
                                      0x000fffffffffffff,
                                      0x0010000000000000,
                                      0x3ff0000000000000,
                                      0xbff0000000000000,
                                      0x3ff0000000000001,
                                      0x3fefffffffffffff,
                                      0x3fe0000000000000,
                                      0x3ff8000000000000,
                                      0x400921fb54442d18,
                                      0x7fefffffffffffff,
                                      0xffefffffffffffff,
                                      0x7ff0000000000000,
                                      0xfff0000000000000,
                                      0x7ff8000000000000,
                                      0x4330000000000001,
                                      0x41e0000000000000,
                                      0xc1e0000000000000,
                                      0x43e0000000000000,
                                      0xc3e0000000000000,
                                      0x43f0000000000000,
                                      0x47efffffe0000000,
                                      0x47efffffefffffff,
                                      0x36a0000000000000,
                                      0x3690000000000000,
                                      0x3810000000000001,
                                      0x3f10000000000000 };

static const struct {
    const char *letters;
    const uint64_t *at;
    size_t n;
} edges[] = {
    { "hrq", edges_integer, RF_COUNTOF(edges_integer) },
    { "HX", edges_f16, RF_COUNTOF(edges_f16) },
    { "BY", edges_bf16, RF_COUNTOF(edges_bf16) },
    { "F", edges_f32, RF_COUNTOF(edges_f32) },
    { "D", edges_f64, RF_COUNTOF(edges_f64) },
};

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15;
    uint64_t z = *state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Random bits; every other time with an exponent near that of 1, so that sums
 * and products do not all overflow or vanish. */
static uint64_t random_value(char type, uint64_t *state)
{
    uint64_t v = next_random(state), near = next_random(state);
    float unit = (float)(int32_t)v / 0x1p29f;
    uint32_t bits;
    memcpy(&bits, &unit, sizeof bits);
    switch (type) {
    case 's':
        return v % 70;
    case 'U':
        return bits;
    case 'F':
        return near & 1 ? bits : v;
    case 'D':
        return near & 1 ? (v >> 12) | (0x3f8 + near % 16) << 52 : v;
    case 'B':
        return near & 1 ? bits >> 16 : v;
    default:
        return near & 2 ? v >> near % 64 : v;
    }
}

static uint64_t one_value(char type, size_t i, size_t n, uint64_t *state)
{
    for (size_t e = 0; e < RF_COUNTOF(edges); e++) {
        size_t count = edges[e].n;
        if (!strchr(edges[e].letters, type) || i >= n / 2)
            continue;
        uint64_t v = edges[e].at[next_random(state) % count];
        if (type == 'X' || type == 'Y')
            v |= edges[e].at[next_random(state) % count] << 16;
        return v;
    }
    return random_value(type, state);
}

void row_values(char type, uint64_t *out, size_t n, uint64_t seed)
{
    int bits = row_bits(type);
    uint64_t state = seed;
    for (size_t i = 0; i < n; i++) {
        uint64_t v = one_value(type, i, n, &state);
        out[i] = bits == 64 ? v : v & ((1ull << bits) - 1);
    }
}

/* ---- running ---- */

bool kernel_run(const char *ptx, unsigned threads, const void *in,
                size_t in_size, void *out, size_t out_size)
{
    rf_exec_options options = rf_exec_defaults();
    options.threads = 1;
    char *error = NULL;
    rf_machine *m = rf_machine_new(&options);
    rf_module *module = rf_module_load(m, ptx, &error);
    uint64_t from = rf_machine_alloc(m, in_size);
    uint64_t to = rf_machine_alloc(m, out_size);
    void *args[] = { &from, &to };
    rf_status status = RF_INVALID_FUNCTION;
    if (!module) {
        fprintf(stderr, "%s\n", error);
        free(error);
    } else {
        memcpy((void *)from, in, in_size);
        memset((void *)to, 0, out_size);
        rf_machine_wrote(m, from, in_size);
        rf_machine_wrote(m, to, out_size);
        rf_launch launch = { .kernel = rf_module_kernel(module, "k"),
                             .grid = { 1, 1, 1 },
                             .block = { threads, 1, 1 },
                             .args = args };
        status = rf_machine_launch(m, &launch);
        memcpy(out, (void *)to, out_size);
    }
    rf_machine_free(m);
    return status == RF_OK;
}

static const char header[] =
    ".version 8.8\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .b16 h<8>; .reg .b32 r<16>; .reg .b64 q<8>; .reg .pred p<8>;\n"
    ".reg .b32 t; .reg .b64 from, to;\n";

static void add_source(rf_buf *text, const char *types, int i)
{
    char type = types[i + 1], name = (char)('a' + i);
    if (type == 'p') {
        rf_buf_printf(text, ".reg .pred %c; ld.global.b32 t, [from+%d];\n",
                      name, i * 8);
        rf_buf_printf(text, "setp.ne.u32 %c, t, 0;\n", name);
        return;
    }
    int bits = row_bits(type);
    rf_buf_printf(text, ".reg .b%d %c; ld.global.b%d %c, [from+%d];\n", bits,
                  name, bits, name, i * 8);
}

static void add_result(rf_buf *text, char type)
{
    if (type == 'p')
        rf_buf_puts(text, "selp.b32 t, 1, 0, d;\nst.global.b32 [to], t;\n");
    else
        rf_buf_printf(text, "st.global.b%d [to], d;\n", row_bits(type));
}

/* The kernel around "r"; the caller frees its buffer. */
static rf_buf row_kernel(const row *r)
{
    rf_buf text = { 0 };
    rf_buf_puts(&text, header);
    rf_buf_puts(&text, "ld.param.u64 from, [in];\nld.param.u64 to, [out];\n"
                       "mov.u32 t, %tid.x;\n"
                       "mad.wide.u32 from, t, 24, from;\n"
                       "mad.wide.u32 to, t, 8, to;\n");
    for (int i = 0; r->types[i + 1]; i++)
        add_source(&text, r->types, i);
    if (r->types[0] == 'p')
        rf_buf_puts(&text, ".reg .pred d;\n");
    else
        rf_buf_printf(&text, ".reg .b%d d;\n", row_bits(r->types[0]));
    rf_buf_printf(&text, "%s\n", r->ptx);
    add_result(&text, r->types[0]);
    rf_buf_puts(&text, "ret;\n}\n");
    return text;
}

static bool row_check(const row *r, uint64_t in[][ROW_SOURCES],
                      const uint64_t *out)
{
    int bits = row_bits(r->types[0]);
    uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
    for (int i = 0; i < ROW_THREADS; i++) {
        uint64_t want = r->want(r->data, in[i]) & mask;
        bool ok =
            r->agree ? r->agree(r->data, in[i], out[i], want) : out[i] == want;
        if (ok)
            continue;
        fprintf(stderr,
                "%s: a %" PRIx64 " b %" PRIx64 " c %" PRIx64 ": got %" PRIx64
                ", want %" PRIx64 "\n",
                r->ptx, in[i][0], in[i][1], in[i][2], out[i], want);
        return false;
    }
    return true;
}

bool row_run(const row *r)
{
    uint64_t in[ROW_THREADS][ROW_SOURCES] = { 0 }, out[ROW_THREADS];
    uint64_t values[ROW_THREADS];
    for (int s = 0; r->types[s + 1]; s++) {
        row_values(r->types[s + 1], values, ROW_THREADS, 17 + s);
        for (int i = 0; i < ROW_THREADS; i++)
            in[i][s] = r->types[s + 1] == 'p' ? values[i] & 1 : values[i];
    }
    rf_buf text = row_kernel(r);
    bool ok =
        kernel_run(text.data, ROW_THREADS, in, sizeof in, out, sizeof out);
    if (ok)
        ok = row_check(r, in, out);
    else
        fprintf(stderr, "%s: did not run\n", r->ptx);
    rf_buf_free(&text);
    return ok;
}

int rows_run(const row *rows, size_t n)
{
    int failed = 0;
    for (size_t i = 0; i < n; i++)
        failed += !row_run(&rows[i]);
    return failed;
}
