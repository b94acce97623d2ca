/* Integer, logic, shift and bit-field instructions. */
#include "rows.h"

#include "support/array.h"

#include <criterion/criterion.h>

typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef __int128 s128;
typedef unsigned __int128 u128;

#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define GAP(x, y) ((x) > (y) ? (x) - (y) : (y) - (x))

static s64 clamp32(s64 v)
{
    return MAX(MIN(v, INT32_MAX), INT32_MIN);
}

static s64 divide(s64 a, s64 b)
{
    return b == -1 ? (s64)(0 - (u64)a) : a / b;
}

static s64 remainder_of(s64 a, s64 b)
{
    return b == -1 ? 0 : a % b;
}

static int popcount(u64 v)
{
    int n = 0;
    for (int i = 0; i < 64; i++)
        n += v >> i & 1;
    return n;
}

/* The most significant set bit, -1 if there is none. */
static int top_bit(u64 v)
{
    int n = -1;
    for (int i = 0; i < 64; i++)
        if (v >> i & 1)
            n = i;
    return n;
}

/* The same for a signed value: the top bit unlike the sign. */
static int top_bit_signed(s64 v)
{
    return top_bit(v < 0 ? ~(u64)v : (u64)v);
}

static u64 reverse(u64 v, int bits)
{
    u64 r = 0;
    for (int i = 0; i < bits; i++)
        r |= (v >> i & 1) << (bits - 1 - i);
    return r;
}

static u64 bit_field(u64 a, u32 pos, u32 len, int bits, bool is_signed)
{
    u64 r = 0;
    pos &= 0xff;
    len &= 0xff;
    u64 end = MIN(pos + len - 1, (u32)bits - 1);
    bool sign = is_signed && len && (a >> end & 1);
    for (u32 i = 0; i < (u32)bits; i++) {
        bool in = i < len && pos + i < (u32)bits;
        r |= (u64)(in ? a >> (pos + i) & 1 : sign) << i;
    }
    return r;
}

static u64 bit_insert(u64 a, u64 b, u32 pos, u32 len, int bits)
{
    for (u32 i = 0; i < (len & 0xff) && i + (pos & 0xff) < (u32)bits; i++) {
        u32 at = (pos & 0xff) + i;
        b = (b & ~(1ull << at)) | (a >> i & 1) << at;
    }
    return b;
}

static u32 find_nth_set(u32 mask, u32 base, s32 offset)
{
    int step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;
    if (base > 31)
        return ~0u;
    if (!left)
        return mask >> base & 1 ? base : ~0u;
    for (int i = (int)base; i >= 0 && i < 32; i += step)
        if ((mask >> i & 1) && --left == 0)
            return (u32)i;
    return ~0u;
}

static u32 permute(u32 a, u32 b, u32 c)
{
    u64 all = (u64)b << 32 | a;
    u32 r = 0;
    for (int i = 0; i < 4; i++) {
        u32 select = c >> (4 * i);
        u32 byte = all >> (8 * (select & 7)) & 0xff;
        if (select & 8)
            byte = byte & 0x80 ? 0xff : 0;
        r |= byte << (8 * i);
    }
    return r;
}

static u32 permute_mode(u32 a, u32 b, u32 c, const u32 select[4])
{
    return permute(a, b, select[c & 3]);
}

static u32 logic3(u32 a, u32 b, u32 c, u32 table)
{
    u32 r = 0;
    for (int i = 0; i < 32; i++) {
        u32 at = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
        r |= (table >> at & 1) << i;
    }
    return r;
}

static u32 funnel(u32 a, u32 b, u32 n, bool left)
{
    u64 all = (u64)b << 32 | a;
    return left ? (u32)(all << n >> 32) : (u32)(all >> n);
}

static s64 part(u32 v, int i, int bits, bool is_signed)
{
    u64 x = (u64)v >> (i * bits) << (64 - bits);
    return is_signed ? (s64)x >> (64 - bits) : (s64)(x >> (64 - bits));
}

