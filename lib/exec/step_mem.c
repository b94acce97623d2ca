/* Loads, stores and atomics. */
#include "exec/atomic.h"
#include "exec/decode.h"
#include "exec/device.h"
#include "exec/step_macros.h"

#include <string.h>

/* ---- bytes ---- */

static inline u64 read_bytes(const u8 *p, u32 size, bool is_signed)
{
    u64 v = 0;
    switch (size) {
    case 1:
        return is_signed ? (u64)(s64)(s8)*p : *p;
    case 2: {
        u16 x;
        memcpy(&x, p, 2);
        return is_signed ? (u64)(s64)(s16)x : x;
    }
    case 4: {
        u32 x;
        memcpy(&x, p, 4);
        return is_signed ? (u64)(s64)(s32)x : x;
    }
    default:
        memcpy(&v, p, 8);
        return v;
    }
}

static void addresses(const rf_warp *w, const rf_instr *in, int o, u64 *a)
{
    const u64 *base = rf_col(w, &in->o[o]);
    bool narrow = in->space == RF_SPACE_SHARED ||
                  in->space == RF_SPACE_CLUSTER || in->space == RF_SPACE_LOCAL;
    u64 keep = narrow ? 0xffffffffu : ~0ull;
    for (int i = 0; i < RF_LANES; i++)
        a[i] = (base[i] + (u64)in->offset) & keep;
}

/* ---- ld: vec[0] takes n elements of in->type from [o[0] + offset] ---- */

static void gather(rf_warp *w, const rf_instr *in, uint32_t mask, u8 **p)
{
    u32 size = rf_type_bytes((rf_type)in->type);
    bool is_signed = rf_type_class((rf_type)in->type) == 's';
    for (u32 k = 0; k < in->vec[0].n; k++) {
        if (in->vec[0].at[k].bank == RF_BANK_NONE)
            continue;
        u64 *d = rf_col(w, &in->vec[0].at[k]);
        RF_EACH_LANE(i, mask)
        {
            d[i] = read_bytes(p[i] + k * size, size, is_signed);
        }
    }
}

static void gather_words(u64 *d, u8 **p, uint32_t mask)
{
    if (mask != RF_FULL_MASK) {
        RF_EACH_LANE(i, mask)
        {
            u32 x;
            memcpy(&x, p[i], 4);
            d[i] = x;
        }
        return;
    }
    for (int i = 0; i < RF_LANES; i++) {
        u32 x;
        memcpy(&x, p[i], 4);
        d[i] = x;
    }
}

static void step_load(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    rf_column a;
    u8 *p[RF_LANES];
    u32 size = rf_type_bytes((rf_type)in->type) * in->vec[0].n;
    addresses(w, in, 0, a);
    rf_resolve(w, in, mask, (rf_space)in->space, a, size, RF_LOAD, NULL, 0, p);
    if (size == 4 && in->vec[0].n == 1 && in->type != RF_T_S32 &&
        in->vec[0].at->bank != RF_BANK_NONE)
        gather_words(rf_col(w, in->vec[0].at), p, mask);
    else
        gather(w, in, mask, p);
}

/* ---- st ---- */

enum { STORE_MAX = 32 };

static void step_store(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    rf_column a;
    u8 *p[RF_LANES], bytes[RF_LANES][STORE_MAX];
    u32 element = rf_type_bytes((rf_type)in->type);
    u32 size = element * in->vec[0].n;
    addresses(w, in, 0, a);
    for (u32 k = 0; k < in->vec[0].n; k++) {
        const u64 *v = rf_col(w, &in->vec[0].at[k]);
        for (int i = 0; i < RF_LANES; i++)
            memcpy(bytes[i] + k * element, &v[i], element);
    }
    w->worker->progress++;
    rf_resolve(w, in, mask, (rf_space)in->space, a, size, RF_STORE, bytes[0],
               STORE_MAX, p);
    rf_element_note(w, in, a[__builtin_ctz(mask)]);
    RF_EACH_LANE(i, mask)
    {
        memcpy(p[i], bytes[i], size);
    }
}

/* ---- parameters ---- */

/* A kernel's parameter is the same for every lane. */
static void step_load_param(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u32 size = rf_type_bytes((rf_type)in->type);
    bool is_signed = rf_type_class((rf_type)in->type) == 's';
    const u8 *p = (const u8 *)w->worker->grid->params + in->offset;
    for (u32 k = 0; k < in->vec[0].n; k++) {
        u64 v = read_bytes(p + k * size, size, is_signed);
        u64 *d = rf_col(w, &in->vec[0].at[k]);
        RF_LOOP(d, v);
    }
}

static u8 *frame_bytes(const rf_warp *w, const rf_instr *in, int lane)
{
    u32 base = w->depth[rf_call_depth(w, lane)].local[lane];
    return w->local + (size_t)lane * w->local_size + base + in->offset;
}

