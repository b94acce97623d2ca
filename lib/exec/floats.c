/* Floating-point arithmetic as PTX defines it (see floats.h).
 *
 * Rounding works on sign, magnitude m and exponent e of m * 2^e with m a
 * 64-bit integer, so that doubles and integers take the same way into every
 * type: keep the bits above the last place of the result, and let the bits
 * below decide the increment. A carry out of the fraction moves the exponent
 * up by itself, because the fields lie next to each other. */
#include "exec/floats.h"

#include <fenv.h>
#include <math.h>

typedef struct {
    int exponent, fraction, pad;
    uint64_t max, inf, nan;
} format;

static const format formats[] = {
#define X(id, e, f, p, max, inf, nan) { e, f, p, max, inf, nan },
    RF_FLOAT_TYPES(X)
#undef X
};

int rf_float_bits(rf_ftype type)
{
    const format *f = &formats[type];
    return 1 + f->exponent + f->fraction + f->pad;
}

static uint64_t sign_bit(rf_ftype type)
{
    return 1ull << (rf_float_bits(type) - 1);
}

static uint64_t magnitude(rf_ftype type, uint64_t bits)
{
    return bits & (sign_bit(type) - 1);
}

bool rf_float_is_nan(rf_ftype type, uint64_t bits)
{
    const format *f = &formats[type];
    uint64_t mag = magnitude(type, bits);
    return f->inf ? mag > f->inf : mag == f->nan;
}

bool rf_float_is_inf(rf_ftype type, uint64_t bits)
{
    const format *f = &formats[type];
    return f->inf && magnitude(type, bits) == f->inf;
}

bool rf_float_is_subnormal(rf_ftype type, uint64_t bits)
{
    const format *f = &formats[type];
    uint64_t mag = magnitude(type, bits);
    return mag && !(mag >> (f->fraction + f->pad));
}

/* A narrow magnitude laid into the fields of a double is the value scaled by
 * 2^(bias - 1023), for normal and subnormal numbers alike. */
double rf_float_decode(rf_ftype type, uint64_t bits)
{
    const format *f = &formats[type];
    if (type == RF_F64)
        return rf_f64(bits);
    uint64_t mag = magnitude(type, bits) >> f->pad << f->pad;
    bool neg = bits & sign_bit(type);
    if (rf_float_is_nan(type, bits))
        return NAN;
    if (f->inf && mag == f->inf)
        return neg ? -INFINITY : INFINITY;
    int bias = (1 << (f->exponent - 1)) - 1;
    double scaled = rf_f64(mag << (52 - f->fraction - f->pad));
    double value = scaled * rf_f64((uint64_t)(2046 - bias) << 52);
    return neg ? -value : value;
}

/* Rounding */

/* One bit that looks random, the same for the same value. */
static bool scatter(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ (b << 32 | b >> 32)) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
    return x >> 63;
}

static bool rounds_up(rf_round round, bool neg, uint64_t bits, uint64_t rest)
{
    const uint64_t half = 1ull << 63;
    switch (round) {
    case RF_RN:
        return rest > half || (rest == half && (bits & 1));
    case RF_RS:
        return rest && scatter(bits, rest);
    case RF_RT:
        return rest && !scatter(bits, rest);
    case RF_RNA:
        return rest >= half;
    case RF_RM:
        return neg && rest;
    case RF_RP:
        return !neg && rest;
    case RF_RZ:
        break;
    }
    return false;
}

static uint64_t overflow(const format *f, rf_round round, bool neg,
                         unsigned flags)
{
    bool to_max =
        round == RF_RZ || (round == RF_RM && !neg) || (round == RF_RP && neg);
    if ((flags & RF_SATFINITE) || to_max)
        return f->max;
    return f->inf ? f->inf : f->nan;
}

/* Shift "m" right by "n", and leave the bits shifted out, with a sticky bit,
 * at the top of "*rest". */
