/* f32 arithmetic that flushes subnormal numbers, and approximate functions:
 * loops over the host's own operations. */
#include "exec/step_macros.h"

#include <math.h>

/* A subnormal number becomes a zero of its sign. */
static inline f32 flush(f32 x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static inline f32 rsqrt(f32 x)
{
    return (f32)(1.0 / sqrt((f64)x));
}

/* div.approx loses divisors whose reciprocal would be subnormal. */
static inline f32 divide(f32 a, f32 b)
{
    f32 size = fabsf(b),
        zero = rf_f32((rf_f32_bits(a) ^ rf_f32_bits(b)) & 0x80000000u);
    f32 lost = fabsf(a) < INFINITY ? zero : NAN;
    return size > 0x1p126f && size < INFINITY ? lost : a / b;
}

/* operation, its value for a */
#define FUNCTIONS(X)                                                           \
    X(ex2, exp2f(a))                                                           \
    X(lg2, log2f(a))                                                           \
    X(rsqrt, rsqrt(a))                                                         \
    X(sin, sinf(a))                                                            \
    X(cos, cosf(a))                                                            \
    X(tanh, tanhf(a))

#define UNARY(X)                                                               \
    FUNCTIONS(X)                                                               \
    X(rcp, 1 / a)                                                              \
    X(sqrt, sqrtf(a))

#define BINARY(X)                                                              \
    X(add, a + b)                                                              \
    X(sub, a - b)                                                              \
    X(mul, a *b)                                                               \
    X(div, a / b)                                                              \
    X(min, rf_least(a, b))                                                     \
    X(max, rf_greatest(a, b))

#define X(op, value) STEP1(op##_f32, f32, f32, value)
FUNCTIONS(X)
#undef X

#define X(op, value)                                                           \
    static inline f32 flushed_##op(f32 a)                                      \
    {                                                                          \
        return flush(value);                                                   \
    }                                                                          \
    STEP1(op##_ftz, f32, f32, flushed_##op(flush(a)))
UNARY(X)
#undef X

#define X(op, value)                                                           \
    static inline f32 flushed_##op(f32 a, f32 b)                               \
    {                                                                          \
        return flush(value);                                                   \
    }                                                                          \
    STEP2(op##_ftz, f32, f32, flushed_##op(flush(a), flush(b)))
BINARY(X)
#undef X

STEP3(fma_ftz, f32, f32, f32, flush(fmaf(flush(a), flush(b), flush(c))))
STEP2(div_approx, f32, f32, divide(a, b))
STEP2(div_approx_ftz, f32, f32, flush(divide(flush(a), flush(b))))

#define X(op, value) { #op ".f32", op##_f32, RF_CLASS_SPECIAL },
#define Y(op, value) { #op ".ftz.f32", op##_ftz, RF_CLASS_FLOAT },
/* clang-format off */
const rf_step_row rf_steps_ftz[] = {
    FUNCTIONS(X) UNARY(Y) BINARY(Y)
    { "fma.ftz.f32", fma_ftz, RF_CLASS_FLOAT },
    { "div.approx.f32", div_approx, RF_CLASS_FLOAT },
    { "div.approx.ftz.f32", div_approx_ftz, RF_CLASS_FLOAT },
    { NULL, NULL, 0 },
};
/* clang-format on */