static u32 dot4(u32 a, u32 b, u32 c, bool sa, bool sb)
{
    s64 r = c;
    for (int i = 0; i < 4; i++)
        r += part(a, i, 8, sa) * part(b, i, 8, sb);
    return (u32)r;
}

static u32 dot2(u32 a, u32 b, u32 c, bool sa, bool sb, int high)
{
    s64 r = c;
    for (int i = 0; i < 2; i++)
        r += part(a, i, 16, sa) * part(b, i + 2 * high, 8, sb);
    return (u32)r;
}

static u32 halves(u32 a, u32 b, int op, bool is_signed)
{
    u32 r = 0;
    for (int i = 0; i < 2; i++) {
        s64 x = part(a, i, 16, is_signed), y = part(b, i, 16, is_signed);
        s64 v = op == 0 ? x + y : op == 1 ? MIN(x, y) : MAX(x, y);
        r |= (u32)(u16)v << (16 * i);
    }
    return r;
}

static u64 shift_left(u64 a, u32 n, int bits)
{
    return n >= (u32)bits ? 0 : a << n;
}

static u64 shift_right(u64 a, u32 n, int bits, bool is_signed)
{
    if (!is_signed)
        return n >= (u32)bits ? 0 : a >> n;
    return (u64)((s64)a >> MIN(n, (u32)bits - 1));
}

static u32 mask_of(u32 pos, u32 len, bool clamp)
{
    u64 p = clamp ? MIN(pos, 32) : pos & 31;
    u64 n = clamp ? MIN(len, 32) : len & 31;
    return (u32)(((1ull << n) - 1) << p);
}

static u32 extend(u32 a, u32 n, bool is_signed)
{
    if (n >= 32)
        return a;
    if (!n)
        return 0;
    return (u32)part(a, 0, (int)n, is_signed);
}

static u32 absolute_bytes(u32 a, u32 b, u32 c, bool is_signed)
{
    for (int i = 0; i < 4; i++)
        c += (u32)GAP(part(a, i, 8, is_signed), part(b, i, 8, is_signed));
    return c;
}

static const u32 forward4[] = { 0x3210, 0x4321, 0x5432, 0x6543 };
static const u32 backward4[] = { 0x5670, 0x6701, 0x7012, 0x0123 };
static const u32 replicate8[] = { 0x0000, 0x1111, 0x2222, 0x3333 };
static const u32 clamp_left[] = { 0x3210, 0x3211, 0x3222, 0x3333 };
static const u32 clamp_right[] = { 0x0000, 0x1110, 0x2210, 0x3210 };
static const u32 replicate16[] = { 0x1010, 0x3232, 0x1010, 0x3232 };

