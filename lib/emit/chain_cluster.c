/* A chain over the blocks of a cluster (THEORY 9, cls_n blocks along n):
 *
 *     first, second   block r takes the tiles r, r + C, r + 2C ... of n
 *     scatter         E = SUM over blocks of their e: block q gets part q,
 *                     (C - 1) / C * blk_m * blk_l * s bytes a block
 *
 * or along k (cls_k = cls_l blocks):
 *
 *     first           block r sums over the k of its turn
 *     exchange        C = SUM over blocks, in all of them, before act:
 *                     (C - 1) blk_m blk_n s bytes a block
 *     second          block r takes the tiles r, r + C ... of l
 *
 * Pushed, not pulled: stores to the shared memory of another block are faster
 * than loads. The parts are added in the order of the blocks. */
#include "emit/chaining.h"

static void declare_exchange(rf_chain_maker *mk)
{
    int n = mk->m.tile * mk->n.tile;
    for (size_t i = 0; i < mk->ch->firsts.len; i++) {
        const rf_red *c = mk->ch->firsts.data[i];
        const rf_type *type = c->type;
        const char *name = c->var ? c->var->name : "sum";
        const char *part = rf_arena_printf(mk->em.arena, "%s_part", name);
        const char *slots = rf_arena_printf(mk->em.arena, "%s_slots", name);
        mk->part[i] =
            rf_chain_tile(mk, part, type, mk->m.tile, mk->n.tile, true);
        mk->slots[i] =
            rf_chain_tile(mk, slots, type, mk->tiles->split_k, n, true);
    }
}

void rf_chain_declare_rank(rf_chain_maker *mk)
{
    rf_emitter *em = &mk->em;
    if (mk->tiles->cluster * mk->tiles->split_k == 1)
        return;
    mk->rank = rf_chain_var(mk, "rank", &rf_type_int);
    rf_emit_append(
        em, rf_declare(em, mk->rank,
                       rf_chain_text(mk, "__clusterRelativeBlockRank()")));
    if (mk->tiles->split_k > 1)
        declare_exchange(mk);
    else
        mk->inbox = rf_chain_tile(mk, "inbox", mk->ch->second->type, mk->m.tile,
                                  mk->l.tile, true);
}

rf_expr *rf_chain_once(rf_chain_maker *mk, rf_expr *value)
{
    bool zero = (value->op == RF_OP_INT && value->value.i == 0) ||
                (value->op == RF_OP_FLOAT && value->value.f == 0);
    if (!mk->rank || zero)
        return value;
    rf_expr *args[] = { rf_binary(&mk->em, RF_OP_EQ, &rf_type_bool,
                                  rf_emit_use(&mk->em, mk->rank),
                                  rf_expr_int(mk->em.arena, 0)),
                        value, rf_expr_int(mk->em.arena, 0) };
    return rf_expr_new(mk->em.arena, RF_OP_SELECT, value->type, 3, args);
}

void rf_chain_scatter(rf_chain_maker *mk)
{
    if (!mk->inbox)
        return;
    rf_stmt *s = rf_stmt_new(mk->em.arena, RF_STMT_EXPR);
    s->expr =
        rf_chain_text(mk, "rf_cluster_scatter(&%s[0][0], &%s[0][0], %d)",
                      mk->sum->name, mk->inbox->name, mk->m.tile * mk->l.tile);
    s->text = "Block r of the cluster finishes part r of the tile.";
    rf_emit_append(&mk->em, s);
}

rf_expr *rf_chain_gathered(rf_chain_maker *mk)
{
    return rf_chain_text(mk, "rf_cluster_sum(&%s[0][0], %d, %s)",
                         mk->inbox->name, rf_chain_part(mk), mk->slot->name);
}

int rf_chain_part(const rf_chain_maker *mk)
{
    return mk->m.tile * mk->l.tile / mk->tiles->cluster;
}

const char *rf_chain_slot(rf_chain_maker *mk)
{
    if (!mk->inbox)
        return mk->slot->name;
    return rf_arena_printf(mk->em.arena, "(%s * %d + %s)", mk->rank->name,
                           rf_chain_part(mk), mk->slot->name);
}

/* for (k = rank; k < K; k += C) */
void rf_chain_stride(rf_chain_maker *mk, rf_open_loop *loop)
{
    rf_emitter *em = &mk->em;
    rf_var *k = loop->stmt->init->var;
    loop->stmt->init->expr = rf_emit_use(em, mk->rank);
    loop->stmt->step =
        rf_binary(em, RF_OP_ASSIGN_OP, k->type, rf_emit_use(em, k),
                  rf_expr_int(em->arena, mk->tiles->split_k));
    loop->stmt->step->value.assign = RF_OP_ADD;
}

void rf_chain_exchange(rf_chain_maker *mk)
{
    for (size_t i = 0; i < mk->ch->firsts.len; i++) {
        rf_stmt *s = rf_stmt_new(mk->em.arena, RF_STMT_EXPR);
        s->expr = rf_chain_text(
            mk, "rf_cluster_exchange(&%s[0][0], &%s[0][0], %d)",
            mk->part[i]->name, mk->slots[i]->name, mk->m.tile * mk->n.tile);
        if (!i)
            s->text = "The blocks summed over a part of the axis each.";
        rf_emit_append(&mk->em, s);
    }
}

rf_expr *rf_chain_exchanged(rf_chain_maker *mk, size_t first)
{
    return rf_chain_text(mk, "rf_cluster_sum(&%s[0][0], %d, %s)",
                         mk->slots[first]->name, mk->m.tile * mk->n.tile,
                         mk->slot->name);
}
