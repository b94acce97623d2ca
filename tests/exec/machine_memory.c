/* Memory of every kind, parameters, and what is counted. */
#include "device.h"

#include "exec/compare.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define ENTRY(params, body)                                                    \
    ".visible .entry k(" params ") {\n"                                        \
    ".reg .b16 %h<9>; .reg .b32 %r<20>; .reg .f32 %f<9>;\n"                    \
    ".reg .b64 %rd<20>; .reg .pred %p<10>;\n" body " ret; }\n"

Test(memory, module_variables_are_initialised)
{
    device d =
        device_new(".global .align 4 .u32 v[3] = {1, 2, 3};\n"
                   ".const .align 8 .u64 q = generic(v);\n"
                   ".global .f32 f = 0f3FC00000;\n" ENTRY(
                       ".param .u64 p",
                       "ld.param.u64 %rd1, [p]; ld.const.u64 %rd2, [q];\n"
                       "ld.u32 %r1, [%rd2+8]; st.global.u32 [%rd1], %r1;\n"
                       "ld.global.f32 %f1, [f]; st.global.f32 [%rd1+4], %f1;\n"
                       "mov.u32 %r2, 9; st.global.u32 [v+4], %r2;"));
    uint64_t args[16] = { device_zeros(&d, 64) };
    size_t size = 0;
    cr_expect_eq(device_run(&d, 1, 1, args), RF_OK, "%s", device_messages(&d));
    cr_expect_eq(device_words(args[0])[0], 3);
    cr_expect_eq(device_words(args[0])[1], 0x3fc00000);
    uint64_t v = rf_module_symbol(d.module, "v", &size);
    cr_expect_eq(size, 12);
    cr_expect_eq(device_words(v)[1], 9);
    device_free(&d);
}

Test(memory, parameters_of_every_size)
{
    device d = device_new(ENTRY(
        ".param .u8 a, .param .align 8 .b8 b[12], .param .u64 p, .param .u16 c",
        "ld.param.u64 %rd1, [p]; ld.param.u8 %h1, [a]; cvt.u32.u16 %r1, %h1;\n"
        "ld.param.u32 %r2, [b+8]; ld.param.u16 %h2, [c];\n"
        "cvt.u32.u16 %r3, %h2; st.global.v2.u32 [%rd1], {%r1, %r2};\n"
        "st.global.u32 [%rd1+8], %r3;"));
    uint8_t a = 200;
    uint32_t b[3] = { 1, 2, 0xabcdef };
    uint64_t p = device_zeros(&d, 64);
    uint16_t c = 60000;
    void *args[] = { &a, b, &p, &c };
    cr_expect_eq(
        rf_machine_launch(
            d.machine, &(rf_launch){ .kernel = rf_module_kernel(d.module, "k"),
                                     .grid = { 1, 1, 1 },
                                     .block = { 1, 1, 1 },
                                     .args = args }),
        RF_OK);
    cr_expect_eq(device_words(p)[0], 200);
    cr_expect_eq(device_words(p)[1], 0xabcdef);
    cr_expect_eq(device_words(p)[2], 60000);
    device_free(&d);
}

Test(memory, local_memory_is_each_threads_own)
{
    device d = device_new(ENTRY(
        ".param .u64 p",
        ".local .align 8 .b8 l[64]; ld.param.u64 %rd1, [p];\n"
        "mov.u32 %r1, %tid.x; mov.u64 %rd2, l; cvta.local.u64 %rd3, %rd2;\n"
        "st.local.u32 [%rd2+4], %r1; st.u32 [%rd3+8], %r1;\n"
        "ld.u32 %r2, [%rd3+4]; ld.local.u32 %r3, [l+8]; add.u32 %r2, %r2, "
        "%r3;\n"
        "mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd4, %rd1;\n"
        "st.global.u32 [%rd4], %r2;"));
    uint64_t args[16] = { device_zeros(&d, 512) };
    cr_expect_eq(device_run(&d, 1, 128, args), RF_OK, "%s",
                 device_messages(&d));
    for (unsigned i = 0; i < 128; i++)
        cr_expect_eq(device_words(args[0])[i], 2 * i);
    device_free(&d);
}

Test(memory, dynamic_shared_memory_to_its_limit)
{
    const char *ptx = ".extern .shared .align 16 .b8 dyn[];\n" ENTRY(
        ".param .u64 p", "ld.param.u64 %rd1, [p]; mov.u32 %r1, dyn;\n"
                         "mov.u32 %r2, %dynamic_smem_size;\n"
                         "add.u32 %r3, %r1, %r2; st.shared.u32 [%r3+-4], %r2;\n"
                         "ld.shared.u32 %r4, [%r3+-4];\n"
                         "st.global.u32 [%rd1], %r4;");
    device d = device_new(ptx);
    uint64_t args[16] = { device_zeros(&d, 64) };
    cr_expect_eq(device_run_cluster(&d, 1, 1, 1, 227 * 1024, args), RF_OK);
    cr_expect_eq(device_words(args[0])[0], 227 * 1024);
    cr_expect_eq(device_run_cluster(&d, 1, 1, 1, 227 * 1024 + 16, args),
                 RF_INVALID_VALUE);
    device_free(&d);
}

