/* How the blocks of a cluster share a chain (THEORY 9):
 *
 *     exchange   cls_k blocks of one tile of P, which share k, or of which each
 *                has a first product of its own
 *     ring       cls_shuffle = cls_l / cls_k blocks pass their tiles of P on
 *     scatter    cls_reduce = cls_n cls_k / cls_l blocks add their tiles of E
 */
#include "plan/chain.h"

rf_gemm_cluster rf_chain_cluster(const rf_chain_tiles *t)
{
    return (rf_gemm_cluster){ { t->cls_m, t->cls_n, t->cls_k, t->cls_l } };
}

int rf_chain_blocks(const rf_chain_tiles *t)
{
    return t->cls_m * t->cls_n * t->cls_k;
}

int rf_chain_ring(const rf_chain_tiles *t)
{
    return t->cls_l / t->cls_k;
}

int rf_chain_reduce(const rf_chain_tiles *t)
{
    return t->cls_n * t->cls_k / t->cls_l;
}

bool rf_chain_takes_turns(const rf_chain_tiles *t)
{
    return t->cls_n > 1 && (t->cls_k > 1 || rf_chain_ring(t) > 1);
}

bool rf_chain_has_branches(const rf_chain *ch, const rf_chain_tiles *t)
{
    bool each = ch->firsts.len > 1 && (int)ch->firsts.len == t->cls_k;
    for (size_t i = 1; each && i < ch->firsts.len; i++)
        each = rf_chain_same_axes(ch->firsts.data[0], ch->firsts.data[i]) &&
               rf_type_same(ch->firsts.data[0]->type, ch->firsts.data[i]->type);
    return each;
}

bool rf_chain_reorders(const rf_chain *ch, const rf_chain_tiles *t)
{
    return t->tensor_first || t->tensor_second || rf_chain_ring(t) > 1 ||
           rf_chain_reduce(t) > 1 ||
           (t->cls_k > 1 && !rf_chain_has_branches(ch, t));
}

/* Sums that are exchanged, from which P is made. */
static int exchanged(const rf_chain *ch, const rf_chain_tiles *t)
{
    return rf_chain_has_branches(ch, t) ? 1 : (int)ch->firsts.len;
}

int64_t rf_chain_cluster_bytes(const rf_chain *ch, const rf_chain_tiles *t)
{
    int64_t tile = (int64_t)t->m * t->n, bytes = 0;
    int ring = rf_chain_ring(t), reduce = rf_chain_reduce(t);
    for (int i = 0; i < exchanged(ch, t) && t->cls_k > 1; i++)
        bytes += tile * (1 + t->cls_k) *
                 rf_chain_type_bytes(ch->firsts.data[i]->type);
    for (size_t i = 0; i < ch->kept.len && ring > 1; i++)
        bytes += tile * rf_chain_type_bytes(ch->kept.data[i]->type);
    if (reduce > 1)
        bytes += (int64_t)t->m * t->l * rf_chain_type_bytes(ch->second->type);
    return bytes + RF_CHAIN_GATE * ((t->cls_k > 1) + (ring > 1) + (reduce > 1));
}

rf_chain_passed rf_chain_pass(const rf_chain *ch, const rf_chain_tiles *t)
{
    double tile = (double)t->m * t->n, blocks = rf_chain_blocks(t);
    double sums = 0, kept = 0, reduce = rf_chain_reduce(t);
    for (int i = 0; i < exchanged(ch, t); i++)
        sums += (double)rf_chain_type_bytes(ch->firsts.data[i]->type);
    for (size_t i = 0; i < ch->kept.len; i++)
        kept += (double)rf_chain_type_bytes(ch->kept.data[i]->type);
    return (rf_chain_passed){
        .exchange = blocks * (t->cls_k - 1) * tile * sums,
        .ring = blocks * (rf_chain_ring(t) - 1) * tile * kept,
        .scatter = blocks * (reduce - 1) / reduce * t->m * t->l *
                   (double)rf_chain_type_bytes(ch->second->type),
    };
}
