/* The 16-bit types without branches, for loops over lanes.
 *
 * Values go through double. Sums and products of two values round correctly
 * in two steps: what double loses is far below the last place of a sum whose
 * larger term is representable. The same holds for a * b + c in f16, where
 * double holds every sum that comes near a tie; in bf16 the sum is rounded to
 * odd first. All results are rounded to nearest even, NaN is 0x7fff. */
#ifndef RF_EXEC_HALVES_H
#define RF_EXEC_HALVES_H

#include "exec/floats.h"

static inline uint32_t rf_f16_to_f32(uint32_t h)
{
    const uint32_t top = 0x7c00 << 13;
    uint32_t mag = (h & 0x7fff) << 13, sign = (h & 0x8000) << 16;
    uint32_t finite = rf_f32_bits(rf_f32(mag) * 0x1p112f) | sign;
    uint32_t special = mag == top ? 0x7f800000 | sign : 0x7fffffff;
    return mag < top ? finite : special;
}

static inline double rf_f16_value(uint32_t h)
{
    return rf_f32(rf_f16_to_f32(h));
}

static inline double rf_bf16_value(uint32_t h)
{
    return rf_f32((h & 0xffff) << 16);
}

/* Round "x" to a 16-bit type: exponents are "bias" less than those of double,
 * "shift" bits of the fraction go. "unit" is 2^52 times the least subnormal,
 * "least" the least normal number, "limit" the least that overflows. */
static inline uint32_t rf_f64_to_half(double x, uint64_t bias, int shift,
                                      double unit, double least, double limit,
                                      uint32_t infinity)
{
    uint64_t bits = rf_f64_bits(x), mag = bits & INT64_MAX;
    uint32_t sign = (uint32_t)(bits >> 48 & 0x8000);
    double absolute = rf_f64(mag);
    uint64_t normal = mag - (bias << 52);
    normal += (1ull << (shift - 1)) - 1 + (normal >> shift & 1);
    uint32_t small = (uint32_t)rf_f64_bits(absolute + unit) & 0xffff;
    uint32_t r = absolute < least ? small : (uint32_t)(normal >> shift);
    r = absolute >= limit ? infinity : r;
    return x != x ? 0x7fff : r | sign;
}

static inline uint32_t rf_f64_to_f16(double x)
{
    return rf_f64_to_half(x, 1023 - 15, 42, 0x1p28, 0x1p-14, 65520, 0x7c00);
}

static inline uint32_t rf_f64_to_bf16(double x)
{
    return rf_f64_to_half(x, 1023 - 127, 45, 0x1p-81, 0x1p-126, 0x1.ffp127,
                          0x7f80);
}

/* a + b rounded to odd, for rounding again. */
static inline double rf_sum_to_odd(double a, double b)
{
    double sum = a + b, part = sum - a;
    double error = (a - (sum - part)) + (b - part);
    uint64_t bits = rf_f64_bits(sum);
    bool away = (error > 0) == (sum > 0);
    bool inexact = error > 0 || error < 0;
    uint64_t odd = bits & 1 ? bits : away ? bits + 1 : bits - 1;
    return rf_f64(inexact ? odd : bits);
}

#endif
