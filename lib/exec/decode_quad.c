/* mma.m8n8k4 on f16: four products of 8 x 8 x 4 at once. Product q belongs to
 * the lanes 4q .. 4q + 3 and 4q + 16 .. 4q + 19, eight lanes of which each
 * owns a row of A (or, if A lies by columns, a column of four rows), the same
 * of B, and eight elements of C and D. */
#include "exec/decode.h"
#include "exec/device.h"
#include "exec/matrix.h"

#include <string.h>

enum { SIDE = 8, DEPTH = 4, OWN = 8, PER = 4 };

typedef struct {
    rf_type c, d;
    bool a_by_columns, b_by_columns;
    rf_round round;
} quad;

/* Element "i" of the four that a lane holds: across: its place along the
 * eight, along: its place along the four. "whole": a lane holds all four of
 * one place along the eight. */
static void place_operand(int lane, int i, bool whole, int *across, int *along)
{
    int half = lane / 16 * 4;
    *across = half + (whole ? lane % 4 : i);
    *along = whole ? i : lane % 4;
}

static rf_element place_result(rf_type type, int lane, int i)
{
    int half = lane / 16 * 4;
    if (type == RF_T_F16)
        return (rf_element){ half + lane % 4, i };
    return (rf_element){ half + (lane & 1) + (i & 2),
                         (i & 4) + (lane & 2) + (i & 1) };
}

static uint64_t half_at(uint64_t *const *reg, int lane, int i)
{
    return reg[i / 2][lane] >> i % 2 * 16 & 0xffff;
}

static double result_at(rf_type type, uint64_t *const *reg, int lane, int i)
{
    uint64_t bits = type == RF_T_F16 ? half_at(reg, lane, i) : reg[i][lane];
    return rf_matrix_decode(type, bits);
}

static void put_result(const quad *p, uint64_t *const *reg, int lane, int i,
                       double x)
{
    if (p->d == RF_T_F32) {
        reg[i][lane] = rf_float_encode(RF_F32, x, p->round, 0);
        return;
    }
    uint64_t bits = rf_float_encode(RF_F16, x, p->round, 0) << i % 2 * 16;
    uint64_t old = i % 2 ? reg[i / 2][lane] & 0xffff : 0;
    reg[i / 2][lane] = old | bits;
}

static void multiply(const quad *p, int first, uint64_t *reg[4][OWN])
{
    double a[SIDE][DEPTH], b[SIDE][DEPTH], c[SIDE][SIDE];
    int at, k;
    for (int n = 0; n < OWN; n++) {
        int lane = first + n % 4 + n / 4 * 16;
        for (int i = 0; i < PER; i++) {
            place_operand(lane, i, !p->a_by_columns, &at, &k);
            a[at][k] = rf_matrix_decode(RF_T_F16, half_at(reg[1], lane, i));
            place_operand(lane, i, p->b_by_columns, &at, &k);
            b[at][k] = rf_matrix_decode(RF_T_F16, half_at(reg[2], lane, i));
        }
        for (int i = 0; i < OWN; i++) {
            rf_element e = place_result(p->c, lane, i);
            c[e.row][e.col] = result_at(p->c, reg[3], lane, i);
        }
    }
    for (int n = 0; n < OWN; n++) {
        int lane = first + n % 4 + n / 4 * 16;
        for (int i = 0; i < OWN; i++) {
            rf_element e = place_result(p->d, lane, i);
            double sum = c[e.row][e.col];
            for (k = 0; k < DEPTH; k++)
                sum += a[e.row][k] * b[e.col][k];
            put_result(p, reg[0], lane, i, sum);
        }
    }
}

static void step_quad(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    uint64_t *reg[4][OWN];
    rf_need_full_warp(w, in, mask);
    for (int i = 0; i < 4; i++)
        rf_columns_of(w, in->vec[i], reg[i]);
    for (int q = 0; q < 4; q++)
        multiply(in->extra->data, q * 4, reg);
}

static uint32_t registers(rf_type type)
{
    return type == RF_T_F16 ? OWN / 2 : OWN;
}

/* mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 d, a, b, c */
bool rf_decode_quad(rf_reader *r, const rf_statement *s)
{
    uint32_t first = 0;
    while (first < s->n_parts && strcmp(s->part[first], "m8n8k4"))
        first++;
    if (s->n != 4 || first + 2 >= s->n_parts)
        return false;
    quad p = { .d = rf_nth_type(s, 0),
               .c = rf_nth_type(s, 3),
               .a_by_columns = !strcmp(s->part[first + 1], "col"),
               .b_by_columns = !strcmp(s->part[first + 2], "col"),
               .round = r->nearest };
    rf_operands v[4];
    for (int i = 0; i < 4; i++)
        v[i] = rf_operands_of(r, s, &s->arg[i], RF_T_B32);
    bool known = (p.c == RF_T_F16 || p.c == RF_T_F32) &&
                 (p.d == RF_T_F16 || p.d == RF_T_F32);
    if (!known || v[0].n != registers(p.d) || v[1].n != PER / 2 ||
        v[2].n != PER / 2 || v[3].n != registers(p.c))
        return false;
    rf_instr *in = rf_emit(r, s, step_quad, RF_KIND_WARP, RF_CLASS_TENSOR);
    memcpy(in->vec, v, sizeof in->vec);
    in->extra = RF_NEW(r->arena, rf_extra);
    quad *data = RF_NEW(r->arena, quad);
    *data = p;
    in->extra->data = data;
    return true;
}