/* A place in the function's own local memory, known when decoding. */
static void step_load_frame(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u8 *p[RF_LANES];
    RF_EACH_LANE(i, mask)
    {
        p[i] = frame_bytes(w, in, i);
    }
    gather(w, in, mask, p);
}

static void step_store_frame(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u32 size = rf_type_bytes((rf_type)in->type);
    for (u32 k = 0; k < in->vec[0].n; k++) {
        const u64 *v = rf_col(w, &in->vec[0].at[k]);
        RF_EACH_LANE(i, mask)
        {
            memcpy(frame_bytes(w, in, i) + k * size, &v[i], size);
        }
    }
}

void rf_step_param_address(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u64 *d = rf_col(w, &in->o[0]);
    RF_LOOP(d, w->worker->grid->params + in->imm[0]);
}

void rf_step_local_address(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u64 *d = rf_col(w, &in->o[0]);
    RF_EACH_LANE(i, mask)
    {
        d[i] = w->depth[rf_call_depth(w, i)].local[i] + in->imm[0];
    }
}

/* ---- decoding ---- */

/* b128 is handled as two b64; their columns are neighbours. */
static rf_operands split_wide(rf_reader *r, rf_operands v)
{
    rf_operands halves = { RF_NEW_ARRAY(r->arena, v.n * 2, rf_operand),
                           v.n * 2 };
    for (u32 i = 0; i < v.n; i++) {
        halves.at[2 * i] = halves.at[2 * i + 1] = v.at[i];
        halves.at[2 * i + 1].word += RF_LANES;
    }
    return halves;
}

static u16 ordering_of(const rf_statement *s)
{
    u16 flags = 0;
    if (rf_has(s, "volatile") || rf_has(s, "relaxed") || rf_has(s, "mmio"))
        flags |= RF_FLAG_VOLATILE;
    if (rf_has(s, "acquire") || rf_has(s, "acq_rel"))
        flags |= RF_FLAG_VOLATILE | RF_FLAG_ACQUIRE;
    if (rf_has(s, "release") || rf_has(s, "acq_rel"))
        flags |= RF_FLAG_VOLATILE | RF_FLAG_RELEASE;
    return flags;
}

static const rf_symbol *symbol_of(rf_reader *r, const rf_arg *address)
{
    u32 index;
    if (address->at[0].kind != RF_ARG_NAME)
        return NULL;
    return rf_symbol_find(r, address->at[0].name, &index);
}

/* [name + offset] of a parameter or of a parameter of a call: a place known
 * now. Returns false for any other address. */
static bool decode_known(rf_reader *r, const rf_statement *s,
                         const rf_arg *address, rf_operands v, rf_type type,
                         bool store)
{
    const rf_symbol *y = symbol_of(r, address);
    if (!y || (y->class != RF_SYM_PARAM && y->class != RF_SYM_FRAME))
        return false;
    if (y->class == RF_SYM_PARAM && store)
        return false;
    rf_step *step = y->class == RF_SYM_PARAM ? step_load_param
                    : store                  ? step_store_frame
                                             : step_load_frame;
    rf_instr *in = rf_emit(r, s, step, RF_KIND_STEP, RF_CLASS_MOVE);
    in->vec[0] = v;
    in->type = (u8)type;
    in->offset = y->offset + address->offset;
    return true;
}

static bool decode_access(rf_reader *r, const rf_statement *s, bool store)
{
    const rf_arg *address = &s->arg[store ? 0 : 1];
    const rf_arg *value = &s->arg[store ? 1 : 0];
    rf_type type = rf_last_type(s);
    if (s->n < 2 || address->kind != RF_ARG_ADDRESS || !type)
        return false;
    rf_operands v = rf_operands_of(r, s, value, type);
    if (type == RF_T_B128) {
        v = split_wide(r, v);
        type = RF_T_B64;
    }
    if (decode_known(r, s, address, v, type, store))
        return true;
    int64_t offset;
    rf_operand base = rf_operand_base(r, s, address, &offset);
    rf_space space = rf_space_of(s);
    rf_instr *in = rf_emit(r, s, store ? step_store : step_load, RF_KIND_STEP,
                           store ? RF_CLASS_STORE : RF_CLASS_LOAD);
    in->space = (u8)(space == RF_SPACE_PARAM ? RF_SPACE_GENERIC : space);
    in->o[0] = base;
    in->offset = offset;
    in->vec[0] = v;
    in->type = (u8)type;
    in->flags = ordering_of(s);
    return true;
}

bool rf_decode_load(rf_reader *r, const rf_statement *s)
{
    return decode_access(r, s, false);
}

bool rf_decode_store(rf_reader *r, const rf_statement *s)
{
    if (rf_has(s, "async"))
        return rf_decode_st_async(r, s);
    return decode_access(r, s, true);
}

/* ---- atomics: [o[0] + offset], old values to vec[0], b in vec[1], c o[1] --
 */

