/* What type a stored value has: nvcc stores halves as b16 and packed halves as
 * b32, so the type is that of the instruction that made the register, as seen
 * in the order of the text. It only serves to print and compare memory. */
#include "exec/decode.h"

static rf_type known(const rf_reader *r, const rf_operand *o)
{
    size_t i = o->word / 8;
    if (o->bank != RF_BANK_FRAME || i >= r->flow.len)
        return RF_T_NONE;
    return (rf_type)r->flow.data[i];
}

static void note(rf_reader *r, const rf_operand *o, rf_type type)
{
    size_t i = o->word / 8;
    if (o->bank != RF_BANK_FRAME || o->predicate)
        return;
    while (r->flow.len <= i)
        RF_PUSH(r->flow, RF_T_NONE);
    r->flow.data[i] = (uint8_t)type;
}

static rf_type element_of(rf_type type)
{
    switch (type) {
    case RF_T_F16X2:
        return RF_T_F16;
    case RF_T_BF16X2:
        return RF_T_BF16;
    case RF_T_F32X2:
        return RF_T_F32;
    case RF_T_E4M3X2:
        return RF_T_E4M3;
    case RF_T_E5M2X2:
        return RF_T_E5M2;
    default:
        return type;
    }
}

static bool is_float(rf_type type)
{
    return rf_type_class(type) == 'f' || rf_type_class(type) == 'x';
}

/* The type that a move, a choice or a vector of parts hands on. */
static rf_type handed_on(const rf_reader *r, const rf_instr *in)
{
    if (in->vec[0].n && in->class == RF_CLASS_MOVE)
        return known(r, &in->vec[0].at[0]);
    rf_type t = known(r, &in->o[1]);
    return t ? t : known(r, &in->o[2]);
}

static void note_result(rf_reader *r, const rf_instr *in)
{
    rf_type type = (rf_type)in->type;
    bool moves = in->class == RF_CLASS_MOVE || in->class == RF_CLASS_COMPARE;
    note(r, &in->o[0],
         is_float(type) ? element_of(type)
         : moves        ? handed_on(r, in)
                        : RF_T_NONE);
}

void rf_flow_note(rf_reader *r, rf_instr *in)
{
    rf_type type = (rf_type)in->type;
    switch (in->class) {
    case RF_CLASS_LOAD:
        for (uint32_t i = 0; i < in->vec[0].n; i++)
            note(r, &in->vec[0].at[i],
                 is_float(type) ? element_of(type) : RF_T_NONE);
        break;
    case RF_CLASS_STORE:
        in->type2 = (uint8_t)element_of(type);
        if (!is_float(type) && in->vec[0].n && known(r, &in->vec[0].at[0]))
            in->type2 = (uint8_t)known(r, &in->vec[0].at[0]);
        break;
    case RF_CLASS_ATOMIC:
        in->type2 = (uint8_t)element_of(type);
        break;
    case RF_CLASS_WARP: /* shfl hands on what it reads */
        note(r, &in->o[0], known(r, &in->o[2]));
        break;
    default:
        note_result(r, in);
    }
}