/* clang-format off */
/* identifier, types, PTX, value of d */
#define ARITHMETIC(X)                                                          \
    X(add_u16, "hhh", "add.u16 d, a, b;", a + b)                               \
    X(add_s16, "hhh", "add.s16 d, a, b;", a + b)                               \
    X(add_u32, "rrr", "add.u32 d, a, b;", a + b)                               \
    X(add_s32, "rrr", "add.s32 d, a, b;", a + b)                               \
    X(add_u64, "qqq", "add.u64 d, a, b;", a + b)                               \
    X(add_s64, "qqq", "add.s64 d, a, b;", a + b)                               \
    X(add_sat, "rrr", "add.sat.s32 d, a, b;", clamp32((s64)(s32)a + (s32)b))   \
    X(add_u16x2, "rrr", "add.u16x2 d, a, b;", halves(a, b, 0, false))          \
    X(add_s16x2, "rrr", "add.s16x2 d, a, b;", halves(a, b, 0, true))           \
    X(sub_u16, "hhh", "sub.u16 d, a, b;", a - b)                               \
    X(sub_s16, "hhh", "sub.s16 d, a, b;", a - b)                               \
    X(sub_u32, "rrr", "sub.u32 d, a, b;", a - b)                               \
    X(sub_s32, "rrr", "sub.s32 d, a, b;", a - b)                               \
    X(sub_u64, "qqq", "sub.u64 d, a, b;", a - b)                               \
    X(sub_s64, "qqq", "sub.s64 d, a, b;", a - b)                               \
    X(sub_sat, "rrr", "sub.sat.s32 d, a, b;", clamp32((s64)(s32)a - (s32)b))   \
    X(mul_lo_u16, "hhh", "mul.lo.u16 d, a, b;", a * b)                         \
    X(mul_lo_s16, "hhh", "mul.lo.s16 d, a, b;", a * b)                         \
    X(mul_lo_u32, "rrr", "mul.lo.u32 d, a, b;", a * b)                         \
    X(mul_lo_s32, "rrr", "mul.lo.s32 d, a, b;", a * b)                         \
    X(mul_lo_u64, "qqq", "mul.lo.u64 d, a, b;", a * b)                         \
    X(mul_lo_s64, "qqq", "mul.lo.s64 d, a, b;", a * b)                         \
    X(mul_hi_u16, "hhh", "mul.hi.u16 d, a, b;", a * b >> 16)                   \
    X(mul_hi_s16, "hhh", "mul.hi.s16 d, a, b;", (s16)a * (s16)b >> 16)         \
    X(mul_hi_u32, "rrr", "mul.hi.u32 d, a, b;", a * b >> 32)                   \
    X(mul_hi_s32, "rrr", "mul.hi.s32 d, a, b;", (s64)(s32)a * (s32)b >> 32)    \
    X(mul_hi_u64, "qqq", "mul.hi.u64 d, a, b;", (u128)a * b >> 64)             \
    X(mul_hi_s64, "qqq", "mul.hi.s64 d, a, b;", (s128)(s64)a * (s64)b >> 64)   \
    X(mul_wide_u16, "rhh", "mul.wide.u16 d, a, b;", a * b)                     \
    X(mul_wide_s16, "rhh", "mul.wide.s16 d, a, b;", (s16)a * (s16)b)           \
    X(mul_wide_u32, "qrr", "mul.wide.u32 d, a, b;", a * b)                     \
    X(mul_wide_s32, "qrr", "mul.wide.s32 d, a, b;", (s64)(s32)a * (s32)b)      \
    X(mul24_lo_u32, "rrr", "mul24.lo.u32 d, a, b;",                            \
      (a & 0xffffff) * (b & 0xffffff))                                         \
    X(mul24_hi_u32, "rrr", "mul24.hi.u32 d, a, b;",                            \
      (a & 0xffffff) * (b & 0xffffff) >> 16)                                   \
    X(mul24_lo_s32, "rrr", "mul24.lo.s32 d, a, b;",                            \
      part(a, 0, 24, true) * part(b, 0, 24, true))                             \
    X(mul24_hi_s32, "rrr", "mul24.hi.s32 d, a, b;",                            \
      part(a, 0, 24, true) * part(b, 0, 24, true) >> 16)                       \
    X(mad_lo_u16, "hhhh", "mad.lo.u16 d, a, b, c;", a * b + c)                 \
    X(mad_lo_s16, "hhhh", "mad.lo.s16 d, a, b, c;", a * b + c)                 \
    X(mad_lo_u32, "rrrr", "mad.lo.u32 d, a, b, c;", a * b + c)                 \
    X(mad_lo_s32, "rrrr", "mad.lo.s32 d, a, b, c;", a * b + c)                 \
    X(mad_lo_u64, "qqqq", "mad.lo.u64 d, a, b, c;", a * b + c)                 \
    X(mad_lo_s64, "qqqq", "mad.lo.s64 d, a, b, c;", a * b + c)                 \
    X(mad_hi_u16, "hhhh", "mad.hi.u16 d, a, b, c;", (a * b >> 16) + c)         \
    X(mad_hi_u32, "rrrr", "mad.hi.u32 d, a, b, c;", (a * b >> 32) + c)         \
    X(mad_hi_s32, "rrrr", "mad.hi.s32 d, a, b, c;",                            \
      ((s64)(s32)a * (s32)b >> 32) + c)                                        \
    X(mad_hi_sat, "rrrr", "mad.hi.sat.s32 d, a, b, c;",                        \
      clamp32(((s64)(s32)a * (s32)b >> 32) + (s32)c))                          \
    X(mad_hi_u64, "qqqq", "mad.hi.u64 d, a, b, c;",                            \
      (u64)((u128)a * b >> 64) + c)                                            \
    X(mad_hi_s64, "qqqq", "mad.hi.s64 d, a, b, c;",                            \
      (u64)((s128)(s64)a * (s64)b >> 64) + c)                                  \
    X(mad_wide_u16, "rhhr", "mad.wide.u16 d, a, b, c;", a * b + c)             \
    X(mad_wide_s16, "rhhr", "mad.wide.s16 d, a, b, c;",                        \
      (u64)((s16)a * (s16)b) + c)                                              \
    X(mad_wide_u32, "qrrq", "mad.wide.u32 d, a, b, c;", a * b + c)             \
    X(mad_wide_s32, "qrrq", "mad.wide.s32 d, a, b, c;",                        \
      (u64)((s64)(s32)a * (s32)b) + c)                                         \
    X(mad24_lo_u32, "rrrr", "mad24.lo.u32 d, a, b, c;",                        \
      (a & 0xffffff) * (b & 0xffffff) + c)                                     \
    X(sad_u16, "hhhh", "sad.u16 d, a, b, c;", GAP(a, b) + c)                   \
    X(sad_s16, "hhhh", "sad.s16 d, a, b, c;",                                  \
      (u64)GAP((s16)a, (s16)b) + c)                                            \
    X(sad_u32, "rrrr", "sad.u32 d, a, b, c;", GAP(a, b) + c)                   \
    X(sad_s32, "rrrr", "sad.s32 d, a, b, c;",                                  \
      (u64)GAP((s64)(s32)a, (s64)(s32)b) + c)                                  \
    X(sad_u64, "qqqq", "sad.u64 d, a, b, c;", GAP(a, b) + c)                   \
    X(sad_s64, "qqqq", "sad.s64 d, a, b, c;",                                  \
      (u64)GAP((s128)(s64)a, (s128)(s64)b) + c)                                \
    X(div_u16, "hhh", "or.b16 b, b, 1; div.u16 d, a, b;", a / (b | 1))         \
    X(div_s16, "hhh", "or.b16 b, b, 1; div.s16 d, a, b;",                      \
      divide((s16)a, (s16)(b | 1)))                                            \
    X(div_u32, "rrr", "or.b32 b, b, 1; div.u32 d, a, b;", a / (b | 1))         \
    X(div_s32, "rrr", "or.b32 b, b, 1; div.s32 d, a, b;",                      \
      divide((s32)a, (s32)(b | 1)))                                            \
    X(div_u64, "qqq", "or.b64 b, b, 1; div.u64 d, a, b;", a / (b | 1))         \
    X(div_s64, "qqq", "or.b64 b, b, 1; div.s64 d, a, b;",                      \
      divide((s64)a, (s64)(b | 1)))                                            \
    X(rem_u16, "hhh", "or.b16 b, b, 1; rem.u16 d, a, b;", a % (b | 1))         \
    X(rem_s16, "hhh", "or.b16 b, b, 1; rem.s16 d, a, b;",                      \
      remainder_of((s16)a, (s16)(b | 1)))                                      \
    X(rem_u32, "rrr", "or.b32 b, b, 1; rem.u32 d, a, b;", a % (b | 1))         \
    X(rem_s32, "rrr", "or.b32 b, b, 1; rem.s32 d, a, b;",                      \
      remainder_of((s32)a, (s32)(b | 1)))                                      \
    X(rem_u64, "qqq", "or.b64 b, b, 1; rem.u64 d, a, b;", a % (b | 1))         \
    X(rem_s64, "qqq", "or.b64 b, b, 1; rem.s64 d, a, b;",                      \
      remainder_of((s64)a, (s64)(b | 1)))                                      \
    X(abs_s16, "hh", "abs.s16 d, a;", (s16)a < 0 ? 0 - a : a)                  \
    X(abs_s32, "rr", "abs.s32 d, a;", (s32)a < 0 ? 0 - a : a)                  \
    X(abs_s64, "qq", "abs.s64 d, a;", (s64)a < 0 ? 0 - a : a)                  \
    X(neg_s16, "hh", "neg.s16 d, a;", 0 - a)                                   \
    X(neg_s32, "rr", "neg.s32 d, a;", 0 - a)                                   \
    X(neg_s64, "qq", "neg.s64 d, a;", 0 - a)                                   \
    X(min_u16, "hhh", "min.u16 d, a, b;", MIN(a, b))                           \
    X(min_s16, "hhh", "min.s16 d, a, b;", MIN((s16)a, (s16)b))                 \
    X(min_u32, "rrr", "min.u32 d, a, b;", MIN(a, b))                           \
    X(min_s32, "rrr", "min.s32 d, a, b;", MIN((s32)a, (s32)b))                 \
    X(min_u64, "qqq", "min.u64 d, a, b;", MIN(a, b))                           \
    X(min_s64, "qqq", "min.s64 d, a, b;", MIN((s64)a, (s64)b))                 \
    X(min_relu, "rrr", "min.relu.s32 d, a, b;",                                \
      MAX(MIN((s32)a, (s32)b), 0))                                             \
    X(min_u16x2, "rrr", "min.u16x2 d, a, b;", halves(a, b, 1, false))          \
    X(min_s16x2, "rrr", "min.s16x2 d, a, b;", halves(a, b, 1, true))           \
    X(max_u16, "hhh", "max.u16 d, a, b;", MAX(a, b))                           \
    X(max_s16, "hhh", "max.s16 d, a, b;", MAX((s16)a, (s16)b))                 \
    X(max_u32, "rrr", "max.u32 d, a, b;", MAX(a, b))                           \
    X(max_s32, "rrr", "max.s32 d, a, b;", MAX((s32)a, (s32)b))                 \
    X(max_u64, "qqq", "max.u64 d, a, b;", MAX(a, b))                           \
    X(max_s64, "qqq", "max.s64 d, a, b;", MAX((s64)a, (s64)b))                 \
    X(max_relu, "rrr", "max.relu.s32 d, a, b;",                                \
      MAX(MAX((s32)a, (s32)b), 0))                                             \
    X(max_u16x2, "rrr", "max.u16x2 d, a, b;", halves(a, b, 2, false))          \
    X(max_s16x2, "rrr", "max.s16x2 d, a, b;", halves(a, b, 2, true))           \
    X(dp4a_uu, "rrrr", "dp4a.u32.u32 d, a, b, c;", dot4(a, b, c, 0, 0))        \
    X(dp4a_us, "rrrr", "dp4a.u32.s32 d, a, b, c;", dot4(a, b, c, 0, 1))        \
    X(dp4a_su, "rrrr", "dp4a.s32.u32 d, a, b, c;", dot4(a, b, c, 1, 0))        \
    X(dp4a_ss, "rrrr", "dp4a.s32.s32 d, a, b, c;", dot4(a, b, c, 1, 1))        \
    X(dp2a_lo_uu, "rrrr", "dp2a.lo.u32.u32 d, a, b, c;",                       \
      dot2(a, b, c, 0, 0, 0))                                                  \
    X(dp2a_hi_us, "rrrr", "dp2a.hi.u32.s32 d, a, b, c;",                       \
      dot2(a, b, c, 0, 1, 1))                                                  \
    X(dp2a_lo_su, "rrrr", "dp2a.lo.s32.u32 d, a, b, c;",                       \
      dot2(a, b, c, 1, 0, 0))                                                  \
    X(dp2a_hi_ss, "rrrr", "dp2a.hi.s32.s32 d, a, b, c;",                       \
      dot2(a, b, c, 1, 1, 1))                                                  \
    X(vabsdiff4_u, "rrrr", "vabsdiff4.u32.u32.u32.add d, a, b, c;",            \
      absolute_bytes(a, b, c, false))

