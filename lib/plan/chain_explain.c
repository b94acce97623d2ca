/* A chain and its tiles in words: the picture of the dataflow, what stays on
 * the chip, what goes through memory, and, where the sizes are known, what the
 * analyser would choose and what every level moves. */
#include "plan/chain.h"
#include "plan/gemm.h"

static void put_val(rf_buf *out, const rf_val *v)
{
    rf_val_print(out, v);
}

int64_t rf_chain_type_bytes(const rf_type *t)
{
    if (t->kind == RF_TYPE_FLOAT)
        return t->format == RF_F64    ? 8
               : t->format == RF_F32  ? 4
               : t->format <= RF_BF16 ? 2
                                      : 1;
    return t->kind == RF_TYPE_INT ? t->bits / 8 : 8;
}

int64_t rf_chain_shared_bytes(const rf_chain *ch, const rf_chain_tiles *t)
{
    int64_t sums = (int64_t)t->m * t->l;
    int64_t bytes =
        rf_chain_operand_bytes(ch, t) + rf_chain_cluster_bytes(ch, t);
    if (!t->sums_in_memory && !t->k)
        bytes += sums * rf_chain_type_bytes(ch->second->type);
    for (size_t i = 0; i < ch->kept.len; i++)
        bytes += (int64_t)t->m *
                 (t->n + (t->tensor_second ? RF_CHAIN_PAD : 0)) *
                 rf_chain_type_bytes(rf_chain_kept_as(ch, t, i)->type);
    return bytes;
}

double rf_chain_bytes_before(const rf_chain *ch)
{
    double bytes = 0;
    for (size_t i = 0; i < ch->kept.len; i++)
        bytes += 2 * (double)rf_chain_type_bytes(ch->kept.data[i]->type);
    return bytes;
}

/* What stays visible is still written. */
double rf_chain_bytes_after(const rf_chain *ch)
{
    return ch->early.len ? rf_chain_bytes_before(ch) / 2 : 0;
}

/* ---- sizes ---- */

static bool constant(const rf_loop *l, int64_t *n)
{
    return l && rf_val_is_int(l->upper, n) && *n > 0;
}

bool rf_chain_shape(const rf_chain *ch, rf_gemm_shape *out)
{
    const rf_val *load = rf_val_first_load(ch->second->term);
    *out = (rf_gemm_shape){ .batch = 1,
                            .firsts = (int)ch->firsts.len,
                            .bytes = (int)rf_chain_type_bytes(
                                load ? load->type : ch->second->type),
                            .stores_p = ch->early.len > 0 };
    for (size_t i = 0; i < ch->batch.len; i++) {
        int64_t n;
        if (!constant(ch->batch.data[i], &n))
            return false;
        out->batch *= n;
    }
    int64_t n;
    bool known = constant(ch->m, &out->size[RF_DIM_M]);
    for (size_t i = 0; i < ch->folded.len && known; i++) {
        known = constant(ch->folded.data[i], &n);
        out->size[RF_DIM_M] *= known ? n : 1;
    }
    out->size[RF_DIM_K] = 1;
    for (const rf_red *r = ch->firsts.data[0]; r && known;
         r = rf_chain_inner(r)) {
        known = constant(r->axis, &n);
        out->size[RF_DIM_K] *= known ? n : 1;
    }
    return known && constant(ch->n, &out->size[RF_DIM_N]) &&
           constant(ch->l, &out->size[RF_DIM_L]);
}

/* ---- the picture ---- */

