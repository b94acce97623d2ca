/* Floating-point steps. f32 and f64 rounded to nearest, without flushing or
 * clamping, are the host's; everything else goes through floats.h, a lane at
 * a time. */
#include "exec/decode.h"
#include "exec/step_macros.h"

#include <math.h>
#include <string.h>

/* ---- the host's own ---- */
STEP2(add_f32, f32, f32, a + b)
STEP2(sub_f32, f32, f32, a - b)
STEP2(mul_f32, f32, f32, a *b)
STEP2(div_f32, f32, f32, a / b)
STEP3(fma_f32, f32, f32, f32, fmaf(a, b, c))
STEP1(rcp_f32, f32, f32, 1.0f / a)
STEP1(sqrt_f32, f32, f32, sqrtf(a))
STEP1(neg_f32, u32, u32, a ^ 0x80000000u)
STEP1(abs_f32, u32, u32, a & 0x7fffffffu)
STEP2(add_f64, f64, f64, a + b)
STEP2(sub_f64, f64, f64, a - b)
STEP2(mul_f64, f64, f64, a *b)
STEP2(div_f64, f64, f64, a / b)
STEP3(fma_f64, f64, f64, f64, fma(a, b, c))
STEP1(rcp_f64, f64, f64, 1.0 / a)
STEP1(sqrt_f64, f64, f64, sqrt(a))
STEP1(neg_f64, u64, u64, a ^ 1ull << 63)
STEP1(abs_f64, u64, u64, a & ~(1ull << 63))

STEP2(min_f32, f32, f32, rf_least(a, b))
STEP2(max_f32, f32, f32, rf_greatest(a, b))
STEP2(copysign_f32, u32, u32, (a & 0x80000000u) | (b & 0x7fffffffu))
STEP2(copysign_f64, u64, u64, (a & 1ull << 63) | (b & ~(1ull << 63)))

