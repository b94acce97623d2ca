/* Integer and bitwise steps, and their table.
 *
 * Sums and products are computed unsigned, so that they wrap. */
#include "exec/step_macros.h"

/* ---- arithmetic of every width: name, expression on unsigned values ---- */
#define EACH_SIGN2(op, expr_u, expr_s)                                         \
    STEP2(op##_u16, u16, u16, expr_u)                                          \
    STEP2(op##_s16, s16, s16, expr_s)                                          \
    STEP2(op##_u32, u32, u32, expr_u)                                          \
    STEP2(op##_s32, s32, s32, expr_s)                                          \
    STEP2(op##_u64, u64, u64, expr_u)                                          \
    STEP2(op##_s64, s64, s64, expr_s)

#define EACH_WIDTH2(op, expr)                                                  \
    STEP2(op##_16, u16, u16, expr)                                             \
    STEP2(op##_32, u32, u32, expr)                                             \
    STEP2(op##_64, u64, u64, expr)

#define EACH_WIDTH1(op, expr)                                                  \
    STEP1(op##_16, u16, u16, expr)                                             \
    STEP1(op##_32, u32, u32, expr)                                             \
    STEP1(op##_64, u64, u64, expr)

EACH_WIDTH2(add, a + b)
EACH_WIDTH2(sub, a - b)
STEP2(mul_lo_16, u16, u16, (u32)a *b)
STEP2(mul_lo_32, u32, u32, a *b)
STEP2(mul_lo_64, u64, u64, a *b)
EACH_WIDTH2(and, a &b)
EACH_WIDTH2(or, a | b)
EACH_WIDTH2(xor, a ^ b)
EACH_WIDTH1(not, ~a)
EACH_WIDTH1(cnot, !a)
EACH_WIDTH1(neg, 0 - a)
EACH_SIGN2(min, a < b ? a : b, a < b ? a : b)
EACH_SIGN2(max, a > b ? a : b, a > b ? a : b)

/* x / 0 is all ones, x % 0 is x; the least value / -1 wraps. */
EACH_SIGN2(div, b ? a / b : ~0ull,
           b == 0    ? ~0ull
           : b == -1 ? 0 - (u64)a
                     : (u64)(a / b))
EACH_SIGN2(rem, b ? a % b : a, b == 0 ? a : b == -1 ? 0 : a % b)

STEP1(abs_s16, s16, s16, a < 0 ? 0 - (u32)a : (u32)a)
STEP1(abs_s32, s32, s32, a < 0 ? 0 - (u32)a : (u32)a)
STEP1(abs_s64, s64, s64, a < 0 ? 0 - (u64)a : (u64)a)

/* ---- products ---- */
STEP2(mul_hi_u16, u16, u16, (u32)a *b >> 16)
STEP2(mul_hi_s16, s16, s16, (s32)a *b >> 16)
STEP2(mul_hi_u32, u32, u32, (u64)a *b >> 32)
STEP2(mul_hi_s32, s32, s32, (s64)a *b >> 32)
STEP2(mul_hi_u64, u64, u64, (u128)a *b >> 64)
STEP2(mul_hi_s64, s64, s64, (s128)a *b >> 64)
STEP2(mul_wide_u16, u16, u32, (u32)a *b)
STEP2(mul_wide_s16, s16, s32, (s32)a *b)
STEP2(mul_wide_u32, u32, u64, (u64)a *b)
STEP2(mul_wide_s32, s32, s64, (s64)a *b)
STEP3(mad_wide_u16, u16, u32, u32, (u32)a *b + c)
STEP3(mad_wide_s16, s16, u32, u32, (u32)((s32)a *b) + c)
STEP3(mad_wide_u32, u32, u64, u64, (u64)a *b + c)
STEP3(mad_wide_s32, s32, u64, u64, (u64)((s64)a *b) + c)
STEP3(mad_lo_16, u16, u16, u16, (u32)a *b + c)
STEP3(mad_lo_32, u32, u32, u32, a *b + c)
STEP3(mad_lo_64, u64, u64, u64, a *b + c)
STEP3(mad_hi_u16, u16, u16, u16, ((u32)a * b >> 16) + c)
STEP3(mad_hi_s16, s16, u16, u16, (u32)((s32)a *b >> 16) + c)
STEP3(mad_hi_u32, u32, u32, u32, (u32)((u64)a *b >> 32) + c)
STEP3(mad_hi_s32, s32, u32, u32, (u32)((s64)a *b >> 32) + c)
STEP3(mad_hi_u64, u64, u64, u64, (u64)((u128)a *b >> 64) + c)
STEP3(mad_hi_s64, s64, u64, u64, (u64)((s128)a *b >> 64) + c)

static s32 clamp_s32(s64 x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (s32)x;
}

static inline s32 low24(s32 x)
{
    return (s32)((u32)x << 8) >> 8;
}

STEP2(add_sat_s32, s32, s32, clamp_s32((s64)a + b))
STEP2(sub_sat_s32, s32, s32, clamp_s32((s64)a - b))
STEP3(mad_hi_sat_s32, s32, s32, s32, clamp_s32(((s64)a * b >> 32) + c))
STEP2(mul24_lo_u32, u32, u32, (a & 0xffffff) * (b & 0xffffff))
STEP2(mul24_lo_s32, s32, u32, (u32)low24(a) * (u32)low24(b))
STEP2(mul24_hi_u32, u32, u32, (u64)(a & 0xffffff) * (b & 0xffffff) >> 16)
STEP2(mul24_hi_s32, s32, u32, (s64)low24(a) * low24(b) >> 16)
STEP3(mad24_lo_u32, u32, u32, u32, (a & 0xffffff) * (b & 0xffffff) + c)
STEP3(mad24_lo_s32, s32, u32, u32, (u32)low24(a) * (u32)low24(b) + c)
STEP3(mad24_hi_u32, u32, u32, u32,
      (u32)((u64)(a & 0xffffff) * (b & 0xffffff) >> 16) + c)
STEP3(mad24_hi_s32, s32, u32, u32, (u32)((s64)low24(a) * low24(b) >> 16) + c)
STEP3(sad_u16, u16, u16, u16, c + (a > b ? a - b : b - a))
STEP3(sad_s16, s16, u16, u16, c + (a > b ? a - b : b - a))
STEP3(sad_u32, u32, u32, u32, c + (a > b ? a - b : b - a))
STEP3(sad_s32, s32, u32, u32, c + (a > b ? (u32)a - (u32)b : (u32)b - (u32)a))
STEP3(sad_u64, u64, u64, u64, c + (a > b ? a - b : b - a))
STEP3(sad_s64, s64, u64, u64, c + (a > b ? (u64)a - (u64)b : (u64)b - (u64)a))

/* ---- shifts: the count is 32 bits wide and clamps ---- */
#define SHIFT(name, type, expr)                                                \
    static inline u64 value_##name(u64 xa, u64 xb)                             \
    {                                                                          \
        type a = GET_##type(xa);                                               \
        u32 b = (u32)xb, top = sizeof(type) * 8 - 1;                           \
        return PUT_##type(expr);                                               \
    }                                                                          \
    static void name(rf_warp *w, const rf_instr *in, uint32_t mask)            \
    {                                                                          \
        u64 *d = rf_col(w, &in->o[0]);                                         \
        const u64 *x = rf_col(w, &in->o[1]), *y = rf_col(w, &in->o[2]);        \
        RF_LOOP(d, value_##name(x[i], y[i]));                                  \
    }

SHIFT(shl_16, u16, b > top ? 0 : a << (b & top))
SHIFT(shl_32, u32, b > top ? 0 : a << (b & top))
SHIFT(shl_64, u64, b > top ? 0 : a << (b & top))
SHIFT(shr_u16, u16, b > top ? 0 : a >> (b & top))
SHIFT(shr_u32, u32, b > top ? 0 : a >> (b & top))
SHIFT(shr_u64, u64, b > top ? 0 : a >> (b & top))
SHIFT(shr_s16, s16, a >> (b > top ? top : b))
SHIFT(shr_s32, s32, a >> (b > top ? top : b))
SHIFT(shr_s64, s64, a >> (b > top ? top : b))

/* c : b : a is a 64-bit value b:a shifted by c. */
STEP3(shf_l_wrap, u32, u32, u32, ((u64)b << 32 | a) << (c & 31) >> 32)
STEP3(shf_r_wrap, u32, u32, u32, ((u64)b << 32 | a) >> (c & 31))
STEP3(shf_l_clamp, u32, u32, u32, ((u64)b << 32 | a) << (c > 32 ? 32 : c) >> 32)
STEP3(shf_r_clamp, u32, u32, u32, ((u64)b << 32 | a) >> (c > 32 ? 32 : c))

/* ---- bits ---- */
static inline u64 reverse(u64 x, int bits)
{
    u64 r = 0;
    for (int i = 0; i < bits; i++)
        r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}

/* The position of the highest bit that differs from the sign, or ~0. */
static inline u32 highest(u64 x)
{
    return x ? 63 - (u32)__builtin_clzll(x) : ~0u;
}

static inline u32 shift_amount(u64 x, u32 bits)
{
    return x ? bits - 1 - highest(x) : ~0u;
}

STEP1(popc_32, u32, u32, __builtin_popcount(a))
STEP1(popc_64, u64, u32, __builtin_popcountll(a))
STEP1(clz_32, u32, u32, a ? __builtin_clz(a) : 32)
STEP1(clz_64, u64, u32, a ? __builtin_clzll(a) : 64)
STEP1(brev_32, u32, u32, reverse(a, 32))
STEP1(brev_64, u64, u64, reverse(a, 64))
STEP1(bfind_u32, u32, u32, highest(a))
STEP1(bfind_s32, s32, u32, highest((u32)(a < 0 ? ~a : a)))
STEP1(bfind_u64, u64, u32, highest(a))
STEP1(bfind_s64, s64, u32, highest((u64)(a < 0 ? ~a : a)))
STEP1(bfind_shift_u32, u32, u32, shift_amount(a, 32))
STEP1(bfind_shift_s32, s32, u32, shift_amount((u32)(a < 0 ? ~a : a), 32))
STEP1(bfind_shift_u64, u64, u32, shift_amount(a, 64))
STEP1(bfind_shift_s64, s64, u32, shift_amount((u64)(a < 0 ? ~a : a), 64))

/* Bits pos .. pos+len-1 of a value of "bits" bits, which is already extended
 * to 64 bits by its sign or by zeros. Beyond the value the sign repeats. */
static inline u64 extract(u64 x, u32 pos, u32 len, u32 bits, bool sign)
{
    pos &= 255;
    len &= 255;
    if (!len)
        return 0;
    u32 top = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
    bool negative = sign && (x >> top & 1);
    u64 field = pos > 63 ? 0 : x >> pos;
    u32 have = pos >= bits ? 0 : top + 1 - pos;
    u64 low = have >= 64 ? ~0ull : (1ull << have) - 1;
    return negative ? field | ~low : field & low;
}

STEP3(bfe_u32, u32, u32, u32, extract(a, b, c, 32, false))
STEP3(bfe_u64, u64, u32, u64, extract(a, (u32)b, c, 64, false))
STEP3(bfe_s32, s32, u32, u32, extract((u64)(s64)a, (u32)b, c, 32, true))
STEP3(bfe_s64, s64, u32, u64, extract((u64)a, (u32)b, c, 64, true))

static inline u64 insert(u64 field, u64 into, u32 pos, u32 len)
{
    pos &= 255;
    len &= 255;
    if (pos > 63)
        return into;
    u64 bits = (len > 63 ? ~0ull : (1ull << len) - 1) << pos;
    return (into & ~bits) | (field << pos & bits);
}

static void bfi(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u64 *d = rf_col(w, &in->o[0]);
    const u64 *f = rf_col(w, &in->o[1]), *x = rf_col(w, &in->o[2]);
    const u64 *p = rf_col(w, &in->o[3]), *n = rf_col(w, &in->o[4]);
    u64 bits = in->type == RF_T_B32 ? 0xffffffffu : ~0ull;
    RF_LOOP(d, insert(f[i], x[i], (u32)p[i], (u32)n[i]) & bits);
}

static inline u32 bit_mask(u32 pos, u32 len)
{
    u64 ones = len >= 32 ? 0xffffffffu : (1u << len) - 1;
    return pos > 31 ? 0 : (u32)(ones << pos);
}

STEP2(bmsk_clamp, u32, u32, bit_mask(a, b))
STEP2(bmsk_wrap, u32, u32, bit_mask(a & 31, b & 31))

/* ---- bytes ---- */
static inline u32 permute(u64 bytes, u32 selector)
{
    u32 r = 0;
    for (int k = 0; k < 4; k++) {
        u32 s = selector >> 4 * k & 15;
        u32 byte = bytes >> (s & 7) * 8 & 255;
        if (s & 8)
            byte = byte & 128 ? 255 : 0;
        r |= byte << 8 * k;
    }
    return r;
}

/* The selectors of the named modes, by the low bits of c. */
static inline u32 mode(u32 c, const u16 *table)
{
    return table[c & 3];
}

static const u16 f4e[] = { 0x3210, 0x4321, 0x5432, 0x6543 };
static const u16 b4e[] = { 0x5670, 0x6701, 0x7012, 0x0123 };
static const u16 rc8[] = { 0x0000, 0x1111, 0x2222, 0x3333 };
static const u16 ecl[] = { 0x3210, 0x3211, 0x3222, 0x3333 };
static const u16 ecr[] = { 0x0000, 0x1110, 0x2210, 0x3210 };
static const u16 rc16[] = { 0x1010, 0x3232, 0x1010, 0x3232 };

#define PRMT(name, selector)                                                   \
    STEP3(name, u32, u32, u32, permute((u64)b << 32 | a, selector))
PRMT(prmt, c)
PRMT(prmt_f4e, mode(c, f4e))
PRMT(prmt_b4e, mode(c, b4e))
PRMT(prmt_rc8, mode(c, rc8))
PRMT(prmt_ecl, mode(c, ecl))
PRMT(prmt_ecr, mode(c, ecr))
PRMT(prmt_rc16, mode(c, rc16))

static inline u32 byte_sum(u32 a, bool a_signed, u32 b, bool b_signed, u32 c)
{
    for (int k = 0; k < 32; k += 8) {
        s32 x = a_signed ? (s8)(a >> k) : (u8)(a >> k);
        s32 y = b_signed ? (s8)(b >> k) : (u8)(b >> k);
        c += (u32)(x * y);
    }
    return c;
}

/* Two 16-bit values of a by two bytes of b, from byte "first" on. */
static inline u32 half_sum(u32 a, bool a_signed, u32 b, bool b_signed, u32 c,
                           int first)
{
    for (int k = 0; k < 2; k++) {
        u32 byte = b >> 8 * (first + k);
        s32 x = a_signed ? (s16)(a >> 16 * k) : (u16)(a >> 16 * k);
        s32 y = b_signed ? (s8)byte : (u8)byte;
        c += (u32)(x * y);
    }
    return c;
}

#define DOT(name, sa, sb)                                                      \
    STEP3(dp4a_##name, u32, u32, u32, byte_sum(a, sa, b, sb, c))               \
    STEP3(dp2a_lo_##name, u32, u32, u32, half_sum(a, sa, b, sb, c, 0))         \
    STEP3(dp2a_hi_##name, u32, u32, u32, half_sum(a, sa, b, sb, c, 2))
DOT(uu, false, false)
DOT(us, false, true)
DOT(su, true, false)
DOT(ss, true, true)

static inline u32 lop3_value(u32 a, u32 b, u32 c, u32 table)
{
    u32 r = 0;
    for (u32 k = 0; k < 8; k++)
        r |= table >> k & 1
                 ? (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c)
                 : 0;
    return r;
}

void rf_step_lop3(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u64 *d = rf_col(w, &in->o[0]);
    const u64 *x = rf_col(w, &in->o[1]), *y = rf_col(w, &in->o[2]);
    const u64 *z = rf_col(w, &in->o[3]);
    u32 table = (u32)in->imm[0];
    RF_LOOP(d, lop3_value((u32)x[i], (u32)y[i], (u32)z[i], table));
}

/* ---- carries: imm[0] bit 0 takes the carry, bit 1 sets it ---- */
static inline u128 wide_of(u64 x, bool is64)
{
    return is64 ? (u128)x : (u128)(u32)x;
}

static void set_carry(rf_warp *w, int i, bool carry)
{
    w->carry = (w->carry & ~(1u << i)) | (u32)carry << i;
}

void rf_step_carry(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    bool is64 = rf_type_bytes(in->type) == 8, minus = in->sub;
    RF_EACH_LANE(i, mask)
    {
        u128 a = wide_of(rf_get(w, &in->o[1], i), is64);
        u128 b = wide_of(rf_get(w, &in->o[2], i), is64);
        u32 c = in->imm[0] & 1 ? w->carry >> i & 1 : 0;
        u128 r = minus ? a - b - c : a + b + c;
        rf_set(w, &in->o[0], i, is64 ? (u64)r : (u32)r);
        if (in->imm[0] & 2)
            set_carry(w, i, r >> (is64 ? 64 : 32) & 1);
    }
}

/* The low or high half of a product, as a value of the type's width. */
static u128 half_product(const rf_instr *in, u64 a, u64 b, bool high)
{
    bool is64 = rf_type_bytes(in->type) == 8;
    if (rf_type_class(in->type) == 's') {
        s128 p = is64 ? (s128)(s64)a * (s64)b : (s128)(s32)a * (s32)b;
        return wide_of((u64)(high ? p >> (is64 ? 64 : 32) : p), is64);
    }
    u128 p = is64 ? (u128)a * b : (u128)(u32)a * (u32)b;
    return wide_of((u64)(high ? p >> (is64 ? 64 : 32) : p), is64);
}

void rf_step_mad_carry(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    bool is64 = rf_type_bytes(in->type) == 8;
    RF_EACH_LANE(i, mask)
    {
        u64 a = rf_get(w, &in->o[1], i), b = rf_get(w, &in->o[2], i);
        u32 c = in->imm[0] & 1 ? w->carry >> i & 1 : 0;
        u128 r = half_product(in, a, b, in->sub) +
                 wide_of(rf_get(w, &in->o[3], i), is64) + c;
        rf_set(w, &in->o[0], i, is64 ? (u64)r : (u32)r);
        if (in->imm[0] & 2)
            set_carry(w, i, r >> (is64 ? 64 : 32) & 1);
    }
}

#define ROW(key, step)                                                         \
    {                                                                          \
        key, step, RF_CLASS_INT                                                \
    }
/* Rows of all widths; the sign does not matter. */
#define LOW(key, op)                                                           \
    ROW(key ".u16", op##_16), ROW(key ".s16", op##_16),                        \
        ROW(key ".u32", op##_32), ROW(key ".s32", op##_32),                    \
        ROW(key ".u64", op##_64), ROW(key ".s64", op##_64)
#define BITS(key, op)                                                          \
    ROW(key ".b16", op##_16), ROW(key ".b32", op##_32), ROW(key ".b64", op##_64)
/* Rows of types with a sign. */
#define NARROW(key, op)                                                        \
    ROW(key ".u16", op##_u16), ROW(key ".s16", op##_s16),                      \
        ROW(key ".u32", op##_u32), ROW(key ".s32", op##_s32)
#define WORDS(key, op)                                                         \
    ROW(key ".u32", op##_u32), ROW(key ".s32", op##_s32),                      \
        ROW(key ".u64", op##_u64), ROW(key ".s64", op##_s64)
#define SIGNS(key, op)                                                         \
    NARROW(key, op), ROW(key ".u64", op##_u64), ROW(key ".s64", op##_s64)
#define DOTS(key, op)                                                          \
    ROW(key ".u32.u32", op##_uu), ROW(key ".u32.s32", op##_us),                \
        ROW(key ".s32.u32", op##_su), ROW(key ".s32.s32", op##_ss)

const rf_step_row rf_steps_int[] = {
    LOW("add", add),
    LOW("sub", sub),
    LOW("mul.lo", mul_lo),
    LOW("mad.lo", mad_lo),
    LOW("neg", neg),
    BITS("and", and),
    BITS("or", or),
    BITS("xor", xor),
    BITS("not", not ),
    BITS("cnot", cnot),
    BITS("shl", shl),
    SIGNS("min", min),
    SIGNS("max", max),
    SIGNS("div", div),
    SIGNS("rem", rem),
    SIGNS("mul.hi", mul_hi),
    SIGNS("mad.hi", mad_hi),
    SIGNS("sad", sad),
    SIGNS("shr", shr),
    NARROW("mul.wide", mul_wide),
    NARROW("mad.wide", mad_wide),
    WORDS("bfind", bfind),
    WORDS("bfind.shiftamt", bfind_shift),
    WORDS("bfe", bfe),
    DOTS("dp4a", dp4a),
    DOTS("dp2a.lo", dp2a_lo),
    DOTS("dp2a.hi", dp2a_hi),
    ROW("abs.s16", abs_s16),
    ROW("abs.s32", abs_s32),
    ROW("abs.s64", abs_s64),
    ROW("mul24.lo.u32", mul24_lo_u32),
    ROW("mul24.lo.s32", mul24_lo_s32),
    ROW("mul24.hi.u32", mul24_hi_u32),
    ROW("mul24.hi.s32", mul24_hi_s32),
    ROW("mad24.lo.u32", mad24_lo_u32),
    ROW("mad24.lo.s32", mad24_lo_s32),
    ROW("mad24.hi.u32", mad24_hi_u32),
    ROW("mad24.hi.s32", mad24_hi_s32),
    ROW("shr.b16", shr_u16),
    ROW("shr.b32", shr_u32),
    ROW("shr.b64", shr_u64),
    ROW("shf.l.wrap.b32", shf_l_wrap),
    ROW("shf.r.wrap.b32", shf_r_wrap),
    ROW("shf.l.clamp.b32", shf_l_clamp),
    ROW("shf.r.clamp.b32", shf_r_clamp),
    ROW("popc.b32", popc_32),
    ROW("popc.b64", popc_64),
    ROW("clz.b32", clz_32),
    ROW("clz.b64", clz_64),
    ROW("brev.b32", brev_32),
    ROW("brev.b64", brev_64),
    ROW("bfi.b32", bfi),
    ROW("bfi.b64", bfi),
    ROW("bmsk.clamp.b32", bmsk_clamp),
    ROW("bmsk.wrap.b32", bmsk_wrap),
    ROW("prmt.b32", prmt),
    ROW("prmt.b32.f4e", prmt_f4e),
    ROW("prmt.b32.b4e", prmt_b4e),
    ROW("prmt.b32.rc8", prmt_rc8),
    ROW("prmt.b32.ecl", prmt_ecl),
    ROW("prmt.b32.ecr", prmt_ecr),
    ROW("prmt.b32.rc16", prmt_rc16),
    { NULL, NULL, 0 },
};

/* Saturating forms, reached through RF_SAT. */
rf_step *rf_step_saturated(const char *mnemonic)
{
    switch (*mnemonic) {
    case 'a':
        return add_sat_s32;
    case 's':
        return sub_sat_s32;
    default:
        return mad_hi_sat_s32;
    }
}
