/* mma.sync, wmma.mma, ldmatrix, stmatrix, movmatrix, wmma.load, wmma.store:
 * matrices in the registers of a warp. */
#include "exec/decode.h"
#include "exec/device.h"
#include "exec/matrix.h"

#include <string.h>

enum { MAX_REGS = 16, ROWS = 8, ROW_BYTES = 16 };

/* ---- what the instructions share ---- */

bool rf_shape_of(const rf_statement *s, rf_mma_shape *shape)
{
    for (uint32_t i = 1; i < s->n_parts; i++)
        if (sscanf(s->part[i], "m%dn%dk%d", &shape->m, &shape->n, &shape->k) ==
            3)
            return true;
    return false;
}

void rf_columns_of(const rf_warp *w, rf_operands v, uint64_t **out)
{
    for (uint32_t i = 0; i < v.n; i++)
        out[i] = rf_col(w, &v.at[i]);
}

void rf_need_full_warp(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    if (mask != RF_FULL_MASK)
        rf_fault(w, in, __builtin_ctz(mask), RF_CHECK_WARP, RF_LAUNCH_FAILURE,
                 "a matrix operation of lanes %08x only", mask);
}

/* ---- products ---- */

static void step_mma(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    uint64_t *reg[4][MAX_REGS];
    rf_need_full_warp(w, in, mask);
    for (int i = 0; i < 4; i++)
        rf_columns_of(w, in->vec[i], reg[i]);
    rf_mma_run(in->extra->data, reg[1], reg[2], reg[3], reg[0]);
}

static bool valid_shape(const rf_mma *p)
{
    rf_mma_shape s = p->shape;
    return s.m % 8 == 0 && s.m <= 32 && s.n % 8 == 0 && s.n <= 32 && s.k >= 4 &&
           s.m * s.k <= 16 * 256 && s.n * s.k <= 16 * 256;
}

static bool valid_registers(const rf_mma *p, const rf_operands *v)
{
    rf_fragment f[4] = {
        rf_fragment_of(RF_OPERAND_C, p->shape, p->d, 0),
        rf_fragment_of(RF_OPERAND_A, p->shape, p->a, p->a_regs),
        rf_fragment_of(RF_OPERAND_B, p->shape, p->b, p->b_regs),
        rf_fragment_of(RF_OPERAND_C, p->shape, p->c, 0),
    };
    for (int i = 0; i < 4; i++)
        if ((int)v[i].n != f[i].regs || f[i].regs < 1 || f[i].regs > MAX_REGS)
            return false;
    return true;
}

/* Types are listed as D, A, B, C; wmma on f16 names D and C alone. */
static bool set_types(const rf_statement *s, bool wmma, rf_mma *p)
{
    p->d = rf_nth_type(s, 0);
    p->a = rf_nth_type(s, 1);
    p->b = rf_nth_type(s, 2);
    p->c = rf_nth_type(s, 3);
    if (wmma && p->a && !p->b) {
        p->c = p->a;
        p->a = p->b = RF_T_F16;
    }
    return p->c != RF_T_NONE;
}

static bool emit_product(rf_reader *r, const rf_statement *s, rf_mma p,
                         const rf_operands v[4])
{
    if (!valid_shape(&p) || !valid_registers(&p, v))
        return false;
    rf_instr *in = rf_emit(r, s, step_mma, RF_KIND_WARP, RF_CLASS_TENSOR);
    memcpy(in->vec, v, sizeof in->vec);
    in->extra = RF_NEW(r->arena, rf_extra);
    rf_mma *data = RF_NEW(r->arena, rf_mma);
    *data = p;
    in->extra->data = data;
    return true;
}

static bool decode_product(rf_reader *r, const rf_statement *s, bool wmma)
{
    rf_mma p = { .satfinite = rf_has(s, "satfinite"),
                 .exclusive_or = rf_has(s, "xor"),
                 .round = r->nearest };
    rf_operands v[4];
    if (s->n != 4 || !rf_shape_of(s, &p.shape) || !set_types(s, wmma, &p))
        return false;
    for (int i = 0; i < 4; i++)
        v[i] = rf_operands_of(r, s, &s->arg[i], RF_T_B32);
    p.a_regs = wmma ? (int)v[1].n : 0;
    p.b_regs = wmma ? (int)v[2].n : 0;
    return emit_product(r, s, p, v);
}

/* mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c; only operands
 * of mma.m8n8k4 (decode_quad.c) may lie the other way round. */
