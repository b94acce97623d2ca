/* tensormap.replace and tensormap.cp_fenceproxy: maps changed by kernels. */
#include "exec/decode.h"
#include "exec/device.h"
#include "exec/tma.h"

#include <string.h>

enum { MAP_BYTES = 128 };

/* sub: the field; o[0]: address, o[1]: its dimension or none, o[2]: value */
static void step_replace(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    RF_EACH_LANE(i, mask)
    {
        union {
            uint8_t bytes[MAP_BYTES];
            rf_tensor_map map;
        } m;
        rf_lane_context context = { w, in, i };
        rf_access access = rf_lane_access(&context);
        uint64_t at = rf_get(w, &in->o[0], i) + (uint64_t)in->offset;
        bool dimension = in->o[1].bank != RF_BANK_NONE;
        uint64_t n = dimension ? rf_get(w, &in->o[1], i) : 0;
        access.read(&context, in->space, at, m.bytes, MAP_BYTES);
        if (!rf_tensor_map_valid(m.bytes) || n >= RF_TENSOR_DIMS)
            rf_fault(w, in, i, RF_CHECK_FAULT, RF_ILLEGAL_INSTRUCTION,
                     "the operand is not a tensor map, or has no dimension %d",
                     (int)n);
        rf_tensor_map_replace(&m.map, (rf_tensor_field)in->sub, (uint32_t)n,
                              rf_get(w, &in->o[2], i));
        access.write(&context, in->space, at, m.bytes, MAP_BYTES);
    }
}

static rf_tensor_field field_of(const rf_statement *s)
{
    static const char *const names[] = {
#define X(id, spelling) spelling,
        RF_TENSOR_FIELDS(X)
#undef X
    };
    int f = 0;
    while (f < RF_TENSOR_FIELD_COUNT && !rf_has(s, names[f]))
        f++;
    return (rf_tensor_field)f;
}

static bool decode_replace(rf_reader *r, const rf_statement *s)
{
    rf_tensor_field field = field_of(s);
    int64_t offset;
    if (field == RF_TENSOR_FIELD_COUNT || s->n < 2 || s->n > 3)
        return false;
    rf_operand base = rf_operand_base(r, s, &s->arg[0], &offset);
    rf_operand n = rf_operand_none();
    if (s->n == 3)
        n = rf_operand_of(r, s, &s->arg[1], RF_T_B32);
    rf_operand value = rf_operand_of(r, s, &s->arg[s->n - 1], rf_last_type(s));
    rf_instr *in = rf_emit(r, s, step_replace, RF_KIND_STEP, RF_CLASS_ASYNC);
    in->o[0] = base;
    in->o[1] = n;
    in->o[2] = value;
    in->offset = offset;
    in->space = (uint8_t)rf_space_of(s);
    in->sub = (uint8_t)field;
    return true;
}

/* A copy of 128 bytes from shared to global memory by the whole warp. */
static void step_publish(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    int lane = __builtin_ctz(mask);
    uint8_t bytes[MAP_BYTES];
    rf_lane_context context = { w, in, lane };
    rf_access access = rf_lane_access(&context);
    access.read(&context, RF_SPACE_SHARED, rf_get(w, &in->o[1], lane), bytes,
                MAP_BYTES);
    access.write(&context, RF_SPACE_GLOBAL, rf_get(w, &in->o[0], lane), bytes,
                 MAP_BYTES);
}

static bool decode_publish(rf_reader *r, const rf_statement *s)
{
    int64_t to_offset, from_offset;
    if (s->n != 3)
        return false;
    rf_operand to = rf_operand_base(r, s, &s->arg[0], &to_offset);
    rf_operand from = rf_operand_base(r, s, &s->arg[1], &from_offset);
    if (to_offset || from_offset)
        return false;
    rf_instr *in = rf_emit(r, s, step_publish, RF_KIND_WARP, RF_CLASS_ASYNC);
    in->o[0] = to;
    in->o[1] = from;
    return true;
}

bool rf_decode_tensormap(rf_reader *r, const rf_statement *s)
{
    if (rf_has(s, "replace"))
        return decode_replace(r, s);
    return rf_has(s, "cp_fenceproxy") && decode_publish(r, s);
}
