/* Loops over lanes from which the plain steps are made.
 *
 * STEP1 .. STEP3 define a step with that many sources: "expr" is over a, b, c,
 * the values of the sources as "type"; the result is stored as "out". Under a
 * partial mask inactive lanes are computed too and thrown away, so that the
 * loop stays a straight one; "expr" must be defined for every value. */
#ifndef RF_EXEC_STEP_MACROS_H
#define RF_EXEC_STEP_MACROS_H

#include "exec/machine.h"
#include "exec/ptx.h"
#include "exec/steps.h"

#include <math.h>

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;
typedef unsigned __int128 u128;
typedef __int128 s128;

#define GET_u16(x) ((u16)(x))
#define GET_s16(x) ((s16)(x))
#define GET_u32(x) ((u32)(x))
#define GET_s32(x) ((s32)(x))
#define GET_u64(x) (x)
#define GET_s64(x) ((s64)(x))
#define GET_f32(x) rf_f32((u32)(x))
#define GET_f64(x) rf_f64(x)

#define PUT_u16(x) ((u64)(u16)(x))
#define PUT_s16(x) ((u64)(u16)(x))
#define PUT_u32(x) ((u64)(u32)(x))
#define PUT_s32(x) ((u64)(u32)(x))
#define PUT_u64(x) ((u64)(x))
#define PUT_s64(x) ((u64)(x))
#define PUT_f32(x) rf_canonical_f32(x)
#define PUT_f64(x) rf_f64_bits(x)

/* Arithmetic on f32 returns one NaN only. */
static inline u64 rf_canonical_f32(f32 x)
{
    return x == x ? rf_f32_bits(x) : 0x7fffffffu;
}

/* The smaller and the larger: a number rather than a NaN, -0 below +0. */
static inline f32 rf_least(f32 a, f32 b)
{
    f32 r = a < b || b != b ? a : b;
    return a == b && signbit(a) ? a : r;
}

static inline f32 rf_greatest(f32 a, f32 b)
{
    f32 r = a > b || b != b ? a : b;
    return a == b && !signbit(a) ? a : r;
}

/* Columns overlap only as a whole, so lanes are independent. */
#ifdef __clang__
#define RF_NO_ALIAS _Pragma("clang loop vectorize(assume_safety)")
#else
#define RF_NO_ALIAS _Pragma("GCC ivdep")
#endif

#define RF_LOOP(d, value)                                                      \
    do {                                                                       \
        if (mask == RF_FULL_MASK) {                                            \
            RF_NO_ALIAS for (int i = 0; i < RF_LANES; i++)(d)[i] = (value);    \
        } else {                                                               \
            RF_NO_ALIAS for (int i = 0; i < RF_LANES; i++)                     \
            {                                                                  \
                u64 keep = (d)[i], result = (value);                           \
                (d)[i] = mask >> i & 1 ? result : keep;                        \
            }                                                                  \
        }                                                                      \
    } while (0)

#define STEP1(name, type, out, expr)                                           \
    static inline u64 value_##name(u64 xa)                                     \
    {                                                                          \
        type a = GET_##type(xa);                                               \
        return PUT_##out(expr);                                                \
    }                                                                          \
    static void name(rf_warp *w, const rf_instr *in, uint32_t mask)            \
    {                                                                          \
        u64 *d = rf_col(w, &in->o[0]);                                         \
        const u64 *x = rf_col(w, &in->o[1]);                                   \
        RF_LOOP(d, value_##name(x[i]));                                        \
    }

#define STEP2(name, type, out, expr)                                           \
    static inline u64 value_##name(u64 xa, u64 xb)                             \
    {                                                                          \
        type a = GET_##type(xa), b = GET_##type(xb);                           \
        return PUT_##out(expr);                                                \
    }                                                                          \
    static void name(rf_warp *w, const rf_instr *in, uint32_t mask)            \
    {                                                                          \
        u64 *d = rf_col(w, &in->o[0]);                                         \
        const u64 *x = rf_col(w, &in->o[1]), *y = rf_col(w, &in->o[2]);        \
        RF_LOOP(d, value_##name(x[i], y[i]));                                  \
    }

/* "third" is the type of c. */
#define STEP3(name, type, third, out, expr)                                    \
    static inline u64 value_##name(u64 xa, u64 xb, u64 xc)                     \
    {                                                                          \
        type a = GET_##type(xa), b = GET_##type(xb);                           \
        third c = GET_##third(xc);                                             \
        return PUT_##out(expr);                                                \
    }                                                                          \
    static void name(rf_warp *w, const rf_instr *in, uint32_t mask)            \
    {                                                                          \
        u64 *d = rf_col(w, &in->o[0]);                                         \
        const u64 *x = rf_col(w, &in->o[1]), *y = rf_col(w, &in->o[2]);        \
        const u64 *z = rf_col(w, &in->o[3]);                                   \
        RF_LOOP(d, value_##name(x[i], y[i], z[i]));                            \
    }

#endif
