/* Moves, conversions, addresses. */
#include "exec/decode.h"
#include "exec/step_macros.h"

#include <string.h>

STEP1(mov_8, u32, u32, a & 255)
STEP1(mov_16, u16, u16, a)
STEP1(mov_32, u32, u32, a)
STEP1(mov_64, u64, u64, a)

const rf_step_row rf_steps_move[] = {
    { "mov.b8", mov_8, RF_CLASS_MOVE },
    { "mov.b16", mov_16, RF_CLASS_MOVE },
    { "mov.b32", mov_32, RF_CLASS_MOVE },
    { "mov.b64", mov_64, RF_CLASS_MOVE },
    { NULL, NULL, 0 },
};

/* ---- predicates ---- */

enum { PRED_MOV, PRED_AND, PRED_OR, PRED_XOR, PRED_NOT };

static void step_pred(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u32 a = rf_pred(w, &in->o[1]);
    u32 b = in->n > 2 ? rf_pred(w, &in->o[2]) : 0;
    u32 r = in->sub == PRED_AND   ? a & b
            : in->sub == PRED_OR  ? a | b
            : in->sub == PRED_XOR ? a ^ b
            : in->sub == PRED_NOT ? ~a
                                  : a;
    rf_set_pred(w, &in->o[0], r, mask);
}

bool rf_decode_pred(rf_reader *r, const rf_statement *s)
{
    static const char *const names[] = { "mov", "and", "or", "xor", "not" };
    if (rf_last_type(s) != RF_T_PRED || s->n > 3)
        return false;
    rf_operand o[3];
    for (uint32_t i = 0; i < s->n; i++)
        o[i] = rf_operand_of(r, s, &s->arg[i], RF_T_PRED);
    rf_instr *in = rf_emit(r, s, step_pred, RF_KIND_STEP, RF_CLASS_INT);
    memcpy(in->o, o, s->n * sizeof *o);
    in->n = (uint8_t)s->n;
    for (uint8_t k = 0; k < RF_COUNTOF(names); k++)
        if (!strcmp(s->part[0], names[k]))
            in->sub = k;
    return true;
}

/* ---- mov of vectors: {a, b} to one register and back ---- */

static u64 low_bits(u64 x, u32 bits)
{
    return bits > 63 ? x : x & ((1ull << bits) - 1);
}

/* imm[0]: bits of a part. b128 is two columns, each takes half the parts. */
static void step_pack(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u32 bits = (u32)in->imm[0], n = in->vec[0].n;
    for (u32 c = 0; c * 64 < n * bits; c++) {
        u64 *d = rf_col(w, &in->o[0]) + c * RF_LANES;
        RF_EACH_LANE(i, mask)
        {
            u64 r = 0;
            for (u32 k = 0; k < n; k++)
                if (k * bits / 64 == c)
                    r |= low_bits(rf_get(w, &in->vec[0].at[k], i), bits)
                         << k * bits % 64;
            d[i] = r;
        }
    }
}

static void step_unpack(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u32 bits = (u32)in->imm[0], n = in->vec[0].n;
    const u64 *a = rf_col(w, &in->o[0]);
    RF_EACH_LANE(i, mask)
    {
        u64 v[2] = { a[i], n * bits > 64 ? a[RF_LANES + i] : 0 };
        for (u32 k = 0; k < n; k++)
            rf_set(w, &in->vec[0].at[k], i,
                   low_bits(v[k * bits / 64] >> k * bits % 64, bits));
    }
}

static void step_mov_128(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u64 *d = rf_col(w, &in->o[0]);
    const u64 *a = rf_col(w, &in->o[1]);
    RF_LOOP(d, a[i]);
    RF_LOOP(d + RF_LANES, a[RF_LANES + i]);
}

static void decode_vector_mov(rf_reader *r, const rf_statement *s, bool pack)
{
    const rf_arg *braces = &s->arg[pack], *plain = &s->arg[!pack];
    rf_type type = rf_last_type(s);
    u32 bits = rf_type_bytes(type) * 8 / braces->n;
    rf_type part = bits == 64   ? RF_T_B64
                   : bits == 32 ? RF_T_B32
                   : bits == 16 ? RF_T_B16
                                : RF_T_B8;
    rf_operands v = rf_operands_of(r, s, braces, part);
    rf_operand o = rf_operand_of(r, s, plain, type);
    rf_instr *in = rf_emit(r, s, pack ? step_pack : step_unpack, RF_KIND_STEP,
                           RF_CLASS_MOVE);
    in->o[0] = o;
    in->vec[0] = v;
    in->imm[0] = bits;
}

bool rf_decode_mov(rf_reader *r, const rf_statement *s)
{
    if (s->n != 2)
        return false;
    if (rf_last_type(s) == RF_T_PRED)
        return rf_decode_pred(r, s);
    if (s->arg[0].kind == RF_ARG_VECTOR || s->arg[1].kind == RF_ARG_VECTOR) {
        decode_vector_mov(r, s, s->arg[1].kind == RF_ARG_VECTOR);
        return true;
    }
    if (rf_last_type(s) != RF_T_B128)
        return false;
    rf_operand d = rf_operand_of(r, s, &s->arg[0], RF_T_B128);
    rf_operand a = rf_operand_of(r, s, &s->arg[1], RF_T_B128);
    rf_instr *in = rf_emit(r, s, step_mov_128, RF_KIND_STEP, RF_CLASS_MOVE);
    in->o[0] = d;
    in->o[1] = a;
    return true;
}

