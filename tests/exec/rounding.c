/* Roundings that show what rounding can do: results lie one place beside the
 * nearest, exact ones stay; and what --compare makes of it. */
#include "device.h"

#include "exec/compare.h"
#include "exec/floats.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Thread t computes word t of the result from f1 = t and f2 = 3. */
static const char kernel[] =
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .b16 %h<5>; .reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .f32 %f<9>;\n"
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
    "add.s64 %rd1, %rd1, %rd2; cvt.rn.f32.u32 %f1, %r1;\n"
    "mov.f32 %f2, 0f40400000; OPERATION st.global.f32 [%rd1], %f3; ret; }\n";

static rf_rounding rounding;

static void set_rounding(rf_exec_options *o)
{
    o->rounding = rounding;
}

static void results(const char *operation, rf_rounding r, uint32_t *out)
{
    char *text = strdup(kernel), *place = strstr(text, "OPERATION");
    char whole[2000];
    snprintf(whole, sizeof whole, "%.*s%s%s", (int)(place - text), text,
             operation, place + strlen("OPERATION"));
    rounding = r;
    device d = device_with(whole, set_rounding);
    uint64_t args[16] = { device_zeros(&d, 4 * 64) };
    cr_assert_eq(device_run(&d, 1, 64, args), RF_OK);
    memcpy(out, device_words(args[0]), 4 * 64);
    device_free(&d);
    free(text);
}

/* "wanted" is the exact value for t; every result lies beside it. */
static void brackets(const char *operation, double (*wanted)(int t), float step)
{
    uint32_t up[64], down[64], scattered[64], opposite[64];
    int inexact = 0, ups = 0;
    results(operation, RF_ROUNDING_UP, up);
    results(operation, RF_ROUNDING_DOWN, down);
    results(operation, RF_ROUNDING_SCATTERED, scattered);
    results(operation, RF_ROUNDING_OPPOSITE, opposite);
    for (int t = 0; t < 64; t++) {
        double v = wanted(t), a = rf_f32(down[t]), b = rf_f32(up[t]);
        cr_expect(a <= v && v <= b, "%s %d: %g %g %g", operation, t, a, v, b);
        cr_expect_leq(b - a, step * fabs(v) + 1e-30, "%s %d", operation, t);
        cr_expect((a == b) == (a == v || b == v), "%s %d", operation, t);
        bool first = scattered[t] == up[t];
        cr_expect_eq(scattered[t], first ? up[t] : down[t]);
        cr_expect_eq(opposite[t], first ? down[t] : up[t]);
        inexact += a != b;
        ups += a != b && first;
    }
    cr_expect_gt(inexact, 15, "%s", operation);
    cr_expect(ups > inexact / 8 && ups < inexact - inexact / 8, "%s: %d of %d",
              operation, ups, inexact);
}

static double third(int t)
{
    return t / 3.0;
}

static double root(int t)
{
    return sqrt(t);
}

static double product(int t)
{
    return t * (double)0.1f + 3;
}

Test(rounding, results_lie_beside_the_exact_value)
{
    const float ulp = 0x1p-23f;
    brackets("div.rn.f32 %f3, %f1, %f2;", third, ulp);
    brackets("sqrt.rn.f32 %f3, %f1;", root, ulp);
    brackets("fma.rn.f32 %f3, %f1, 0f3dcccccd, %f2;", product, ulp);
}

static double half_value(uint32_t bits)
{
    return rf_float_decode(RF_F16, bits);
}

Test(rounding, narrow_types_are_rounded_too)
{
    uint32_t up[64], down[64];
    const char *op = "mul.rz.f32 %f4, %f1, 0f3dcccccd;\n"
                     "cvt.rn.f16.f32 %h1, %f4; cvt.u32.u16 %r2, %h1;\n"
                     "mov.b32 %f3, %r2;";
    results(op, RF_ROUNDING_UP, up);
    results(op, RF_ROUNDING_DOWN, down);
    for (int t = 1; t < 64; t++) {
        double v = t * 0.1;
        cr_expect(half_value(down[t]) <= v * 1.001 &&
                  half_value(up[t]) >= v * 0.999);
        cr_expect_leq(up[t] - down[t], 1);
        cr_expect(up[t] != down[t] || t % 5 == 0, "%d", t);
    }
}

/* ---- comparison by samples ---- */

enum { N = 32 };

static size_t log_of(char **log, const float *x)
{
    size_t size;
    FILE *f = open_memstream(log, &size);
    fprintf(f, "exit - 1 0 %zu f32\n", sizeof(float) * N);
    fwrite(x, sizeof *x, N, f);
    for (size_t i = 0; i < sizeof(float) * N; i++)
        fputc(1, f);
    fclose(f);
    return size;
}

/* Elements that differ if "fused" adds "error" to element "at" and samples of
 * both programs differ by "noise" everywhere. */
static rf_comparison judged(int at, float error, float noise)
{
    float a[N], b[N], s[N];
    char *log[4];
    size_t size[4];
    for (int i = 0; i < N; i++) {
        a[i] = b[i] = 1 + (float)i;
        s[i] = a[i] + noise;
    }
    b[at] += error;
    size[0] = log_of(&log[0], a);
    size[1] = log_of(&log[1], b);
    size[2] = log_of(&log[2], s);
    s[at] += error;
    size[3] = log_of(&log[3], s);
    rf_sample samples[] = { { log[2], size[2], false },
                            { log[3], size[3], true } };
    rf_arena *arena = rf_arena_new();
    rf_comparison c = rf_compare_logs(
        arena, log[0], size[0], log[1], size[1],
        (rf_tolerance){ .samples = samples, .n_samples = 2 }, NULL, NULL);
    rf_arena_free(arena);
    for (int i = 0; i < 4; i++)
        free(log[i]);
    return c;
}

Test(rounding, what_the_samples_explain_is_accepted)
{
    cr_expect_eq(judged(7, 0, 0).differing, 0);
    cr_expect_eq(judged(7, 0x1p-20f, 0).differing, 1);
    cr_expect_eq(judged(7, 0x1p-10f, 0x1p-11f).differing, 0);
    cr_expect_eq(judged(7, 0x1p-10f, 0x1p-16f).differing, 1);
    cr_expect_eq(judged(7, 0x1p-10f, 0x1p-11f).undecided, 0);
    cr_expect_gt(judged(7, 0, 0.5f).undecided, 0);
    cr_expect_eq(judged(7, 0, 0.5f).moved, N);
}