Test(memory, launches_that_cannot_be)
{
    device d = device_new(ENTRY(".param .u64 p", ""));
    uint64_t args[16] = { 0 };
    cr_expect_eq(device_run(&d, 1, 1025, args), RF_INVALID_CONFIGURATION);
    cr_expect_eq(device_run(&d, 0, 32, args), RF_INVALID_CONFIGURATION);
    cr_expect_eq(device_run_cluster(&d, 3, 2, 32, 0, args), RF_INVALID_CLUSTER);
    cr_expect_eq(device_run_cluster(&d, 32, 32, 32, 0, args),
                 RF_INVALID_CLUSTER);
    device_free(&d);
}

Test(memory, thousands_of_blocks_in_parallel)
{
    device d = device_new(ENTRY(
        ".param .u64 p",
        "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
        "mad.lo.u32 %r3, %r2, 64, %r1; mul.wide.u32 %rd2, %r3, 4;\n"
        "add.s64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r3;"));
    uint64_t args[16] = { device_zeros(&d, 4 * 64 * 5000) };
    cr_expect_eq(device_run(&d, 5000, 64, args), RF_OK);
    for (uint32_t i = 0; i < 64 * 5000; i++)
        cr_assert_eq(device_words(args[0])[i], i);
    cr_expect_eq(device_reports(&d, RF_CHECK_COUNT), 0);
    device_free(&d);
}

static void with_report(rf_exec_options *o)
{
    o->report = true;
}

/* 64 threads read 4 bytes each twice and write every eighth word. */
Test(report, traffic_is_exact)
{
    char *text = NULL;
    size_t size;
    device d = device_with(
        ENTRY(".param .u64 p",
              "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;\n"
              "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd2, %rd1;\n"
              "ld.global.u32 %r2, [%rd2]; ld.global.u32 %r2, [%rd2];\n"
              "mul.wide.u32 %rd3, %r1, 32; add.s64 %rd3, %rd3, %rd1;\n"
              "st.global.u32 [%rd3+256], %r2;"),
        with_report);
    uint64_t args[16] = { device_zeros(&d, 4096) };
    device_run(&d, 1, 64, args);
    FILE *f = open_memstream(&text, &size);
    rf_machine_print_report(d.machine, f, true);
    fclose(f);
    cr_expect(strstr(text, "\"bytes_loaded\": 512, "
                           "\"distinct_bytes_loaded\": 256, "
                           "\"sectors_loaded\": 16, \"bytes_stored\": 256, "
                           "\"distinct_bytes_stored\": 256, "
                           "\"sectors_stored\": 64"),
              "%s", text);
    free(text);
    device_free(&d);
}

/* ---- comparing logs ---- */

typedef struct {
    float a[4], b[4];
    unsigned written_b;
} pair;

static rf_comparison compare(const pair *p, rf_tolerance t, rf_difference *out);

static void keep_first(void *context, const rf_difference *d)
{
    rf_difference *out = context;
    *out = *d;
}

static size_t write_log(char **text, const float *v, unsigned written)
{
    size_t size;
    FILE *f = open_memstream(text, &size);
    fputs("exit k 1 0 16 f32\n", f);
    fwrite(v, 1, 16, f);
    for (unsigned i = 0; i < 16; i++)
        fputc(written >> i / 4 & 1, f);
    fclose(f);
    return size;
}

static rf_comparison compare(const pair *p, rf_tolerance t, rf_difference *out)
{
    char *a, *b;
    rf_arena *arena = rf_arena_new();
    size_t n = write_log(&a, p->a, 15), m = write_log(&b, p->b, p->written_b);
    rf_comparison r = rf_compare_logs(arena, a, n, b, m, t, keep_first, out);
    rf_arena_free(arena);
    free(a);
    free(b);
    return r;
}

Test(compare, equal_and_different_values)
{
    rf_difference d;
    rf_tolerance exact = { .relative = 0 }, loose = { .relative = 1e-3 };
    pair same = { { 1, NAN, -0.0f, 3 }, { 1, -NAN, -0.0f, 3 }, 15 };
    cr_expect_eq(compare(&same, exact, &d).differing, 0);
    pair off = { { 1, 2, 3, 4 }, { 1, 2, 3.001f, 4 }, 15 };
    cr_expect_eq(compare(&off, exact, &d).differing, 1);
    cr_expect_eq(d.index, 2);
    cr_expect_float_eq(d.ulps, 4194, 1);
    cr_expect_eq(compare(&off, loose, &d).differing, 0);
    off.written_b = 15 & ~4;
    cr_expect_eq(compare(&off, exact, &d).differing, 0);
    pair infinite = { { 1, 2, INFINITY, 4 }, { 1, 2, 1e38f, 4 }, 15 };
    cr_expect_eq(compare(&infinite, loose, &d).differing, 1);
}