#define BOTH(op)                                                               \
    { #op ".f32", op##_f32, RF_CLASS_FLOAT },                                  \
    {                                                                          \
#op ".f64", op##_f64, RF_CLASS_DOUBLE                                  \
    }

const rf_step_row rf_steps_float[] = {
    BOTH(add),
    BOTH(sub),
    BOTH(mul),
    BOTH(div),
    BOTH(fma),
    BOTH(rcp),
    BOTH(sqrt),
    BOTH(neg),
    BOTH(abs),
    BOTH(copysign),
    { "min.f32", min_f32, RF_CLASS_FLOAT },
    { "max.f32", max_f32, RF_CLASS_FLOAT },
    { NULL, NULL, 0 },
};

/* ---- through floats.h ---- */

bool rf_ftype_of(rf_type type, rf_ftype *f)
{
    switch (type) {
    case RF_T_F64:
        *f = RF_F64;
        return true;
    case RF_T_F32:
    case RF_T_F32X2:
        *f = RF_F32;
        return true;
    case RF_T_TF32:
        *f = RF_TF32;
        return true;
    case RF_T_F16:
    case RF_T_F16X2:
        *f = RF_F16;
        return true;
    case RF_T_BF16:
    case RF_T_BF16X2:
        *f = RF_BF16;
        return true;
    case RF_T_E4M3:
    case RF_T_E4M3X2:
        *f = RF_E4M3;
        return true;
    case RF_T_E5M2:
    case RF_T_E5M2X2:
        *f = RF_E5M2;
        return true;
    default:
        return false;
    }
}

/* sub: the operation, imm[0]: the type, imm[1]: the flags. */
static void general(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u64 a = 0, b = 0, c = 0;
    rf_ftype type = (rf_ftype)in->imm[0];
    RF_EACH_LANE(i, mask)
    {
        a = rf_col(w, &in->o[1])[i];
        b = in->n > 2 ? rf_col(w, &in->o[2])[i] : 0;
        c = in->n > 3 ? rf_col(w, &in->o[3])[i] : 0;
        rf_set(w, &in->o[0], i,
               rf_float_op((rf_fop)in->sub, type, a, b, c, in->round,
                           (unsigned)in->imm[1]));
    }
}

static void packed(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    rf_ftype type = (rf_ftype)in->imm[0];
    RF_EACH_LANE(i, mask)
    {
        u32 a = (u32)rf_col(w, &in->o[1])[i];
        u32 b = in->n > 2 ? (u32)rf_col(w, &in->o[2])[i] : 0;
        u32 c = in->n > 3 ? (u32)rf_col(w, &in->o[3])[i] : 0;
        rf_set(w, &in->o[0], i,
               rf_float_op_x2((rf_fop)in->sub, type, a, b, c, in->round,
                              (unsigned)in->imm[1]));
    }
}

/* add.f32x2 and its like: two f32 in 64 bits. */
static void packed_f32(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    RF_EACH_LANE(i, mask)
    {
        u64 v[3] = { 0 }, r = 0;
        for (int k = 1; k < in->n; k++)
            v[k - 1] = rf_col(w, &in->o[k])[i];
        for (int h = 0; h < 64; h += 32)
            r |= rf_float_op((rf_fop)in->sub, RF_F32, (u32)(v[0] >> h),
                             (u32)(v[1] >> h), (u32)(v[2] >> h), in->round,
                             (unsigned)in->imm[1])
                 << h;
        rf_set(w, &in->o[0], i, r);
    }
}

static bool find_op(const char *mnemonic, uint8_t *op)
{
    static const char *const names[] = {
#define X(id, spelling) spelling,
        RF_FLOAT_OPS(X)
#undef X
    };
    if (!strcmp(mnemonic, "mad"))
        mnemonic = "fma";
    for (uint32_t i = 0; i < RF_COUNTOF(names); i++)
        if (!strcmp(names[i], mnemonic)) {
            *op = (uint8_t)i;
            return true;
        }
    return false;
}

static rf_class class_of(uint8_t op, rf_type type)
{
    if (op >= RF_FOP_RSQRT)
        return RF_CLASS_SPECIAL;
    if (type == RF_T_F64)
        return RF_CLASS_DOUBLE;
    return rf_type_bytes(type) == 2 || rf_type_class(type) == 'x'
               ? RF_CLASS_HALF
               : RF_CLASS_FLOAT;
}

/* The step of a row: "add.f32", "add.ftz.f32", "div.approx.f32", or NULL when
 * the operation rounds or clamps in another way. Only a quotient depends on
 * whether it is approximate. */
static rf_step *host_step(rf_reader *r, const rf_statement *s, rf_type type,
                          const char *mnemonic, unsigned flags)
{
    unsigned allowed = type == RF_T_F32 ? RF_APPROX | RF_FTZ : 0;
    bool approximate = (flags & RF_APPROX) && !strcmp(mnemonic, "div");
    if (rf_result_round_of(r, s) != RF_RN || (flags & ~allowed))
        return NULL;
    char key[32];
    snprintf(key, sizeof key, "%s%s%s.%s", mnemonic,
             approximate ? ".approx" : "", flags & RF_FTZ ? ".ftz" : "",
             rf_type_spelling(type));
    const rf_step_row *row = rf_steps_find(r->steps, key);
    return row ? row->step : NULL;
}

static rf_step *general_step(rf_type type)
{
    if (type == RF_T_F32X2)
        return packed_f32;
    return rf_type_class(type) == 'x' ? packed : general;
}

/* add.rn.ftz.f32 d, a, b and all operations of floats.h. */
bool rf_decode_float(rf_reader *r, const rf_statement *s)
{
    uint8_t op;
    rf_ftype f;
    rf_type type = rf_last_type(s);
    if (!rf_ftype_of(type, &f) || !find_op(s->part[0], &op) || s->n > 4)
        return false;
    unsigned flags = rf_flags_of(s) | (rf_has(s, "NaN") ? RF_NAN : 0);
    const char *mnemonic = op == RF_FOP_FMA ? "fma" : s->part[0];
    rf_step *step = host_step(r, s, type, mnemonic, flags);
    rf_operand o[4];
    for (uint32_t i = 0; i < s->n; i++)
        o[i] = rf_operand_of(r, s, &s->arg[i], type);
    rf_instr *in = rf_emit(r, s, step ? step : general_step(type), RF_KIND_STEP,
                           class_of(op, type));
    memcpy(in->o, o, s->n * sizeof *o);
    in->n = (uint8_t)s->n;
    in->type = (uint8_t)type;
    in->round = (uint8_t)rf_result_round_of(r, s);
    in->sub = op;
    in->imm[0] = f;
    in->imm[1] = flags;
    return true;
}

/* ---- testp ---- */

static bool test(rf_ftype f, u64 x, uint8_t what)
{
    bool nan = rf_float_is_nan(f, x), inf = rf_float_is_inf(f, x);
    bool subnormal = rf_float_is_subnormal(f, x);
    bool zero = !(x << (f == RF_F64 ? 1 : 33));
    switch (what) {
    case 0:
        return !nan && !inf;
    case 1:
        return inf;
    case 2:
        return !nan;
    case 3:
        return nan;
    case 4:
        return !nan && !inf && !subnormal && !zero;
    default:
        return subnormal;
    }
}

static void step_testp(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u32 r = 0;
    RF_EACH_LANE(i, mask)
    {
        r |= (u32)test((rf_ftype)in->imm[0], rf_get(w, &in->o[1], i), in->sub)
             << i;
    }
    rf_set_pred(w, &in->o[0], r, mask);
}

bool rf_decode_testp(rf_reader *r, const rf_statement *s)
{
    static const char *const kinds[] = {
        "finite", "infinite", "number", "notanumber", "normal", "subnormal"
    };
    rf_type type = rf_last_type(s);
    rf_ftype f;
    if (!rf_ftype_of(type, &f) || s->n != 2)
        return false;
    for (uint8_t k = 0; k < RF_COUNTOF(kinds); k++) {
        if (!rf_has(s, kinds[k]))
            continue;
        rf_operand d = rf_operand_of(r, s, &s->arg[0], RF_T_PRED);
        rf_operand a = rf_operand_of(r, s, &s->arg[1], type);
        rf_instr *in =
            rf_emit(r, s, step_testp, RF_KIND_STEP, RF_CLASS_COMPARE);
        in->o[0] = d;
        in->o[1] = a;
        in->n = 2;
        in->sub = k;
        in->imm[0] = f;
        return true;
    }
    return false;
}
