/* cvt: the common conversions as loops, all others through floats.h. */
#include "exec/decode.h"
#include "exec/halves.h"
#include "exec/step_macros.h"

#include <string.h>

STEP1(s64_s32, s32, s64, a)
STEP1(u64_u32, u32, u64, a)
STEP1(s32_s16, s16, s32, a)
STEP1(u32_u16, u16, u32, a)
STEP1(u32_u8, u32, u32, a & 255)
STEP1(s32_s8, s32, s32, (s8)a)
STEP1(u32_u64, u64, u32, a)
STEP1(u16_u32, u32, u16, a)
STEP1(f32_s32, s32, f32, (f32)a)
STEP1(f32_u32, u32, f32, (f32)a)
STEP1(f64_s32, s32, f64, (f64)a)
STEP1(f64_u32, u32, f64, (f64)a)
STEP1(f64_f32, f32, f64, (f64)a)
STEP1(f32_bf16, u32, u32, a << 16)
STEP1(f32_f16, u32, u32, rf_f16_to_f32(a))
STEP1(f16_f32, f32, u32, rf_f64_to_f16(a))
STEP1(bf16_f32, f32, u32, rf_f64_to_bf16(a))
STEP2(f16x2_f32, f32, u32, rf_f64_to_f16(a) << 16 | rf_f64_to_f16(b))
STEP2(bf16x2_f32, f32, u32, rf_f64_to_bf16(a) << 16 | rf_f64_to_bf16(b))

static const struct {
    rf_type to, from;
    rf_step *step;
} quick[] = {
    { RF_T_S64, RF_T_S32, s64_s32 },       { RF_T_U64, RF_T_U32, u64_u32 },
    { RF_T_S64, RF_T_U32, u64_u32 },       { RF_T_U64, RF_T_S32, s64_s32 },
    { RF_T_S32, RF_T_S16, s32_s16 },       { RF_T_U32, RF_T_U16, u32_u16 },
    { RF_T_S32, RF_T_U16, u32_u16 },       { RF_T_U32, RF_T_S16, s32_s16 },
    { RF_T_U32, RF_T_U8, u32_u8 },         { RF_T_S32, RF_T_U8, u32_u8 },
    { RF_T_S32, RF_T_S8, s32_s8 },         { RF_T_U32, RF_T_U64, u32_u64 },
    { RF_T_S32, RF_T_S64, u32_u64 },       { RF_T_U32, RF_T_S64, u32_u64 },
    { RF_T_S32, RF_T_U64, u32_u64 },       { RF_T_U16, RF_T_U32, u16_u32 },
    { RF_T_U16, RF_T_S32, u16_u32 },       { RF_T_S16, RF_T_U32, u16_u32 },
    { RF_T_F32, RF_T_S32, f32_s32 },       { RF_T_F32, RF_T_U32, f32_u32 },
    { RF_T_F64, RF_T_S32, f64_s32 },       { RF_T_F64, RF_T_U32, f64_u32 },
    { RF_T_F64, RF_T_F32, f64_f32 },       { RF_T_F32, RF_T_BF16, f32_bf16 },
    { RF_T_F32, RF_T_F16, f32_f16 },       { RF_T_F16, RF_T_F32, f16_f32 },
    { RF_T_BF16, RF_T_F32, bf16_f32 },     { RF_T_F16X2, RF_T_F32, f16x2_f32 },
    { RF_T_BF16X2, RF_T_F32, bf16x2_f32 },
};

static rf_step *quick_step(rf_type to, rf_type from)
{
    for (size_t i = 0; i < RF_COUNTOF(quick); i++)
        if (quick[i].to == to && quick[i].from == from)
            return quick[i].step;
    return NULL;
}

static rf_itype itype_of(rf_type type)
{
    bool nibble = type == RF_T_S4 || type == RF_T_U4;
    return (rf_itype){ nibble ? 4 : (uint8_t)(rf_type_bytes(type) * 8),
                       rf_type_class(type) == 's' };
}

static bool is_float(rf_type type)
{
    rf_ftype f;
    return rf_ftype_of(type, &f);
}

static rf_ftype ftype(rf_type type)
{
    rf_ftype f = RF_F32;
    rf_ftype_of(type, &f);
    return f;
}

/* One value; sub is set for rounding to an integral value. */
static u64 convert(const rf_instr *in, u64 x)
{
    rf_type to = (rf_type)in->type, from = (rf_type)in->type2;
    unsigned flags = (unsigned)in->imm[0];
    if (is_float(to) && is_float(from) && in->sub)
        x = rf_float_integral(ftype(from), x, in->round, flags);
    if (is_float(to) && is_float(from))
        return rf_float_to_float(ftype(from), x, ftype(to),
                                 in->sub ? RF_RN : in->round, flags);
    if (is_float(to))
        return rf_int_to_float(itype_of(from), x, ftype(to), in->round, flags);
    if (is_float(from))
        return rf_float_to_int(ftype(from), x, itype_of(to), in->round, flags);
    return rf_int_to_int(itype_of(from), x, itype_of(to), flags);
}