bool rf_decode_mma(rf_reader *r, const rf_statement *s)
{
    rf_mma_shape shape;
    bool volta = rf_shape_of(s, &shape) && shape.m == 8 && shape.k == 4 &&
                 rf_nth_type(s, 1) == RF_T_F16;
    if (volta)
        return rf_decode_quad(r, s);
    if (rf_has(s, "sp"))
        return false;
    return decode_product(r, s, false);
}

/* ---- wmma.load, wmma.store ---- */

/* What a load or store needs to know besides its operands. */
typedef struct {
    rf_fragment fragment;
    rf_operand_role role;
    bool row_major, store;
    uint64_t ld; /* if the instruction gives none */
} tile;

/* Bytes that one access moves: an element, or a register of elements that are
 * smaller than a byte. */
static uint32_t unit(const rf_fragment *f, int *elements)
{
    bool bits = f->type == RF_T_S4 || f->type == RF_T_U4 || f->type == RF_T_B1;
    *elements = bits ? rf_fragment_elements(f) / f->regs : 1;
    return bits ? 4 : rf_type_bytes(f->type);
}

static void load_unit(const tile *t, uint64_t *const *reg, int lane, int i,
                      int elements, uint64_t value)
{
    if (elements > 1)
        reg[i / elements][lane] = value;
    else
        rf_fragment_set(&t->fragment, reg, lane, i, value);
}

static uint64_t stored_unit(const tile *t, uint64_t *const *reg, int lane,
                            int i, int elements)
{
    return elements > 1 ? reg[i / elements][lane]
                        : rf_fragment_get(&t->fragment, reg, lane, i);
}

static void move_tile(rf_warp *w, const rf_instr *in, int lane)
{
    const tile *t = in->extra->data;
    const rf_fragment *f = &t->fragment;
    uint64_t *reg[MAX_REGS];
    int elements, n = rf_fragment_elements(f);
    uint32_t bytes = unit(f, &elements);
    uint64_t base = rf_get(w, &in->o[0], lane) + (uint64_t)in->offset;
    uint64_t ld = in->n > 1 ? rf_get(w, &in->o[1], lane) : t->ld;
    rf_lane_context context = { w, in, lane };
    rf_access m = rf_lane_access(&context);
    rf_columns_of(w, in->vec[0], reg);
    for (int i = 0; i < n; i += elements) {
        rf_element at = rf_fragment_place(f, lane, i);
        uint64_t address =
            base + rf_wmma_offset(f, t->role, t->row_major, ld, at) / 8;
        uint64_t value = t->store ? stored_unit(t, reg, lane, i, elements) : 0;
        if (t->store) {
            m.write(&context, in->space, address, &value, bytes);
        } else {
            m.read(&context, in->space, address, &value, bytes);
            load_unit(t, reg, lane, i, elements, value);
        }
    }
}

static void step_tile(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    rf_need_full_warp(w, in, mask);
    RF_EACH_LANE(i, mask)
    {
        move_tile(w, in, i);
    }
}

static bool tile_of(const rf_statement *s, int regs, tile *t)
{
    rf_mma_shape shape;
    if (!rf_shape_of(s, &shape))
        return false;
    t->store = !strcmp(s->part[1], "store");
    t->role = rf_has(s, "a")   ? RF_OPERAND_A
              : rf_has(s, "b") ? RF_OPERAND_B
                               : RF_OPERAND_C;
    t->row_major = rf_has(s, "row");
    t->fragment = rf_fragment_of(t->role, shape, rf_last_type(s), regs);
    bool across = t->row_major != (t->role == RF_OPERAND_B);
    t->ld = (uint64_t)(across ? t->fragment.cols : t->fragment.rows);
    return regs <= MAX_REGS;
}

/* wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {d, ...}, [p], stride */
static bool decode_tile(rf_reader *r, const rf_statement *s)
{
    bool store = !strcmp(s->part[1], "store");
    const rf_arg *regs = &s->arg[store], *address = &s->arg[!store];
    int64_t offset;
    if (s->n < 2)
        return false;
    rf_operands v = rf_operands_of(r, s, regs, RF_T_B32);
    tile *t = RF_NEW(r->arena, tile);
    if (!tile_of(s, (int)v.n, t))
        return false;
    rf_operand base = rf_operand_base(r, s, address, &offset);
    rf_operand ld = rf_operand_none();
    if (s->n > 2)
        ld = rf_operand_of(r, s, &s->arg[2], RF_T_B32);
    rf_instr *in = rf_emit(r, s, step_tile, RF_KIND_WARP,
                           store ? RF_CLASS_STORE : RF_CLASS_LOAD);
    in->vec[0] = v;
    in->o[0] = base;
    in->o[1] = ld;
    in->n = s->n > 2 ? 2 : 1;
    in->offset = offset;
    in->space = (uint8_t)rf_space_of(s);
    in->extra = RF_NEW(r->arena, rf_extra);
    in->extra->data = t;
    return true;
}