static void put_rows(rf_buf *out, const rf_chain *ch, const rf_chain_tiles *t)
{
    rf_buf_puts(out, "  grid    ");
    for (size_t i = 0; i < ch->batch.len; i++) {
        rf_buf_printf(out, "%s < ", ch->batch.data[i]->name);
        put_val(out, ch->batch.data[i]->upper);
        rf_buf_puts(out, ", ");
    }
    for (size_t i = 0; i < ch->folded.len; i++) {
        rf_buf_printf(out, "%s < ", ch->folded.data[i]->name);
        put_val(out, ch->folded.data[i]->upper);
        rf_buf_puts(out, " x ");
    }
    if (ch->row)
        rf_buf_printf(out, "the block's rows '%s'", ch->row->name);
    else
        rf_buf_printf(out, "%s < ", ch->m->name);
    if (ch->m)
        put_val(out, ch->m->upper);
    rf_buf_printf(out, ", %d at a time\n", t->m);
    if (rf_chain_blocks(t) > 1)
        rf_buf_printf(out,
                      "  cluster %d blocks: %d along the rows, %d along %s, %d "
                      "along %s; %d along %s in the second product\n",
                      rf_chain_blocks(t), t->cls_m, t->cls_n, ch->n->name,
                      t->cls_k, ch->k->name, t->cls_l, ch->l->name);
}

static void put_columns(rf_buf *out, const rf_loop *l, int tile)
{
    rf_buf_printf(out, "%s < ", l->name);
    put_val(out, l->upper);
    rf_buf_printf(out, ", %d at a time", tile);
}

/* What blocks of a cluster pass to each other. */
static void put_step(rf_buf *out, const char *what, double bytes, int blocks,
                     const char *times)
{
    if (blocks > 1)
        rf_buf_printf(out,
                      "            v   %s over %d blocks: %.0f bytes a cluster "
                      "and %s\n",
                      what, blocks, bytes, times);
}

static void put_picture(rf_buf *out, const rf_chain *ch,
                        const rf_chain_tiles *t)
{
    put_rows(out, ch, t);
    rf_buf_puts(out, "  first   ");
    put_columns(out, ch->n, t->n);
    rf_buf_puts(out, "\n");
    for (size_t i = 0; i < ch->firsts.len; i++) {
        rf_buf_printf(out, "            %s sum ",
                      i + 1 < ch->firsts.len ? "|" : "+");
        put_val(out, rf_chain_leaf(ch->firsts.data[i])->term);
        rf_buf_puts(out, "\n");
    }
    put_step(out, "exchange", rf_chain_pass(ch, t).exchange, t->cls_k, "turn");
    for (size_t i = 0; i < ch->kept.len; i++) {
        rf_buf_puts(out, "            v\n            ");
        put_val(out, ch->kept.data[i]);
        rf_buf_printf(out, "\n            v   [%d][%d] in shared memory\n",
                      t->m, t->n);
    }
    put_step(out, "ring", rf_chain_pass(ch, t).ring, rf_chain_ring(t), "turn");
    rf_buf_puts(out, "  second  ");
    put_columns(out, ch->l, t->l);
    rf_buf_printf(out, "\n            + sum over %s, %s\n", ch->n->name,
                  t->sums_in_memory ? "kept in the result itself"
                  : t->k            ? "kept in registers"
                                    : "kept in shared memory");
    put_step(out, "reduce-scatter", rf_chain_pass(ch, t).scatter,
             rf_chain_reduce(t), "tile of the result");
    for (size_t i = 0; i < ch->late.len; i++) {
        rf_buf_puts(out, "            -> ");
        put_val(out, ch->late.data[i]->base);
        rf_buf_puts(out, "[");
        put_val(out, ch->late.data[i]->index);
        rf_buf_puts(out, "]\n");
    }
}

/* P again for every tile of columns, where E is wider than a tile. */
static void put_again(rf_buf *out, const rf_chain *ch, const rf_chain_tiles *t)
{
    int64_t l;
    bool known = rf_val_is_int(ch->l->upper, &l);
    if (!t->sums_in_memory && (!known || l > t->l))
        rf_buf_printf(out,
                      "  first product: computed once for every %d columns of "
                      "the result\n",
                      t->l);
}