/* Integers narrower than the register are extended into it. */
static u64 extend(const rf_instr *in, u64 x)
{
    u32 bytes = rf_type_bytes((rf_type)in->type);
    bool negative = rf_type_class((rf_type)in->type) == 's';
    if (bytes == 1 && negative)
        return (u32)(s32)(s8)x;
    if (bytes == 2 && negative)
        return in->imm[1] > 2 ? (u32)(s32)(s16)x : (u16)x;
    return x;
}

static void step_cvt(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u64 *d = rf_col(w, &in->o[0]);
    const u64 *a = rf_col(w, &in->o[1]);
    RF_EACH_LANE(i, mask)
    {
        d[i] = extend(in, convert(in, a[i]));
    }
}

/* Packed: d holds the conversion of a in its high half and of b in its low
 * half; from a packed source, half by half. */
static void step_cvt_packed(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    rf_type to = (rf_type)in->type, from = (rf_type)in->type2;
    u32 bits = rf_type_bytes(to) * 4, half = rf_type_bytes(from) * 4;
    bool pair = rf_type_class(from) == 'x';
    RF_EACH_LANE(i, mask)
    {
        u64 a = rf_get(w, &in->o[1], i), b = a, hi, lo;
        if (pair)
            a = a >> half;
        else
            b = rf_get(w, &in->o[2], i);
        u64 keep = pair ? (1ull << half) - 1 : ~0ull;
        hi = rf_float_to_float(ftype(from), a & keep, ftype(to), in->round,
                               (unsigned)in->imm[0]);
        lo = rf_float_to_float(ftype(from), b & keep, ftype(to), in->round,
                               (unsigned)in->imm[0]);
        rf_set(w, &in->o[0], i, hi << bits | lo);
    }
}

/* cvt.pack.sat.u8.s32.b32 d, a, b, c: a and b clamped into one half or one
 * quarter each, above what remains of c. */
static void step_cvt_pack(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    rf_itype to = itype_of((rf_type)in->type), from = { 32, true };
    RF_EACH_LANE(i, mask)
    {
        u64 keep = (1ull << to.bits) - 1;
        u64 a = rf_int_to_int(from, rf_get(w, &in->o[1], i), to, RF_SAT);
        u64 b = rf_int_to_int(from, rf_get(w, &in->o[2], i), to, RF_SAT);
        u64 c = in->n > 3 ? rf_get(w, &in->o[3], i) : 0;
        rf_set(w, &in->o[0], i,
               (u32)((a & keep) << to.bits | (b & keep) | c << 2 * to.bits));
    }
}

static bool integral(const rf_statement *s)
{
    return rf_has(s, "rni") || rf_has(s, "rzi") || rf_has(s, "rmi") ||
           rf_has(s, "rpi");
}

/* Only what becomes a float is a result of arithmetic. */
static rf_round round_of(const rf_reader *r, const rf_statement *s, rf_type to)
{
    return is_float(to) && !integral(s) ? rf_result_round_of(r, s)
                                        : rf_round_of(s);
}

static rf_step *choose(const rf_reader *r, const rf_statement *s, rf_type to,
                       rf_type from, unsigned flags)
{
    if (rf_has(s, "pack"))
        return step_cvt_pack;
    rf_step *step = quick_step(to, from);
    if (step && round_of(r, s, to) == RF_RN && !flags)
        return step;
    return rf_type_class(to) == 'x' ? step_cvt_packed : step_cvt;
}

/* The register of the destination, in bytes. */
static u32 register_bytes(rf_reader *r, const rf_arg *arg)
{
    u32 index;
    const rf_symbol *y = rf_symbol_find(r, arg->name, &index);
    return y ? rf_type_bytes(y->type) : 4;
}

bool rf_decode_cvt(rf_reader *r, const rf_statement *s)
{
    rf_type to = rf_nth_type(s, 0), from = rf_nth_type(s, 1);
    unsigned flags = rf_flags_of(s);
    if (!to || !from || s->n < 2 || s->n > 4 || !s->arg[0].name)
        return false;
    if (rf_type_class(from) == 'x' && rf_type_class(to) != 'x')
        return false;
    rf_operand o[4];
    for (uint32_t i = 0; i < s->n; i++)
        o[i] = rf_operand_of(r, s, &s->arg[i], from);
    rf_instr *in = rf_emit(r, s, choose(r, s, to, from, flags), RF_KIND_STEP,
                           RF_CLASS_CONVERT);
    memcpy(in->o, o, s->n * sizeof *o);
    in->n = (uint8_t)s->n;
    in->type = (uint8_t)to;
    in->type2 = (uint8_t)from;
    in->round = (uint8_t)round_of(r, s, to);
    in->sub = integral(s);
    in->imm[0] = flags;
    in->imm[1] = register_bytes(r, &s->arg[0]);
    return true;
}