static uint64_t shift_out(uint64_t m, int n, uint64_t *rest)
{
    if (n > 64) {
        *rest = m != 0;
        return 0;
    }
    if (n == 64) {
        *rest = m;
        return 0;
    }
    *rest = n ? m << (64 - n) : 0;
    return n ? m >> n : m;
}

/* Return the bits of m * 2^e, m not 0, in "type". */
static uint64_t round_parts(rf_ftype type, bool neg, uint64_t m, int e,
                            rf_round round, unsigned flags)
{
    const format *f = &formats[type];
    int up = __builtin_clzll(m), bias = (1 << (f->exponent - 1)) - 1;
    m <<= up;
    int top = e - up + 63, least = 1 - bias;
    int scale = top > least ? top : least;
    uint64_t rest;
    uint64_t bits = shift_out(m, 63 - f->fraction + scale - top, &rest);
    bits += rounds_up(round, neg, bits, rest);
    bits += (uint64_t)(scale - least) << f->fraction;
    bits <<= f->pad;
    if (top > bias + 1 || bits > f->max)
        bits = overflow(f, round, neg, flags);
    return neg ? bits | sign_bit(type) : bits;
}

static double clamp(double x, unsigned flags)
{
    if (flags & RF_SAT)
        return x > 0 ? (x < 1 ? x : 1) : 0;
    if ((flags & RF_RELU) && (x < 0 || (x == 0 && signbit(x))))
        return 0;
    return x;
}

static uint64_t flush(rf_ftype type, uint64_t bits, unsigned flags)
{
    if ((flags & RF_FTZ) && rf_float_is_subnormal(type, bits))
        return bits & sign_bit(type);
    return bits;
}

uint64_t rf_float_encode(rf_ftype type, double x, rf_round round,
                         unsigned flags)
{
    const format *f = &formats[type];
    x = clamp(x, flags);
    if (isnan(x))
        return f->nan;
    bool neg = signbit(x);
    uint64_t sign = neg ? sign_bit(type) : 0;
    if (x == 0)
        return sign;
    if (isinf(x))
        return sign | overflow(f, RF_RN, neg, flags);
    uint64_t bits = rf_f64_bits(x);
    int field = bits >> 52 & 0x7ff;
    uint64_t m = bits & ((1ull << 52) - 1);
    if (field)
        m |= 1ull << 52;
    int e = (field ? field : 1) - 1075;
    return flush(type, round_parts(type, neg, m, e, round, flags), flags);
}

/* Operations in double, rounded to odd */

/* Return the odd one of the two doubles around x + error, where "x" is the
 * nearest. */
static double odd(double x, double error)
{
    if (!isfinite(x) || error == 0 || (rf_f64_bits(x) & 1))
        return x;
    return nextafter(x, error > 0 ? INFINITY : -INFINITY);
}

static double odd_add(double a, double b)
{
    double sum = a + b, b_part = sum - a;
    return odd(sum, (a - (sum - b_part)) + (b - b_part));
}

static double odd_div(double a, double b)
{
    double q = a / b, rest = fma(-q, b, a);
    return b == 0 || isinf(b) ? q : odd(q, b < 0 ? -rest : rest);
}

static double odd_sqrt(double a)
{
    double s = sqrt(a);
    return odd(s, fma(-s, s, a));
}

/* An exact sum of opposite numbers is -0 when rounding down. */
static double zero_sum(double sum, double a, double b, rf_round round)
{
    if (sum == 0 && round == RF_RM && !(a == 0 && signbit(a) == signbit(b)))
        return -0.0;
    return sum;
}

static double sum_narrow(double a, double b, rf_round round)
{
    return zero_sum(odd_add(a, b), a, b, round);
}

static double least(double a, double b, double sign, unsigned flags)
{
    if (isnan(a) || isnan(b)) {
        if (flags & RF_NAN)
            return NAN;
        return isnan(a) ? b : a;
    }
    if (a == b)
        return signbit(a) == (sign > 0) ? a : b;
    return (a < b) == (sign > 0) ? a : b;
}