bool rf_decode_wmma(rf_reader *r, const rf_statement *s)
{
    if (s->n_parts > 1 && !strcmp(s->part[1], "mma"))
        return decode_product(r, s, true);
    return decode_tile(r, s);
}

/* ---- ldmatrix, stmatrix, movmatrix: matrices of 8 rows of 16 bytes ---- */

static void put_half(uint64_t *column, rf_matrix_slot slot, uint16_t value)
{
    int shift = 16 * slot.half;
    column[slot.lane] =
        (column[slot.lane] & ~(0xffffull << shift)) | (uint64_t)value << shift;
}

static uint16_t get_half(const uint64_t *column, rf_matrix_slot slot)
{
    return (uint16_t)(column[slot.lane] >> 16 * slot.half);
}

static void scatter_row(uint64_t *column, int row, bool trans,
                        const uint16_t *values)
{
    for (int c = 0; c < ROWS; c++)
        put_half(column, rf_ldmatrix_slot(row, c, trans), values[c]);
}

static void gather_row(const uint64_t *column, int row, bool trans,
                       uint16_t *values)
{
    for (int c = 0; c < ROWS; c++)
        values[c] = get_half(column, rf_ldmatrix_slot(row, c, trans));
}

/* sub: bit 0 transposed, bit 1 a store. Addresses are read before results are
 * written, because they may share a register. */
static void step_rows(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    uint64_t result[4][RF_LANES] = { 0 }, *reg[4];
    uint16_t values[ROWS];
    bool trans = in->sub & 1, store = in->sub & 2;
    rf_need_full_warp(w, in, mask);
    rf_columns_of(w, in->vec[0], reg);
    for (int row = 0; row < (int)in->vec[0].n * ROWS; row++) {
        uint64_t *column = store ? reg[row / ROWS] : result[row / ROWS];
        uint64_t at = rf_get(w, &in->o[0], row) + (uint64_t)in->offset;
        rf_lane_context context = { w, in, row };
        rf_access m = rf_lane_access(&context);
        if (store) {
            gather_row(column, row % ROWS, trans, values);
            m.write(&context, in->space, at, values, ROW_BYTES);
        } else {
            m.read(&context, in->space, at, values, ROW_BYTES);
            scatter_row(column, row % ROWS, trans, values);
        }
    }
    for (uint32_t m = 0; !store && m < in->vec[0].n; m++)
        memcpy(reg[m], result[m], sizeof result[m]);
}

static void step_transpose(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    uint64_t result[RF_LANES] = { 0 };
    rf_need_full_warp(w, in, mask);
    for (int row = 0; row < ROWS; row++) {
        uint16_t values[ROWS];
        gather_row(rf_col(w, &in->o[1]), row, false, values);
        scatter_row(result, row, true, values);
    }
    memcpy(rf_col(w, &in->o[0]), result, sizeof result);
}

static bool decode_movmatrix(rf_reader *r, const rf_statement *s)
{
    if (s->n != 2 || !rf_has(s, "trans"))
        return false;
    rf_operand d = rf_operand_of(r, s, &s->arg[0], RF_T_B32);
    rf_operand a = rf_operand_of(r, s, &s->arg[1], RF_T_B32);
    rf_instr *in = rf_emit(r, s, step_transpose, RF_KIND_WARP, RF_CLASS_WARP);
    in->o[0] = d;
    in->o[1] = a;
    in->n = 2;
    return true;
}

bool rf_decode_matrix(rf_reader *r, const rf_statement *s)
{
    int64_t offset;
    bool store = !strcmp(s->part[0], "stmatrix");
    if (!strcmp(s->part[0], "movmatrix"))
        return decode_movmatrix(r, s);
    if (s->n != 2 || !rf_has(s, "m8n8"))
        return false;
    rf_operands v = rf_operands_of(r, s, &s->arg[store], RF_T_B32);
    rf_operand base = rf_operand_base(r, s, &s->arg[!store], &offset);
    if (v.n > 4)
        return false;
    rf_instr *in = rf_emit(r, s, step_rows, RF_KIND_WARP,
                           store ? RF_CLASS_STORE : RF_CLASS_LOAD);
    in->vec[0] = v;
    in->o[0] = base;
    in->n = 1;
    in->offset = offset;
    in->space = (uint8_t)rf_space_of(s);
    in->sub = (uint8_t)(rf_has(s, "trans") | store << 1);
    return true;
}
