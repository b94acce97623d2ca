/* wgmma.mma_async: every type and width against a plain product. The tiles lie
 * in shared memory without a swizzle: groups of 8 rows by 16 bytes, the two
 * halves of a row's 32 bytes 128 bytes apart, groups of rows 256 bytes. */
#include "elements.h"
#include "rows.h"

#include "support/array.h"
#include "support/buf.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 128, M = 64, MAX_N = 256, MAX_K = 256, ROW = 32, A = M * ROW };

typedef struct {
    const char *d, *a, *b, *tail; /* tail: the immediates after scale-d */
    int k, sign;
} product;

static const product products[] = {
    { "f32", "f16", "f16", ", 1, 1, 0, 0", 16, 1 },
    { "f32", "f16", "f16", ", -1, 1, 0, 0", 16, -1 },
    { "f16", "f16", "f16", ", 1, -1, 0, 0", 16, -1 },
    { "f32", "bf16", "bf16", ", -1, -1, 0, 0", 16, 1 },
    { "f32", "tf32", "tf32", ", 1, 1", 8, 1 },
    { "f32", "e4m3", "e4m3", ", 1, 1", 32, 1 },
    { "f32", "e5m2", "e4m3", ", 1, 1", 32, 1 },
    { "f16", "e4m3", "e5m2", ", 1, 1", 32, 1 },
    { "s32", "s8", "s8", "", 32, 1 },
    { "s32", "u8", "s8", "", 32, 1 },
    { "s32", "s8", "u8", "", 32, 1 },
    { "s32", "b1", "b1", "", 256, 1 },
};

static const int widths[] = { 8, 16, 24, 64, 96, 128, 192, 256 };

typedef struct {
    int a[M][MAX_K], b[MAX_N][MAX_K];
    uint8_t in[A + MAX_N * ROW];
    uint32_t out[THREADS][MAX_N / 2];
} tiles;

static void put(uint8_t *tile, const char *type, int r, int k, int value)
{
    int bits = element_bits(type), at = k * bits / 8;
    uint64_t v = element_encode(type, value);
    uint8_t *p = tile + r / 8 * 256 + at / 16 * 128 + r % 8 * 16 + at % 16;
    if (bits == 1)
        *p |= (uint8_t)(v << k % 8);
    else
        memcpy(p, &v, bits / 8);
}

static void fill(const product *p, int n, tiles *t)
{
    memset(t, 0, sizeof *t);
    for (int k = 0; k < p->k; k++) {
        for (int i = 0; i < M; i++) {
            t->a[i][k] = element_value(p->a, 3 + i * p->k + k);
            put(t->in, p->a, i, k, t->a[i][k]);
        }
        for (int j = 0; j < n; j++) {
            t->b[j][k] = element_value(p->b, 5555 + j * p->k + k);
            put(t->in + A, p->b, j, k, t->b[j][k]);
        }
    }
}

static int registers(const product *p, int n)
{
    return n / 2 / (element_bits(p->d) == 16 ? 2 : 1);
}

/* Every thread copies a part of the tiles, 4 bytes at a time. */
static void add_copy(rf_buf *text, int n)
{
    rf_buf_printf(text,
                  ".shared .align 128 .b8 m[%d];\n"
                  "mov.u32 t, %%tid.x; shl.b32 at, t, 2; mov.u32 m0, m;\n"
                  "COPY: setp.ge.u32 p, at, %d; @p bra DONE;\n"
                  "cvt.u64.u32 q, at; add.u64 q, q, from;\n"
                  "ld.global.b32 v, [q]; add.u32 s, m0, at;\n"
                  "st.shared.b32 [s], v; add.u32 at, at, %d; bra COPY;\n"
                  "DONE: fence.proxy.async.shared::cta; bar.sync 0;\n",
                  A + n * ROW, A + n * ROW, THREADS * 4);
}