static double extreme(double a, double b, double sign, unsigned flags)
{
    if (!(flags & RF_XORSIGN))
        return least(a, b, sign, flags);
    bool neg = signbit(a) != signbit(b);
    double r = least(fabs(a), fabs(b), sign, flags);
    return neg ? -r : r;
}

/* What every type computes in the same way. */
static double common_op(rf_fop op, double a, double b, unsigned flags)
{
    switch (op) {
    case RF_FOP_MIN:
        return extreme(a, b, 1, flags);
    case RF_FOP_MAX:
        return extreme(a, b, -1, flags);
    case RF_FOP_RSQRT:
        return a == 0 ? copysign(INFINITY, a) : 1 / sqrt(a);
    case RF_FOP_EX2:
        return exp2(a);
    case RF_FOP_LG2:
        return log2(a);
    case RF_FOP_SIN:
        return sin(a);
    case RF_FOP_COS:
        return cos(a);
    default:
        return tanh(a);
    }
}

static double narrow_op(rf_fop op, double a, double b, double c, rf_round round,
                        unsigned flags)
{
    switch (op) {
    case RF_FOP_ADD:
        return sum_narrow(a, b, round);
    case RF_FOP_SUB:
        return sum_narrow(a, -b, round);
    case RF_FOP_MUL:
        return a * b;
    case RF_FOP_FMA:
        return sum_narrow(a * b, c, round);
    case RF_FOP_DIV:
        return odd_div(a, b);
    case RF_FOP_RCP:
        return odd_div(1, a);
    case RF_FOP_SQRT:
        return odd_sqrt(a);
    default:
        return common_op(op, a, b, flags);
    }
}

/* The volatile copies keep the operation between the two changes of mode. */
static double double_op(rf_fop op, double a, double b, double c, rf_round round,
                        unsigned flags)
{
    static const int modes[] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                 FE_UPWARD, FE_TONEAREST };
    volatile double p = a, q = b, s = c, r;
    if (round == RF_RS || round == RF_RT) {
        uint64_t key = rf_f64_bits(a) ^ rf_f64_bits(c);
        bool up = scatter(key, rf_f64_bits(b)) == (round == RF_RS);
        round = up ? RF_RP : RF_RM;
    }
    fesetround(modes[round]);
    switch (op) {
    case RF_FOP_ADD:
        r = p + q;
        break;
    case RF_FOP_SUB:
        r = p - q;
        break;
    case RF_FOP_MUL:
        r = p * q;
        break;
    case RF_FOP_FMA:
        r = fma(p, q, s);
        break;
    case RF_FOP_DIV:
        r = p / q;
        break;
    case RF_FOP_RCP:
        r = 1 / p;
        break;
    case RF_FOP_SQRT:
        r = sqrt(p);
        break;
    default:
        r = common_op(op, a, b, flags);
    }
    fesetround(FE_TONEAREST);
    return r;
}

static uint64_t sign_op(rf_fop op, rf_ftype type, uint64_t a, unsigned flags)
{
    a = flush(type, a, flags);
    if (op == RF_FOP_ABS)
        return magnitude(type, a);
    return a ^ sign_bit(type);
}

uint64_t rf_float_op(rf_fop op, rf_ftype type, uint64_t a, uint64_t b,
                     uint64_t c, rf_round round, unsigned flags)
{
    if (op == RF_FOP_NEG || op == RF_FOP_ABS)
        return sign_op(op, type, a, flags);
    double x = rf_float_decode(type, flush(type, a, flags));
    double y = rf_float_decode(type, flush(type, b, flags));
    double z = rf_float_decode(type, flush(type, c, flags));
    double r = type == RF_F64 ? double_op(op, x, y, z, round, flags)
                              : narrow_op(op, x, y, z, round, flags);
    uint64_t bits = rf_float_encode(type, r, round, flags);
    bool gross = type == RF_F64 && (flags & RF_APPROX) && (flags & RF_FTZ);
    return gross ? bits >> 32 << 32 : bits;
}

