/* Plain arithmetic on f16 and bf16, rounded to nearest: loops over lanes that
 * the compiler can vectorise. Everything else goes through floats.h. */
#include "exec/halves.h"
#include "exec/step_macros.h"

/* operation, result over the values a, b, c: in f16 and in bf16 */
#define HALF_OPS(X)                                                            \
    X(add, a + b, a + b)                                                       \
    X(sub, a - b, a - b)                                                       \
    X(mul, a *b, a *b)                                                         \
    X(fma, a *b + c, rf_sum_to_odd(a * b, c))

/* The third operand of a sum is its second one again, and not looked at. */
static const u64 *source(const rf_warp *w, const rf_instr *in, int i)
{
    return rf_col(w, &in->o[i < in->n ? i : 2]);
}

#define HALF_STEP(name, type, expr)                                            \
    static inline u32 value_##name(u32 xa, u32 xb, u32 xc)                     \
    {                                                                          \
        f64 a = rf_##type##_value(xa), b = rf_##type##_value(xb);              \
        f64 c = rf_##type##_value(xc);                                         \
        (void)c;                                                               \
        return rf_f64_to_##type(expr);                                         \
    }                                                                          \
    static inline u32 pair_##name(u32 a, u32 b, u32 c)                         \
    {                                                                          \
        return value_##name(a & 0xffff, b & 0xffff, c & 0xffff) |              \
               value_##name(a >> 16, b >> 16, c >> 16) << 16;                  \
    }                                                                          \
    static void name(rf_warp *w, const rf_instr *in, uint32_t mask)            \
    {                                                                          \
        u64 *d = rf_col(w, &in->o[0]);                                         \
        const u64 *x = source(w, in, 1), *y = source(w, in, 2);                \
        const u64 *z = source(w, in, 3);                                       \
        RF_LOOP(d, value_##name((u32)x[i], (u32)y[i], (u32)z[i]));             \
    }                                                                          \
    static void name##x2(rf_warp *w, const rf_instr *in, uint32_t mask)        \
    {                                                                          \
        u64 *d = rf_col(w, &in->o[0]);                                         \
        const u64 *x = source(w, in, 1), *y = source(w, in, 2);                \
        const u64 *z = source(w, in, 3);                                       \
        RF_LOOP(d, pair_##name((u32)x[i], (u32)y[i], (u32)z[i]));              \
    }

#define X(op, expr_f16, expr_bf16)                                             \
    HALF_STEP(op##_f16, f16, expr_f16)                                         \
    HALF_STEP(op##_bf16, bf16, expr_bf16)
HALF_OPS(X)
#undef X

#define ROW(key, step) { key, step, RF_CLASS_HALF },
#define X(op, expr_f16, expr_bf16)                                             \
    ROW(#op ".f16", op##_f16)                                                  \
    ROW(#op ".bf16", op##_bf16)                                                \
    ROW(#op ".f16x2", op##_f16x2)                                              \
    ROW(#op ".bf16x2", op##_bf16x2)
const rf_step_row rf_steps_half[] = { HALF_OPS(X){ NULL, NULL, 0 } };
