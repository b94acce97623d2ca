/* Comparisons: setp, set; choices: selp, slct. */
#include "exec/decode.h"
#include "exec/step_macros.h"

#include <math.h>
#include <string.h>

/* identifier, spelling; the U forms hold for unordered operands too */
#define COMPARISONS(X)                                                         \
    X(EQ, "eq")                                                                \
    X(NE, "ne")                                                                \
    X(LT, "lt")                                                                \
    X(LE, "le")                                                                \
    X(GT, "gt")                                                                \
    X(GE, "ge")                                                                \
    X(EQU, "equ")                                                              \
    X(NEU, "neu")                                                              \
    X(LTU, "ltu")                                                              \
    X(LEU, "leu")                                                              \
    X(GTU, "gtu")                                                              \
    X(GEU, "geu")                                                              \
    X(NUM, "num")                                                              \
    X(NAN_, "nan")                                                             \
    X(LO, "lo")                                                                \
    X(LS, "ls")                                                                \
    X(HI, "hi")                                                                \
    X(HS, "hs")

typedef enum {
#define X(id, spelling) CMP_##id,
    COMPARISONS(X)
#undef X
        CMP_COUNT
} comparison;

static inline f32 flush(f32 x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

#define GET_h16(x) ((f32)rf_float_decode(RF_F16, (u16)(x)))
#define GET_b16(x) rf_f32((u32)(u16)(x) << 16)
#define GET_z32(x) flush(rf_f32((u32)(x)))

#define CASE(id, cond)                                                         \
    case CMP_##id:                                                             \
        for (int i = 0; i < RF_LANES; i++) {                                   \
            TYPE a = GET(x[i]), b = GET(y[i]);                                 \
            r |= (u32)(cond) << i;                                             \
        }                                                                      \
        break;

/* compare_T: the mask of lanes whose values compare so. */
#define COMPARE(name)                                                          \
    static u32 compare_##name(comparison op, const u64 *x, const u64 *y)       \
    {                                                                          \
        u32 r = 0;                                                             \
        switch (op) {                                                          \
            CASE(EQ, a == b)                                                   \
            CASE(NE, a != b && a == a && b == b)                               \
            CASE(LT, a < b)                                                    \
            CASE(LE, a <= b)                                                   \
            CASE(GT, a > b)                                                    \
            CASE(GE, a >= b)                                                   \
            CASE(LO, a < b)                                                    \
            CASE(LS, a <= b)                                                   \
            CASE(HI, a > b)                                                    \
            CASE(HS, a >= b)                                                   \
            CASE(EQU, a == b || a != a || b != b)                              \
            CASE(NEU, a != b)                                                  \
            CASE(LTU, !(a >= b))                                               \
            CASE(LEU, !(a > b))                                                \
            CASE(GTU, !(a <= b))                                               \
            CASE(GEU, !(a < b))                                                \
            CASE(NUM, a == a && b == b)                                        \
            CASE(NAN_, a != a || b != b)                                       \
        default:                                                               \
            break;                                                             \
        }                                                                      \
        return r;                                                              \
    }

#pragma GCC diagnostic ignored "-Wtautological-compare"
#define TYPE   u16
#define GET(x) GET_u16(x)
COMPARE(u16)
#undef TYPE
#undef GET
#define TYPE   s16
#define GET(x) GET_s16(x)
COMPARE(s16)
#undef TYPE
#undef GET
#define TYPE   u32
#define GET(x) GET_u32(x)
COMPARE(u32)
#undef TYPE
#undef GET
#define TYPE   s32
#define GET(x) GET_s32(x)
COMPARE(s32)
#undef TYPE
#undef GET
#define TYPE   u64
#define GET(x) GET_u64(x)
COMPARE(u64)
#undef TYPE
#undef GET
#define TYPE   s64
#define GET(x) GET_s64(x)
COMPARE(s64)
#undef TYPE
#undef GET
#define TYPE   f64
#define GET(x) GET_f64(x)
COMPARE(f64)
#undef TYPE
#undef GET
#define TYPE   f32
#define GET(x) GET_f32(x)
COMPARE(f32)
#undef GET
#define GET(x) GET_z32(x)
COMPARE(f32_ftz)
#undef GET
#define GET(x) GET_h16(x)
COMPARE(f16)
#undef GET
#define GET(x) GET_b16(x)
COMPARE(bf16)
#undef TYPE
#undef GET

typedef u32 compare(comparison op, const u64 *x, const u64 *y);

static compare *compare_of(rf_type type, bool ftz)
{
    switch (type) {
    case RF_T_U16:
    case RF_T_B16:
        return compare_u16;
    case RF_T_S16:
        return compare_s16;
    case RF_T_U32:
    case RF_T_B32:
        return compare_u32;
    case RF_T_S32:
        return compare_s32;
    case RF_T_U64:
    case RF_T_B64:
        return compare_u64;
    case RF_T_S64:
        return compare_s64;
    case RF_T_F32:
        return ftz ? compare_f32_ftz : compare_f32;
    case RF_T_F64:
        return compare_f64;
    case RF_T_F16:
    case RF_T_F16X2:
        return compare_f16;
    case RF_T_BF16:
    case RF_T_BF16X2:
        return compare_bf16;
    default:
        return NULL;
    }
}

/* ---- setp p|q, a, b{, c}: imm[0] the comparison, imm[1] the logic ---- */

enum { LOGIC_NONE, LOGIC_AND, LOGIC_OR, LOGIC_XOR };

static u32 combine(const rf_warp *w, const rf_instr *in, u32 r, int c)
{
    switch (in->imm[1]) {
    case LOGIC_AND:
        return r & rf_pred(w, &in->o[c]);
    case LOGIC_OR:
        return r | rf_pred(w, &in->o[c]);
    case LOGIC_XOR:
        return r ^ rf_pred(w, &in->o[c]);
    default:
        return r;
    }
}

static u32 compared(const rf_warp *w, const rf_instr *in, int a, int half)
{
    const u64 *x = rf_col(w, &in->o[a]), *y = rf_col(w, &in->o[a + 1]);
    compare *f = compare_of((rf_type)in->type, in->flags & RF_FTZ);
    rf_column hx, hy;
    if (!half)
        return f((comparison)in->imm[0], x, y);
    for (int i = 0; i < RF_LANES; i++) {
        hx[i] = x[i] >> 16;
        hy[i] = y[i] >> 16;
    }
    return f((comparison)in->imm[0], hx, hy);
}

static void step_setp(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u32 r = compared(w, in, 2, 0);
    u32 p = combine(w, in, r, 4), q = combine(w, in, ~r, 4);
    rf_set_pred(w, &in->o[0], p, mask);
    rf_set_pred(w, &in->o[1], q, mask);
}

/* On packed values p and q are about the low and the high half. */
static void step_setp_x2(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u32 p = combine(w, in, compared(w, in, 2, 0), 4);
    u32 q = combine(w, in, compared(w, in, 2, 1), 4);
    rf_set_pred(w, &in->o[0], p, mask);
    rf_set_pred(w, &in->o[1], q, mask);
}

/* What set writes for "true" in a value of "type". */
static u64 true_value(rf_type type)
{
    switch (type) {
    case RF_T_F32:
        return 0x3f800000u;
    case RF_T_F16:
    case RF_T_F16X2:
        return 0x3c00;
    case RF_T_BF16:
    case RF_T_BF16X2:
        return 0x3f80;
    case RF_T_U16:
    case RF_T_S16:
        return 0xffff;
    default:
        return 0xffffffffu;
    }
}

static void step_set(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u64 *d = rf_col(w, &in->o[0]);
    u64 yes = true_value((rf_type)in->type2);
    u32 lo = combine(w, in, compared(w, in, 1, 0), 3), hi = 0;
    if (rf_type_class((rf_type)in->type) == 'x') {
        yes &= 0xffff;
        hi = combine(w, in, compared(w, in, 1, 1), 3);
    }
    RF_LOOP(d, (lo >> i & 1 ? yes : 0) | (hi >> i & 1 ? yes << 16 : 0));
}

static bool find_comparison(const rf_statement *s, uint64_t *op)
{
    static const char *const names[] = {
#define X(id, spelling) spelling,
        COMPARISONS(X)
#undef X
    };
    for (uint32_t i = 0; i < CMP_COUNT; i++)
        if (rf_has(s, names[i])) {
            *op = i;
            return true;
        }
    return false;
}

static uint64_t logic_of(const rf_statement *s)
{
    return rf_has(s, "and")   ? LOGIC_AND
           : rf_has(s, "or")  ? LOGIC_OR
           : rf_has(s, "xor") ? LOGIC_XOR
                              : LOGIC_NONE;
}

static void fill_comparison(rf_instr *in, const rf_statement *s, rf_type type,
                            uint64_t op)
{
    in->type = (uint8_t)type;
    in->type2 = (uint8_t)rf_nth_type(s, 0);
    in->flags = rf_flags_of(s);
    in->imm[0] = op;
    in->imm[1] = logic_of(s);
}

bool rf_decode_setp(rf_reader *r, const rf_statement *s)
{
    uint64_t op;
    rf_type type = rf_last_type(s);
    if (!find_comparison(s, &op) || !compare_of(type, false) || s->n < 3)
        return false;
    rf_operand p = rf_operand_of(r, s, &s->arg[0], RF_T_PRED);
    rf_operand q = rf_operand_pair(r, s, &s->arg[0], RF_T_PRED);
    rf_operand a = rf_operand_of(r, s, &s->arg[1], type);
    rf_operand b = rf_operand_of(r, s, &s->arg[2], type);
    rf_operand c = s->n > 3 ? rf_operand_of(r, s, &s->arg[3], RF_T_PRED)
                            : rf_operand_none();
    bool x2 = rf_type_class(type) == 'x';
    rf_instr *in = rf_emit(r, s, x2 ? step_setp_x2 : step_setp, RF_KIND_STEP,
                           RF_CLASS_COMPARE);
    fill_comparison(in, s, type, op);
    in->o[0] = p;
    in->o[1] = q;
    in->o[2] = a;
    in->o[3] = b;
    in->o[4] = c;
    in->n = 5;
    return true;
}

bool rf_decode_set(rf_reader *r, const rf_statement *s)
{
    uint64_t op;
    rf_type type = rf_last_type(s);
    if (!find_comparison(s, &op) || !compare_of(type, false) || s->n < 3)
        return false;
    rf_operand d = rf_operand_of(r, s, &s->arg[0], RF_T_B32);
    rf_operand a = rf_operand_of(r, s, &s->arg[1], type);
    rf_operand b = rf_operand_of(r, s, &s->arg[2], type);
    rf_operand c = s->n > 3 ? rf_operand_of(r, s, &s->arg[3], RF_T_PRED)
                            : rf_operand_none();
    rf_instr *in = rf_emit(r, s, step_set, RF_KIND_STEP, RF_CLASS_COMPARE);
    fill_comparison(in, s, type, op);
    in->o[0] = d;
    in->o[1] = a;
    in->o[2] = b;
    in->o[3] = c;
    in->n = 4;
    return true;
}

/* ---- selp, slct ---- */

static void step_selp(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u64 *d = rf_col(w, &in->o[0]);
    const u64 *a = rf_col(w, &in->o[1]), *b = rf_col(w, &in->o[2]);
    u32 p = rf_pred(w, &in->o[3]);
    RF_LOOP(d, p >> i & 1 ? a[i] : b[i]);
}

/* a where c >= 0; a NaN is not. */
static void step_slct(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u64 *d = rf_col(w, &in->o[0]);
    const u64 *a = rf_col(w, &in->o[1]), *b = rf_col(w, &in->o[2]);
    const u64 *c = rf_col(w, &in->o[3]);
    if (in->type == RF_T_F32)
        RF_LOOP(d, rf_f32((u32)c[i]) >= 0 ? a[i] : b[i]);
    else
        RF_LOOP(d, (s32)c[i] >= 0 ? a[i] : b[i]);
}

static bool decode_choice(rf_reader *r, const rf_statement *s, rf_step *step,
                          rf_type third)
{
    rf_operand o[4];
    if (s->n != 4)
        return false;
    for (int i = 0; i < 3; i++)
        o[i] = rf_operand_of(r, s, &s->arg[i], rf_nth_type(s, 0));
    o[3] = rf_operand_of(r, s, &s->arg[3], third);
    rf_instr *in = rf_emit(r, s, step, RF_KIND_STEP, RF_CLASS_COMPARE);
    memcpy(in->o, o, sizeof o);
    in->n = 4;
    in->type = (uint8_t)third;
    return true;
}

bool rf_decode_selp(rf_reader *r, const rf_statement *s)
{
    return decode_choice(r, s, step_selp, RF_T_PRED);
}

bool rf_decode_slct(rf_reader *r, const rf_statement *s)
{
    return decode_choice(r, s, step_slct, rf_nth_type(s, 1));
}