uint32_t rf_float_op_x2(rf_fop op, rf_ftype type, uint32_t a, uint32_t b,
                        uint32_t c, rf_round round, unsigned flags)
{
    uint32_t low =
        rf_float_op(op, type, a & 0xffff, b & 0xffff, c & 0xffff, round, flags);
    uint32_t high =
        rf_float_op(op, type, a >> 16, b >> 16, c >> 16, round, flags);
    return low | high << 16;
}

/* Conversions */

static double integral(double x, rf_round mode)
{
    switch (mode) {
    case RF_RN:
        return nearbyint(x);
    case RF_RZ:
        return trunc(x);
    case RF_RS:
    case RF_RT:
        return nearbyint(x);
    case RF_RM:
        return floor(x);
    case RF_RP:
        return ceil(x);
    case RF_RNA:
        break;
    }
    return round(x);
}

uint64_t rf_float_to_float(rf_ftype from, uint64_t x, rf_ftype to,
                           rf_round round, unsigned flags)
{
    bool f32 = from == RF_F32 || from == RF_TF32;
    double v = rf_float_decode(from, f32 ? flush(from, x, flags) : x);
    return rf_float_encode(to, v, round,
                           to == RF_F32 ? flags : flags & ~RF_FTZ);
}

uint64_t rf_float_integral(rf_ftype type, uint64_t x, rf_round round,
                           unsigned flags)
{
    double v = rf_float_decode(type, flush(type, x, flags));
    return rf_float_encode(type, integral(v, round), RF_RN, flags);
}

static uint64_t low_bits(uint64_t x, int bits)
{
    return bits == 64 ? x : x & ((1ull << bits) - 1);
}

uint64_t rf_float_to_int(rf_ftype from, uint64_t x, rf_itype to, rf_round round,
                         unsigned flags)
{
    int n = to.bits - to.is_signed;
    double v = integral(rf_float_decode(from, flush(from, x, flags)), round);
    uint64_t top = low_bits(~0ull, n), bottom = to.is_signed ? top + 1 : 0;
    if (isnan(v))
        return from == RF_F64 || to.bits == 64 ? 1ull << (to.bits - 1) : 0;
    if (v >= ldexp(1, n))
        return top;
    if (v <= (to.is_signed ? -ldexp(1, n) : 0))
        return bottom;
    return low_bits(v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v, to.bits);
}

static int64_t sign_extend(uint64_t x, int bits)
{
    return (int64_t)(x << (64 - bits)) >> (64 - bits);
}

uint64_t rf_int_to_float(rf_itype from, uint64_t x, rf_ftype to, rf_round round,
                         unsigned flags)
{
    x = from.is_signed ? (uint64_t)sign_extend(x, from.bits)
                       : low_bits(x, from.bits);
    bool neg = from.is_signed && x >> 63;
    uint64_t m = neg ? -x : x;
    if (!m)
        return 0;
    uint64_t bits = round_parts(to, neg, m, 0, round, flags);
    if (!(flags & RF_SAT))
        return bits;
    return rf_float_encode(to, neg ? 0 : 1, round, 0);
}

/* Clamp "v" to the range of "to". */
static uint64_t saturate(int64_t v, rf_itype to)
{
    int64_t top =
        (int64_t)(low_bits(~0ull, to.bits - to.is_signed) & INT64_MAX);
    int64_t bottom = to.is_signed ? -top - 1 : 0;
    return (uint64_t)(v > top ? top : v < bottom ? bottom : v);
}

uint64_t rf_int_to_int(rf_itype from, uint64_t x, rf_itype to, unsigned flags)
{
    uint64_t top = low_bits(~0ull, to.bits - to.is_signed);
    if (from.is_signed) {
        int64_t v = sign_extend(x, from.bits);
        x = flags & RF_SAT ? saturate(v, to) : (uint64_t)v;
    } else {
        x = low_bits(x, from.bits);
        x = (flags & RF_SAT) && x > top ? top : x;
    }
    return low_bits(x, to.bits);
}