/* A carry goes from the first instruction to the second. */
#define CARRY(X)                                                               \
    X(addc_low, "rrrr", "add.cc.u32 d, a, b; addc.u32 r0, c, 0;", a + b)       \
    X(addc_high, "rrrr", "add.cc.u32 r0, a, b; addc.u32 d, c, c;",             \
      c + c + ((a + b) >> 32))                                                 \
    X(addc_twice, "rrrr",                                                      \
      "add.cc.u32 r0, a, b; addc.cc.u32 r1, c, a; addc.u32 d, b, 0;",          \
      b + ((c + a + ((a + b) >> 32)) >> 32))                                   \
    X(addc_u64, "qqqq", "add.cc.u64 q0, a, b; addc.u64 d, c, 0;",              \
      c + (a + b < a))                                                         \
    X(subc_high, "rrrr", "sub.cc.u32 r0, a, b; subc.u32 d, c, a;",             \
      c - a - (a < b))                                                         \
    X(subc_twice, "rrrr",                                                      \
      "sub.cc.u32 r0, a, b; subc.cc.u32 r1, c, a; subc.u32 d, b, 0;",          \
      b - (c < a + (a < b)))                                                   \
    X(subc_u64, "qqqq", "sub.cc.u64 q0, a, b; subc.u64 d, c, 0;",              \
      c - (a < b))                                                             \
    X(madc_high, "rrrr",                                                       \
      "mad.lo.cc.u32 r0, a, b, c; madc.hi.u32 d, a, b, 0;",                    \
      (a * b + c) >> 32)                                                       \
    X(madc_cc, "rrrr",                                                         \
      "mad.lo.cc.u32 r0, a, b, c; madc.hi.cc.u32 r1, a, b, -1;"                \
      " addc.u32 d, 0, 0;",                                                    \
      ((a * b >> 32) + 0xffffffff + (((a * b & 0xffffffff) + c) >> 32)) >> 32)