/* How the operands come, and what multiplies them. */
static void put_operands(rf_buf *out, const rf_chain_tiles *t)
{
    static const char *const which[] = { "", "the first product",
                                         "the second product",
                                         "both products" };
    int tensor = t->tensor_first + 2 * t->tensor_second;
    if (!t->k)
        rf_buf_puts(out, "  operands: loaded by each thread that needs them\n");
    else
        rf_buf_printf(out,
                      "  operands: in shared memory, %d steps of a sum at a "
                      "time, the next while these are multiplied\n",
                      t->k);
    if (tensor)
        rf_buf_printf(out, "  tensor cores: %s\n", which[tensor]);
}

static void put_memory(rf_buf *out, const rf_chain *ch, const rf_chain_tiles *t)
{
    rf_buf_printf(out, "  shared memory of a block: %lld bytes\n",
                  (long long)rf_chain_shared_bytes(ch, t));
    rf_buf_puts(out, ch->early.len
                         ? "  intermediate: written once, as it stays visible; "
                           "never read back\n"
                         : "  intermediate: never in memory\n");
}

/* ---- what the emitted kernel moves, and why these tiles ---- */

static void put_bytes_of(rf_buf *out, const rf_chain *ch,
                         const rf_chain_traffic *moved, bool stores)
{
    rf_buf_printf(out, "  bytes %s%s: ", stores ? "stored" : "loaded",
                  moved->exact ? "" : ", at most");
    rf_chain_put_traffic(out, ch, moved, stores);
    rf_buf_puts(out, "\n");
}

static void put_extent(rf_buf *out, const char *what, rf_chain_extent e)
{
    static const char *const from[] = { "", " (assumed)", " (a default)" };
    rf_buf_printf(out, "%s %lld%s", what, (long long)e.n, from[e.from]);
}

static void put_choice(rf_buf *out, const rf_chain *ch, const rf_chain_tiles *t,
                       const rf_device *device)
{
    rf_chain_limits limits = { .device = device };
    rf_chain_cost cost = rf_chain_cost_of(ch, t, &limits);
    rf_buf_puts(out, "  tiles chosen for");
    put_extent(out, " rows", rf_chain_rows_of(ch));
    put_extent(out, ", columns", rf_chain_extent_of(ch, ch->n));
    for (const rf_red *r = ch->firsts.data[0]; r; r = rf_chain_inner(r))
        put_extent(out, ", sum", rf_chain_extent_of(ch, r->axis));
    put_extent(out, ", columns of the result", rf_chain_extent_of(ch, ch->l));
    rf_buf_printf(out,
                  " on %s:\n  %lld blocks of %d threads, %.3g us by the model, "
                  "by %s\n",
                  device->arch, (long long)cost.blocks, t->threads,
                  cost.time * 1e6, cost.limit);
}

static void put_traffic(rf_buf *out, const rf_chain *ch,
                        const rf_chain_tiles *t)
{
    rf_chain_traffic moved = rf_chain_count(ch, t);
    rf_buf_puts(out, "  global memory, all threads together\n");
    put_bytes_of(out, ch, &moved, false);
    put_bytes_of(out, ch, &moved, true);
    rf_chain_traffic_clear(&moved);
}

void rf_chain_explain(rf_buf *out, const rf_chain *ch,
                      const rf_chain_tiles *tiles, const rf_device *device)
{
    rf_gemm_shape shape;
    rf_buf_printf(out, "chain %s\n", ch->formula);
    put_picture(out, ch, tiles);
    put_operands(out, tiles);
    put_memory(out, ch, tiles);
    put_again(out, ch, tiles);
    put_choice(out, ch, tiles, device);
    put_traffic(out, ch, tiles);
    if (!rf_chain_shape(ch, &shape))
        return;
    rf_gemm_plan plan = rf_gemm_search(device, &shape, true);
    rf_buf_puts(out, "the best dataflow for ");
    rf_gemm_explain(out, device, &shape, &plan);
}