static void atomic_lane(rf_warp *w, const rf_instr *in, int i, u8 *p)
{
    rf_type type = (rf_type)in->type;
    u32 size = rf_type_bytes(type);
    for (u32 k = 0; k < in->vec[1].n; k++) {
        u64 b = rf_get(w, &in->vec[1].at[k], i);
        u64 c = in->o[1].bank != RF_BANK_NONE ? rf_get(w, &in->o[1], i) : 0;
        bool changed;
        u64 old = rf_atomic_do((rf_atomic)in->sub, type, p + k * size, b, c,
                               (rf_round)in->round, &changed);
        w->worker->progress += changed;
        if (in->vec[0].n)
            rf_set(w, &in->vec[0].at[k], i, old);
    }
}

static void step_atomic(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    rf_column a;
    u8 *p[RF_LANES];
    u32 size = rf_type_bytes((rf_type)in->type) * in->vec[1].n;
    addresses(w, in, 0, a);
    rf_resolve(w, in, mask, (rf_space)in->space, a, size, RF_ATOMIC_RMW, NULL,
               0, p);
    rf_element_note(w, in, a[__builtin_ctz(mask)]);
    RF_EACH_LANE(i, mask)
    {
        atomic_lane(w, in, i, p[i]);
    }
}

/* 128 bits: exch and cas only; b and c are two columns each. */
static void step_atomic_128(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    rf_column a;
    u8 *p[RF_LANES];
    addresses(w, in, 0, a);
    rf_resolve(w, in, mask, (rf_space)in->space, a, 16, RF_ATOMIC_RMW, NULL, 0,
               p);
    RF_EACH_LANE(i, mask)
    {
        u64 old[2], b[2], c[2] = { 0 };
        memcpy(old, p[i], 16);
        for (int h = 0; h < 2; h++) {
            b[h] = rf_col(w, in->vec[1].at)[h * RF_LANES + i];
            if (in->sub == RF_ATOM_CAS)
                c[h] = rf_col(w, &in->o[1])[h * RF_LANES + i];
        }
        if (in->sub != RF_ATOM_CAS)
            memcpy(p[i], b, 16);
        else if (!memcmp(old, b, 16))
            memcpy(p[i], c, 16);
        for (int h = 0; h < 2 && in->vec[0].n; h++)
            rf_col(w, in->vec[0].at)[h * RF_LANES + i] = old[h];
        w->worker->progress++;
    }
}

void rf_mark_ordered(rf_reader *r)
{
    r->f->ordered = true;
}

/* Blocks may run side by side only if their atomics give the same result in
 * every order: sums of integers and the like, whose old values go nowhere. */
static bool commutes(rf_atomic op, rf_type type, bool result)
{
    bool is_float = rf_type_class(type) == 'f' || rf_type_class(type) == 'x';
    return !result && op != RF_ATOM_EXCH && op != RF_ATOM_CAS &&
           op != RF_ATOM_INC && op != RF_ATOM_DEC &&
           !(op == RF_ATOM_ADD && is_float);
}

static void fill_atomic(rf_instr *in, const rf_statement *s, rf_atomic op,
                        rf_type type, bool result)
{
    in->type = (u8)type;
    in->sub = (u8)op;
    in->space = (u8)rf_space_of(s);
    in->flags = ordering_of(s) | RF_FLAG_VOLATILE;
    if (result)
        in->flags |= RF_FLAG_RESULT;
    if (type == RF_T_B128)
        in->step = step_atomic_128;
}

bool rf_decode_atom(rf_reader *r, const rf_statement *s)
{
    if (rf_has(s, "async"))
        return rf_decode_st_async(r, s);
    bool red = s->part[0][0] == 'r';
    u32 k = red ? 0 : 1;
    rf_atomic op = rf_atomic_of(s);
    rf_type type = rf_last_type(s);
    if (op == RF_ATOM_COUNT || s->n < k + 2 || s->arg[k].kind != RF_ARG_ADDRESS)
        return false;
    int64_t offset;
    rf_operands old = { 0 };
    bool result = !red && !(s->arg[0].name && !strcmp(s->arg[0].name, "_"));
    if (result)
        old = rf_operands_of(r, s, &s->arg[0], type);
    rf_operand base = rf_operand_base(r, s, &s->arg[k], &offset);
    rf_operands b = rf_operands_of(r, s, &s->arg[k + 1], type);
    rf_operand c = op == RF_ATOM_CAS ? rf_operand_of(r, s, &s->arg[k + 2], type)
                                     : rf_operand_none();
    if (rf_space_of(s) != RF_SPACE_SHARED &&
        rf_space_of(s) != RF_SPACE_CLUSTER && !commutes(op, type, result))
        rf_mark_ordered(r);
    rf_instr *in = rf_emit(r, s, step_atomic, RF_KIND_STEP, RF_CLASS_ATOMIC);
    in->o[0] = base;
    in->o[1] = c;
    in->offset = offset;
    in->vec[0] = old;
    in->vec[1] = b;
    in->round = (u8)r->nearest;
    fill_atomic(in, s, op, type, result);
    return true;
}
