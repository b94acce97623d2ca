/* Floating-point and integer arithmetic as PTX defines it.
 *
 * A value travels as the bits of its type in the low end of a uint64_t. Every
 * type but f64 is a subset of double, so an operation on one of them is done
 * in double, rounded to odd, and then rounded once to the type: with at least
 * two spare bits the second rounding sees the exact result (Boldo and
 * Melquiond 2008), in every rounding mode and for subnormal results too.
 * f64 itself uses the rounding modes of the host.
 *
 * Approximate functions (ex2, lg2, sin, ...) are computed in double and
 * rounded to nearest: inside every error bound that PTX gives. */
#ifndef RF_EXEC_FLOATS_H
#define RF_EXEC_FLOATS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* id, bits of exponent, of fraction, of padding below, largest finite value,
 * infinity (0: the type has none), canonical NaN */
#define RF_FLOAT_TYPES(X)                                                      \
    X(F64, 11, 52, 0, 0x7fefffffffffffff, 0x7ff0000000000000,                  \
      0xfff8000000000000)                                                      \
    X(F32, 8, 23, 0, 0x7f7fffff, 0x7f800000, 0x7fffffff)                       \
    X(TF32, 8, 10, 13, 0x7f7fe000, 0x7f800000, 0x7fffffff)                     \
    X(F16, 5, 10, 0, 0x7bff, 0x7c00, 0x7fff)                                   \
    X(BF16, 8, 7, 0, 0x7f7f, 0x7f80, 0x7fff)                                   \
    X(E4M3, 4, 3, 0, 0x7e, 0, 0x7f)                                            \
    X(E5M2, 5, 2, 0, 0x7b, 0x7c, 0x7f)

typedef enum {
#define X(id, ...) RF_##id,
    RF_FLOAT_TYPES(X)
#undef X
        RF_FLOAT_TYPE_COUNT
} rf_ftype;

/* To nearest even (also: none given), to zero, down, up, to nearest with ties
 * away; scattered: down or up as a hash of the exact value says, and the other
 * way round. The last two are no rounding of PTX: they show what rounding can
 * do to a result. */
typedef enum { RF_RN, RF_RZ, RF_RM, RF_RP, RF_RNA, RF_RS, RF_RT } rf_round;

enum {
    RF_FTZ = 1,       /* subnormal inputs and results become signed zeros */
    RF_SAT = 2,       /* the result is clamped to [0, 1], NaN to 0 */
    RF_SATFINITE = 4, /* overflow gives the largest finite value */
    RF_RELU = 8,      /* negative results become 0 */
    RF_NAN = 16,      /* min, max: a NaN input gives NaN */
    RF_XORSIGN = 32,  /* min, max of magnitudes, sign of the product */
    RF_APPROX = 64    /* with RF_FTZ on f64: the low word is zero */
};

/* id, spelling */
#define RF_FLOAT_OPS(X)                                                        \
    X(ADD, "add")                                                              \
    X(SUB, "sub")                                                              \
    X(MUL, "mul")                                                              \
    X(FMA, "fma")                                                              \
    X(DIV, "div")                                                              \
    X(MIN, "min")                                                              \
    X(MAX, "max")                                                              \
    X(RCP, "rcp")                                                              \
    X(SQRT, "sqrt")                                                            \
    X(NEG, "neg")                                                              \
    X(ABS, "abs")                                                              \
    X(RSQRT, "rsqrt")                                                          \
    X(EX2, "ex2")                                                              \
    X(LG2, "lg2")                                                              \
    X(SIN, "sin")                                                              \
    X(COS, "cos")                                                              \
    X(TANH, "tanh")

typedef enum {
#define X(id, spelling) RF_FOP_##id,
    RF_FLOAT_OPS(X)
#undef X
} rf_fop;

/* An integer type of 4 to 64 bits. */
typedef struct {
    uint8_t bits;
    bool is_signed;
} rf_itype;

/* Compute "op" on values of "type"; unused operands are ignored. */
uint64_t rf_float_op(rf_fop op, rf_ftype type, uint64_t a, uint64_t b,
                     uint64_t c, rf_round round, unsigned flags);
/* The same on both halves of packed 16-bit values. */
uint32_t rf_float_op_x2(rf_fop op, rf_ftype type, uint32_t a, uint32_t b,
                        uint32_t c, rf_round round, unsigned flags);

/* Return the value of "bits". */
double rf_float_decode(rf_ftype type, uint64_t bits);
/* Round "x" to "type". */
uint64_t rf_float_encode(rf_ftype type, double x, rf_round round,
                         unsigned flags);

/* Conversions (cvt). A float becomes an integer by "round", clamped to the
 * range of the type; an integer is clamped only under RF_SAT. */
uint64_t rf_float_to_float(rf_ftype from, uint64_t x, rf_ftype to,
                           rf_round round, unsigned flags);
uint64_t rf_float_to_int(rf_ftype from, uint64_t x, rf_itype to, rf_round round,
                         unsigned flags);
uint64_t rf_int_to_float(rf_itype from, uint64_t x, rf_ftype to, rf_round round,
                         unsigned flags);
uint64_t rf_int_to_int(rf_itype from, uint64_t x, rf_itype to, unsigned flags);
/* Round to an integral value of the same type (cvt.rni.f32.f32 ...). */
uint64_t rf_float_integral(rf_ftype type, uint64_t x, rf_round round,
                           unsigned flags);

/* Tell whether "bits" is a NaN, an infinity, a subnormal of "type". */
bool rf_float_is_nan(rf_ftype type, uint64_t bits);
bool rf_float_is_inf(rf_ftype type, uint64_t bits);
bool rf_float_is_subnormal(rf_ftype type, uint64_t bits);
/* Bits of storage of "type": 64, 32, 16 or 8. */
int rf_float_bits(rf_ftype type);

static inline float rf_f32(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t rf_f32_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline double rf_f64(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static inline uint64_t rf_f64_bits(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

#endif