#define BITS(X)                                                                \
    X(and_b16, "hhh", "and.b16 d, a, b;", a & b)                               \
    X(and_b32, "rrr", "and.b32 d, a, b;", a & b)                               \
    X(and_b64, "qqq", "and.b64 d, a, b;", a & b)                               \
    X(and_pred, "ppp", "and.pred d, a, b;", a & b)                             \
    X(or_b16, "hhh", "or.b16 d, a, b;", a | b)                                 \
    X(or_b32, "rrr", "or.b32 d, a, b;", a | b)                                 \
    X(or_b64, "qqq", "or.b64 d, a, b;", a | b)                                 \
    X(or_pred, "ppp", "or.pred d, a, b;", a | b)                               \
    X(xor_b16, "hhh", "xor.b16 d, a, b;", a ^ b)                               \
    X(xor_b32, "rrr", "xor.b32 d, a, b;", a ^ b)                               \
    X(xor_b64, "qqq", "xor.b64 d, a, b;", a ^ b)                               \
    X(xor_pred, "ppp", "xor.pred d, a, b;", a ^ b)                             \
    X(not_b16, "hh", "not.b16 d, a;", ~a)                                      \
    X(not_b32, "rr", "not.b32 d, a;", ~a)                                      \
    X(not_b64, "qq", "not.b64 d, a;", ~a)                                      \
    X(not_pred, "pp", "not.pred d, a;", !a)                                    \
    X(cnot_b16, "hh", "cnot.b16 d, a;", !a)                                    \
    X(cnot_b32, "rr", "cnot.b32 d, a;", !a)                                    \
    X(cnot_b64, "qq", "cnot.b64 d, a;", !a)                                    \
    X(lop3_96, "rrrr", "lop3.b32 d, a, b, c, 0x96;", a ^ b ^ c)                \
    X(lop3_e8, "rrrr", "lop3.b32 d, a, b, c, 0xe8;",                           \
      logic3(a, b, c, 0xe8))                                                   \
    X(lop3_3c, "rrrr", "lop3.b32 d, a, b, c, 0x3c;",                           \
      logic3(a, b, c, 0x3c))                                                   \
    X(lop3_17, "rrrr", "lop3.b32 d, a, b, c, 0x17;",                           \
      logic3(a, b, c, 0x17))                                                   \
    X(shl_b16, "hhs", "shl.b16 d, a, b;", shift_left(a, b, 16))                \
    X(shl_b32, "rrs", "shl.b32 d, a, b;", shift_left(a, b, 32))                \
    X(shl_b64, "qqs", "shl.b64 d, a, b;", shift_left(a, b, 64))                \
    X(shl_wild, "rrr", "shl.b32 d, a, b;", shift_left(a, b, 32))               \
    X(shr_u16, "hhs", "shr.u16 d, a, b;", shift_right(a, b, 16, false))        \
    X(shr_s16, "hhs", "shr.s16 d, a, b;", shift_right((u64)(s16)a, b, 16, 1))  \
    X(shr_u32, "rrs", "shr.u32 d, a, b;", shift_right(a, b, 32, false))        \
    X(shr_b32, "rrs", "shr.b32 d, a, b;", shift_right(a, b, 32, false))        \
    X(shr_s32, "rrs", "shr.s32 d, a, b;", shift_right((u64)(s32)a, b, 32, 1))  \
    X(shr_u64, "qqs", "shr.u64 d, a, b;", shift_right(a, b, 64, false))        \
    X(shr_s64, "qqs", "shr.s64 d, a, b;", shift_right(a, b, 64, true))         \
    X(shf_l_clamp, "rrrs", "shf.l.clamp.b32 d, a, b, c;",                      \
      funnel(a, b, MIN(c, 32), true))                                          \
    X(shf_l_wrap, "rrrs", "shf.l.wrap.b32 d, a, b, c;",                        \
      funnel(a, b, c & 31, true))                                              \
    X(shf_r_clamp, "rrrs", "shf.r.clamp.b32 d, a, b, c;",                      \
      funnel(a, b, MIN(c, 32), false))                                         \
    X(shf_r_wrap, "rrrs", "shf.r.wrap.b32 d, a, b, c;",                        \
      funnel(a, b, c & 31, false))                                             \
    X(popc_b32, "rr", "popc.b32 d, a;", popcount(a))                           \
    X(popc_b64, "rq", "popc.b64 d, a;", popcount(a))                           \
    X(clz_b32, "rr", "clz.b32 d, a;", 31 - top_bit(a))                         \
    X(clz_b64, "rq", "clz.b64 d, a;", 63 - top_bit(a))                         \
    X(bfind_u32, "rr", "bfind.u32 d, a;", top_bit(a))                          \
    X(bfind_s32, "rr", "bfind.s32 d, a;", top_bit_signed((s32)a))              \
    X(bfind_u64, "rq", "bfind.u64 d, a;", top_bit(a))                          \
    X(bfind_s64, "rq", "bfind.s64 d, a;", top_bit_signed((s64)a))              \
    X(bfind_shift, "rr", "bfind.shiftamt.u32 d, a;",                           \
      a ? 31 - top_bit(a) : -1)                                                \
    X(bfind_shift64, "rq", "bfind.shiftamt.s64 d, a;",                         \
      top_bit_signed(a) < 0 ? -1 : 63 - top_bit_signed(a))                     \
    X(brev_b32, "rr", "brev.b32 d, a;", reverse(a, 32))                        \
    X(brev_b64, "qq", "brev.b64 d, a;", reverse(a, 64))                        \
    X(bfe_u32, "rrss", "bfe.u32 d, a, b, c;", bit_field(a, b, c, 32, false))   \
    X(bfe_s32, "rrss", "bfe.s32 d, a, b, c;", bit_field(a, b, c, 32, true))    \
    X(bfe_u64, "qqss", "bfe.u64 d, a, b, c;", bit_field(a, b, c, 64, false))   \
    X(bfe_s64, "qqss", "bfe.s64 d, a, b, c;", bit_field(a, b, c, 64, true))    \
    X(bfe_wild, "rrrr", "bfe.s32 d, a, b, c;", bit_field(a, b, c, 32, true))   \
    X(bfi_b32, "rrrs", "bfi.b32 d, a, b, c, 7;", bit_insert(a, b, c, 7, 32))   \
    X(bfi_len, "rrrs", "bfi.b32 d, a, b, 5, c;", bit_insert(a, b, 5, c, 32))   \
    X(bfi_b64, "qqqs", "bfi.b64 d, a, b, c, 11;",                              \
      bit_insert(a, b, c, 11, 64))                                             \
    X(fns_b32, "rrrr",                                                         \
      "and.b32 b, b, 31; and.b32 c, c, 15; sub.s32 c, c, 8;"                   \
      " fns.b32 d, a, b, c;",                                                  \
      find_nth_set(a, b & 31, (s32)(c & 15) - 8))                              \
    X(bmsk_clamp, "rss", "bmsk.clamp.b32 d, a, b;", mask_of(a, b, true))       \
    X(bmsk_wrap, "rss", "bmsk.wrap.b32 d, a, b;", mask_of(a, b, false))        \
    X(szext_clamp_u, "rrs", "szext.clamp.u32 d, a, b;", extend(a, b, false))   \
    X(szext_clamp_s, "rrs", "szext.clamp.s32 d, a, b;", extend(a, b, true))    \
    X(szext_wrap_u, "rrs", "szext.wrap.u32 d, a, b;",                          \
      extend(a, b & 31, false))                                                \
    X(prmt, "rrrr", "prmt.b32 d, a, b, c;", permute(a, b, c))                  \
    X(prmt_f4e, "rrrr", "prmt.b32.f4e d, a, b, c;",                            \
      permute_mode(a, b, c, forward4))                                         \
    X(prmt_b4e, "rrrr", "prmt.b32.b4e d, a, b, c;",                            \
      permute_mode(a, b, c, backward4))                                        \
    X(prmt_rc8, "rrrr", "prmt.b32.rc8 d, a, b, c;",                            \
      permute_mode(a, b, c, replicate8))                                       \
    X(prmt_ecl, "rrrr", "prmt.b32.ecl d, a, b, c;",                            \
      permute_mode(a, b, c, clamp_left))                                       \
    X(prmt_ecr, "rrrr", "prmt.b32.ecr d, a, b, c;",                            \
      permute_mode(a, b, c, clamp_right))                                      \
    X(prmt_rc16, "rrrr", "prmt.b32.rc16 d, a, b, c;",                          \
      permute_mode(a, b, c, replicate16))
/* clang-format on */

#define X(id, types, ptx, value)                                               \
    static uint64_t want_##id(const void *data, const uint64_t *s)             \
    {                                                                          \
        u64 a = s[0], b = s[1], c = s[2];                                      \
        (void)data, (void)a, (void)b, (void)c;                                 \
        return (u64)(value);                                                   \
    }
ARITHMETIC(X)
CARRY(X)
BITS(X)
#undef X

#define X(id, types, ptx, value) { ptx, types, want_##id, NULL, NULL },
static const row arithmetic[] = { ARITHMETIC(X) };
static const row carry[] = { CARRY(X) };
static const row bits[] = { BITS(X) };
#undef X

Test(integer, arithmetic)
{
    cr_assert_eq(rows_run(arithmetic, RF_COUNTOF(arithmetic)), 0);
}

Test(integer, carry)
{
    cr_assert_eq(rows_run(carry, RF_COUNTOF(carry)), 0);
}

Test(integer, logic_shifts_and_fields)
{
    cr_assert_eq(rows_run(bits, RF_COUNTOF(bits)), 0);
}