bool rf_decode_lop3(rf_reader *r, const rf_statement *s)
{
    if (s->n != 5 || s->arg[4].kind != RF_ARG_NUMBER || s->n_parts != 2)
        return false;
    rf_operand o[4];
    for (int i = 0; i < 4; i++)
        o[i] = rf_operand_of(r, s, &s->arg[i], RF_T_B32);
    rf_instr *in = rf_emit(r, s, rf_step_lop3, RF_KIND_STEP, RF_CLASS_INT);
    memcpy(in->o, o, sizeof o);
    in->imm[0] = s->arg[4].value;
    return true;
}

/* addc, subc, madc and the forms that set the carry. */
bool rf_decode_carry(rf_reader *r, const rf_statement *s)
{
    bool product = s->part[0][0] == 'm', takes = s->part[0][3] == 'c';
    bool sets = rf_has(s, "cc");
    if ((!takes && !sets) || s->n != (product ? 4u : 3u))
        return false;
    rf_operand o[4];
    rf_type type = rf_last_type(s);
    for (uint32_t i = 0; i < s->n; i++)
        o[i] = rf_operand_of(r, s, &s->arg[i], type);
    rf_instr *in = rf_emit(r, s, product ? rf_step_mad_carry : rf_step_carry,
                           RF_KIND_STEP, RF_CLASS_INT);
    memcpy(in->o, o, s->n * sizeof *o);
    in->type = (uint8_t)type;
    in->sub = product ? rf_has(s, "hi") : s->part[0][0] == 's';
    in->imm[0] = (takes ? 1 : 0) | (sets ? 2 : 0);
    return true;
}

static bool decode_saturated(rf_reader *r, const rf_statement *s)
{
    if (!rf_has(s, "sat") || rf_last_type(s) != RF_T_S32 || s->n > 4)
        return false;
    rf_operand o[4];
    for (uint32_t i = 0; i < s->n; i++)
        o[i] = rf_operand_of(r, s, &s->arg[i], RF_T_S32);
    rf_instr *in = rf_emit(r, s, rf_step_saturated(s->part[0]), RF_KIND_STEP,
                           RF_CLASS_INT);
    memcpy(in->o, o, s->n * sizeof *o);
    return true;
}

/* min.relu.s32, max.relu.s32 */
static bool decode_relu(rf_reader *r, const rf_statement *s)
{
    rf_step *step = rf_step_relu(s);
    rf_operand o[3];
    if (!step || s->n != 3)
        return false;
    for (uint32_t i = 0; i < s->n; i++)
        o[i] = rf_operand_of(r, s, &s->arg[i], RF_T_S32);
    rf_instr *in = rf_emit(r, s, step, RF_KIND_STEP, RF_CLASS_INT);
    memcpy(in->o, o, sizeof o);
    return true;
}

bool rf_decode_arithmetic(rf_reader *r, const rf_statement *s)
{
    return rf_decode_carry(r, s) || decode_saturated(r, s) ||
           decode_relu(r, s) || rf_decode_x2(r, s) || rf_decode_float(r, s);
}

/* ---- addresses ---- */

void rf_step_offset(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u64 *d = rf_col(w, &in->o[0]);
    const u64 *a = rf_col(w, &in->o[1]);
    RF_LOOP(d, a[i] + in->imm[0]);
}

/* An address in the window of shared memory or of local memory to a generic
 * one: 32 bits under the top byte. */
static void step_to_window(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u64 *d = rf_col(w, &in->o[0]);
    const u64 *a = rf_col(w, &in->o[1]);
    RF_LOOP(d, (u32)a[i] | in->imm[0]);
}

static void step_from_window(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u64 *d = rf_col(w, &in->o[0]);
    const u64 *a = rf_col(w, &in->o[1]);
    RF_LOOP(d, (u32)a[i]);
}

bool rf_decode_cvta(rf_reader *r, const rf_statement *s)
{
    rf_space space = rf_space_of(s);
    bool window = space == RF_SPACE_SHARED || space == RF_SPACE_CLUSTER ||
                  space == RF_SPACE_LOCAL;
    if (s->n != 2)
        return false;
    rf_operand d = rf_operand_of(r, s, &s->arg[0], RF_T_B64);
    rf_operand a = rf_operand_of(r, s, &s->arg[1], RF_T_B64);
    rf_step *step = !window           ? mov_64
                    : rf_has(s, "to") ? step_from_window
                                      : step_to_window;
    rf_instr *in = rf_emit(r, s, step, RF_KIND_STEP, RF_CLASS_MOVE);
    in->o[0] = d;
    in->o[1] = a;
    in->imm[0] = space == RF_SPACE_LOCAL ? RF_WINDOW_LOCAL : RF_WINDOW_SHARED;
    return true;
}