/* start >> 4, leading 128, stride 256 bytes */
static void add_descriptor(rf_buf *text, const char *name, int offset)
{
    rf_buf_printf(text,
                  "add.u32 s, m0, %d; shr.b32 s, s, 4; cvt.u64.u32 %s, s;\n"
                  "or.b64 %s, %s, 0x%llx;\n",
                  offset, name, name, name, 8ull << 16 | 16ull << 32);
}

/* The product is issued twice: the second one adds to the first. */
static void add_product(rf_buf *text, const product *p, int n, bool again)
{
    rf_buf_printf(text, "wgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s%s {",
                  n, p->k, p->d, p->a, p->b,
                  strcmp(p->a, "b1") ? "" : ".and.popc");
    for (int i = 0; i < registers(p, n); i++)
        rf_buf_printf(text, "%sd%d", i ? "," : "", i);
    rf_buf_printf(text, "}, da, db, %s%s;\n", again ? "yes" : "no", p->tail);
}

static rf_buf kernel_of(const product *p, int n)
{
    rf_buf t = { 0 };
    rf_buf_printf(&t,
                  ".version 8.8\n.target sm_90a\n.address_size 64\n"
                  ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
                  ".reg .b32 t, at, m0, s, v, d<%d>; .reg .pred p, yes, no;\n"
                  ".reg .b64 from, to, q, da, db;\n"
                  "ld.param.u64 from, [in];\nld.param.u64 to, [out];\n",
                  registers(p, n) + 1);
    add_copy(&t, n);
    add_descriptor(&t, "da", 0);
    add_descriptor(&t, "db", A);
    for (int i = 0; i < registers(p, n); i++)
        rf_buf_printf(&t, "mov.b32 d%d, 0x12345;\n", i);
    rf_buf_puts(&t, "setp.eq.u32 yes, t, t; setp.ne.u32 no, t, t;\n"
                    "wgmma.fence.sync.aligned;\n");
    add_product(&t, p, n, false);
    add_product(&t, p, n, true);
    rf_buf_puts(&t, "wgmma.commit_group.sync.aligned;\n"
                    "wgmma.wait_group.sync.aligned 0;\n"
                    "mad.wide.u32 to, t, 512, to;\n");
    for (int i = 0; i < registers(p, n); i++)
        rf_buf_printf(&t, "st.global.b32 [to+%d], d%d;\n", i * 4, i);
    rf_buf_puts(&t, "ret;\n}\n");
    return t;
}

static uint64_t got(const product *p, const tiles *t, int thread, int i)
{
    if (element_bits(p->d) == 32)
        return t->out[thread][i];
    return t->out[thread][i / 2] >> (i % 2 * 16) & 0xffff;
}

static bool check(const product *p, int n, const tiles *t)
{
    for (int thread = 0; thread < THREADS; thread++)
        for (int i = 0; i < n / 2; i++) {
            int r = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
            int col = i / 4 * 8 + thread % 4 * 2 + i % 2, sum = 0;
            for (int k = 0; k < p->k; k++)
                sum += t->a[r][k] * t->b[col][k];
            uint64_t want = element_encode(p->d, 2 * p->sign * sum);
            if (got(p, t, thread, i) == (uint32_t)want)
                continue;
            fprintf(stderr, "wgmma n%d %s %s %s: (%d, %d) is %llx, not %d\n", n,
                    p->d, p->a, p->b, r, col,
                    (unsigned long long)got(p, t, thread, i),
                    2 * p->sign * sum);
            return false;
        }
    return true;
}

static bool run(const product *p, int n)
{
    tiles *t = malloc(sizeof *t);
    fill(p, n, t);
    rf_buf text = kernel_of(p, n);
    bool ok = kernel_run(text.data, THREADS, t->in, sizeof t->in, t->out,
                         sizeof t->out) &&
              check(p, n, t);
    rf_buf_free(&text);
    free(t);
    return ok;
}

Test(wgmma, every_type_and_width)
{
    int failed = 0;
    for (size_t i = 0; i < RF_COUNTOF(products); i++)
        for (size_t w = 0; w < RF_COUNTOF(widths); w++)
            failed += !run(&products[i], widths[w]);
    cr_assert_eq(failed, 0);
}
