/* wgmma.mma_async and the instructions that order it. The product is computed
 * when it is issued. When it is waited for, its operands are read once more:
 * whoever wrote them in between, or writes them later without knowing of the
 * wait, is in a race with the tensor core. */
#include "exec/decode.h"
#include "exec/device.h"
#include "exec/matrix.h"
#include "exec/steps.h"
#include "exec/wgmma.h"

#include <string.h>

enum { MAX_D = 128, MAX_A = 4, WARPS = 4 };

/* Descriptors hold no rank: they mean the block's own memory. */
static void read_own(void *context, rf_space space, uint64_t address,
                     void *bytes, uint32_t n)
{
    rf_lane_context *c = context;
    rf_access access = rf_lane_access(c);
    access.read(c, space, address | (uint64_t)c->w->block->rank << 24, bytes,
                n);
}

/* o[1], o[2]: descriptors of A and B; o[3]: scale-d. vec[1]: A, if it lies in
 * registers. */
static void step_wgmma(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    uint64_t *d[MAX_D], *a[MAX_A];
    rf_wgmma g = *(const rf_wgmma *)in->extra->data;
    rf_need_full_warp(w, in, mask);
    rf_columns_of(w, in->vec[0], d);
    rf_columns_of(w, in->vec[1], a);
    bool in_registers = in->vec[1].n != 0;
    if (!in_registers)
        g.a_descriptor = rf_get(w, &in->o[1], 0);
    g.b_descriptor = rf_get(w, &in->o[2], 0);
    g.accumulate = rf_get(w, &in->o[3], 0);
    rf_lane_context context = { w, in, 0 };
    rf_access access = { .context = &context, .read = read_own };
    rf_wgmma_run(&g, (int)(w->id % WARPS), &access, in_registers ? a : NULL, d);
    RF_PUSH(w->products, (rf_product){ in, g.a_descriptor, g.b_descriptor, 0 });
}

static void step_commit(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    (void)in, (void)mask;
    w->product_group++;
    for (size_t i = 0; i < w->products.len; i++)
        if (!w->products.data[i].group)
            w->products.data[i].group = w->product_group;
}

static void finish(rf_warp *w, const rf_product *p)
{
    rf_wgmma g = *(const rf_wgmma *)p->in->extra->data;
    g.a_descriptor = p->a;
    g.b_descriptor = p->b;
    rf_lane_context context = { w, p->in, 0 };
    rf_access access = rf_lane_access(&context);
    rf_wgmma_touch(&g, (int)(w->id % WARPS), p->in->vec[1].n != 0, &access);
}

/* Wait until at most imm[0] groups are in flight. */
static void step_wait(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    size_t kept = 0;
    (void)mask;
    for (size_t i = 0; i < w->products.len; i++) {
        rf_product p = w->products.data[i];
        if (p.group && p.group + in->imm[0] <= w->product_group)
            finish(w, &p);
        else
            w->products.data[kept++] = p;
    }
    w->products.len = kept;
}

void rf_products_end(rf_warp *w)
{
    if (w->products.len)
        rf_report(w, w->products.data[0].in, 0, RF_CHECK_ASYNC,
                  "the warp exited without waiting for this product");
    w->products.len = 0;
}

static bool valid(const rf_wgmma *g, uint32_t d_regs, uint32_t a_regs)
{
    rf_mma_shape rows = { 16, g->shape.n, g->shape.k };
    rf_fragment d = rf_fragment_of(RF_OPERAND_C, rows, g->d, 0);
    rf_fragment a = rf_fragment_of(RF_OPERAND_A, rows, g->type, 0);
    return g->shape.m == 64 && g->shape.n % 8 == 0 && g->shape.n <= 256 &&
           g->shape.k <= 256 && (uint32_t)d.regs == d_regs &&
           (!a_regs || (uint32_t)a.regs == a_regs) && d_regs <= MAX_D &&
           a_regs <= MAX_A;
}

/* Immediates after scale-d: scales of A and B (1 or -1), then whether each
 * operand in shared memory is transposed. */
static void set_immediates(const rf_statement *s, bool a_in_registers,
                           rf_wgmma *g)
{
    if (s->n > 5) {
        g->negate_a = (int32_t)s->arg[4].value < 0;
        g->negate_b = (int32_t)s->arg[5].value < 0;
    }
    if (s->n > 6 && !a_in_registers)
        g->transpose_a = s->arg[6].value;
    if (s->n > 6)
        g->transpose_b = s->arg[s->n - 1].value;
}

static bool decode_product(rf_reader *r, const rf_statement *s)
{
    rf_wgmma g = { .d = rf_nth_type(s, 0),
                   .type = rf_nth_type(s, 1),
                   .b = rf_nth_type(s, 2),
                   .satfinite = rf_has(s, "satfinite") };
    if (s->n < 4 || !rf_shape_of(s, &g.shape) || rf_has(s, "sp"))
        return false;
    bool registers = s->arg[1].kind == RF_ARG_VECTOR;
    rf_operands d = rf_operands_of(r, s, &s->arg[0], RF_T_B32), a = { 0 };
    rf_operand a_descriptor = rf_operand_none();
    if (registers)
        a = rf_operands_of(r, s, &s->arg[1], RF_T_B32);
    else
        a_descriptor = rf_operand_of(r, s, &s->arg[1], RF_T_B64);
    if (!valid(&g, d.n, a.n))
        return false;
    set_immediates(s, registers, &g);
    rf_operand b = rf_operand_of(r, s, &s->arg[2], RF_T_B64);
    rf_operand scale = rf_operand_of(r, s, &s->arg[3], RF_T_PRED);
    rf_instr *in = rf_emit(r, s, step_wgmma, RF_KIND_WARP, RF_CLASS_TENSOR);
    in->vec[0] = d;
    in->vec[1] = a;
    in->o[1] = a_descriptor;
    in->o[2] = b;
    in->o[3] = scale;
    in->extra = RF_NEW(r->arena, rf_extra);
    rf_wgmma *data = RF_NEW(r->arena, rf_wgmma);
    *data = g;
    data->round = r->nearest;
    in->extra->data = data;
    return true;
}

static bool emit_order(rf_reader *r, const rf_statement *s, rf_step *step)
{
    rf_instr *in = rf_emit(r, s, step, RF_KIND_WARP, RF_CLASS_TENSOR);
    if (s->n)
        in->imm[0] = s->arg[0].value;
    return true;
}

bool rf_decode_wgmma(rf_reader *r, const rf_statement *s)
{
    if (rf_has(s, "fence"))
        return emit_order(r, s, rf_step_nop);
    if (rf_has(s, "commit_group"))
        return emit_order(r, s, step_commit);
    if (rf_has(s, "wait_group"))
        return emit_order(r, s, step_wait);
    return rf_has(s, "mma_async") && decode_product(r, s);
}
