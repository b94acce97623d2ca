/* A chain over the blocks of a cluster (THEORY 9). Block (im, in, ik) of
 * cls_m * cls_n * cls_k has tile in of a turn along n, a share of its sums, and
 * tile ik * cls_shuffle + in % cls_shuffle of E:
 *
 *     first           sums over the k of its turn, or one of the products
 *     exchange        C = SUM over cls_k blocks, in all of them, before act:
 *                     (cls_k - 1) blk_m blk_n s bytes a block
 *     second, ring    cls_shuffle blocks pass their P on, each multiplies what
 *                     it has: (cls_shuffle - 1) blk_m blk_n s bytes a block
 *     scatter         E = SUM over cls_reduce blocks: block q gets part q,
 *                     (cls_reduce - 1) / cls_reduce blk_m blk_l s bytes a block
 *
 * Only the blocks of a group wait for each other. Pushed, not pulled: stores to
 * the shared memory of another block are faster than loads. Parts are added in
 * the order of the blocks. */
#include "emit/chaining.h"

/* ---- where a block is ---- */

static const char *text_of(rf_chain_maker *mk, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *text_of(rf_chain_maker *mk, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = rf_arena_vprintf(mk->em.arena, format, args);
    va_end(args);
    return text;
}

static rf_var *define(rf_chain_maker *mk, const char *wish, const char *value)
{
    rf_var *var =
        rf_new_var(&mk->em, rf_names_fresh(&mk->em, wish), &rf_type_int, true);
    rf_emit_append(&mk->em,
                   rf_declare(&mk->em, var, rf_chain_text(mk, "%s", value)));
    return var;
}

/* The name of digit "size" of the rank, after those of "below" blocks; NULL if
 * it is 0 always. */
static const char *digit(rf_chain_maker *mk, const char *wish, int size,
                         int below)
{
    int blocks = rf_chain_blocks(mk->tiles);
    const char *rank = mk->rank->name;
    if (size == 1 || size == blocks)
        return size == 1 ? NULL : rank;
    const char *text = below == 1 ? rank : text_of(mk, "%s / %d", rank, below);
    if (size * below < blocks)
        text = text_of(mk, "%s %% %d", text, size);
    return define(mk, wish, text)->name;
}

/* Quotient and remainder of the place along n. */
static void split_n(rf_chain_maker *mk)
{
    int ring = rf_chain_ring(mk->tiles), reduce = rf_chain_reduce(mk->tiles);
    rf_chain_group *a = &mk->group[RF_GROUP_RING],
                   *b = &mk->group[RF_GROUP_SCATTER];
    *a = (rf_chain_group){ .step = mk->tiles->cls_k, .size = ring };
    *b = (rf_chain_group){ .step = mk->tiles->cls_k * ring, .size = reduce };
    const char *at = mk->at_n;
    if (ring > 1)
        a->own = reduce == 1 ? at
                             : define(mk, "ring_rank",
                                      text_of(mk, "%s %% %d", at, ring))
                                   ->name;
    if (reduce > 1)
        b->own = ring == 1
                     ? at
                     : define(mk, "sum_rank", text_of(mk, "%s / %d", at, ring))
                           ->name;
}

static void declare_place(rf_chain_maker *mk)
{
    const rf_chain_tiles *t = mk->tiles;
    mk->rank = define(mk, "rank", "__clusterRelativeBlockRank()");
    mk->at_m = digit(mk, "m_rank", t->cls_m, t->cls_n * t->cls_k);
    mk->at_n = digit(mk, "n_rank", t->cls_n, t->cls_k);
    mk->at_k = digit(mk, "k_rank", t->cls_k, 1);
    mk->group[RF_GROUP_EXCHANGE] =
        (rf_chain_group){ .own = mk->at_k, .step = 1, .size = t->cls_k };
    split_n(mk);
}

const char *rf_chain_tile_of_l(rf_chain_maker *mk)
{
    const char *own = mk->group[RF_GROUP_RING].own;
    if (own && mk->at_k)
        return text_of(mk, "(%s * %d + %s)", mk->at_k,
                       mk->group[RF_GROUP_RING].size, own);
    return own ? own : mk->at_k;
}

rf_expr *rf_chain_once(rf_chain_maker *mk, rf_chain_group_of group,
                       rf_expr *value)
{
    const char *own = mk->group[group].own;
    bool zero = (value->op == RF_OP_INT && value->value.i == 0) ||
                (value->op == RF_OP_FLOAT && value->value.f == 0);
    if (!own || zero)
        return value;
    rf_expr *args[] = { rf_chain_is(mk, own, 0), value,
                        rf_expr_int(mk->em.arena, 0) };
    return rf_expr_new(mk->em.arena, RF_OP_SELECT, value->type, 3, args);
}

rf_expr *rf_chain_is(rf_chain_maker *mk, const char *own, int number)
{
    return rf_binary(&mk->em, RF_OP_EQ, &rf_type_bool,
                     rf_chain_text(mk, "%s", own),
                     rf_expr_int(mk->em.arena, number));
}

/* ---- what comes from other blocks ---- */

static void declare_exchange(rf_chain_maker *mk)
{
    int n = mk->m.tile * mk->n.tile;
    mk->branches = rf_chain_has_branches(mk->ch, mk->tiles);
    for (size_t i = 0; i < mk->ch->firsts.len; i++) {
        const rf_red *c = mk->ch->firsts.data[i];
        const char *name = c->var ? c->var->name : "sum";
        if (mk->branches && i) {
            mk->part[i] = mk->part[0];
            mk->slots[i] = mk->slots[0];
            continue;
        }
        const char *part = mk->branches ? "part" : text_of(mk, "%s_part", name);
        const char *slots =
            mk->branches ? "slots" : text_of(mk, "%s_slots", name);
        mk->part[i] =
            rf_chain_tile(mk, part, c->type, mk->m.tile, mk->n.tile, true);
        mk->slots[i] =
            rf_chain_tile(mk, slots, c->type, mk->tiles->cls_k, n, true);
    }
}

static void declare_ring(rf_chain_maker *mk)
{
    for (size_t i = 0; i < mk->ch->kept.len; i++)
        mk->next[i] = rf_chain_tile(mk, "next", mk->p[i]->type->elem->elem,
                                    mk->m.tile, mk->n.tile, true);
}

static void call(rf_chain_maker *mk, const char *name, unsigned n,
                 rf_expr **args, const char *comment)
{
    rf_stmt *s = rf_stmt_new(mk->em.arena, RF_STMT_EXPR);
    s->expr = rf_expr_new(mk->em.arena, RF_OP_CALL, &rf_type_int, n, args);
    s->expr->name = name;
    s->text = comment;
    rf_emit_append(&mk->em, s);
}

static const rf_type word = { .kind = RF_TYPE_INT,
                              .bits = 64,
                              .is_unsigned = true,
                              .spelling = "unsigned long long" };

/* Two barriers for each group, which all blocks of the cluster see. */
static void declare_gates(rf_chain_maker *mk)
{
    int n = 0;
    for (int i = 0; i < RF_GROUPS; i++)
        n += mk->group[i].own != NULL;
    if (!n)
        return;
    rf_var *gates = rf_chain_array(mk, "gates", &word, 0, 0, 2 * n);
    gates->storage = RF_VAR_SHARED;
    rf_emit_append(&mk->em, rf_declare(&mk->em, gates, NULL));
    n = 0;
    for (int i = 0; i < RF_GROUPS; i++) {
        rf_chain_group *g = &mk->group[i];
        if (!g->own)
            continue;
        g->gate = text_of(mk, "&%s[%d]", gates->name, 2 * n++);
        rf_expr *args[] = { rf_chain_text(mk, "%s", g->gate),
                            rf_expr_int(mk->em.arena, g->size) };
        call(mk, "rf_cluster_gate", 2, args, NULL);
    }
    call(mk, "rf_cluster_sync", 0, NULL, NULL);
}

void rf_chain_declare_rank(rf_chain_maker *mk)
{
    if (rf_chain_blocks(mk->tiles) == 1)
        return;
    declare_place(mk);
    if (mk->group[RF_GROUP_EXCHANGE].own)
        declare_exchange(mk);
    if (mk->group[RF_GROUP_RING].own)
        declare_ring(mk);
    if (mk->group[RF_GROUP_SCATTER].own)
        mk->inbox = rf_chain_tile(mk, "inbox", mk->ch->second->type, mk->m.tile,
                                  mk->l.tile, true);
    declare_gates(mk);
}

/* ---- passing on ---- */

/* function(&tile[0][0], &inbox[0][0], n, own, step, size, gate) */
static void pass(rf_chain_maker *mk, const char *function, const rf_var *tile,
                 const rf_var *inbox, int n, rf_chain_group_of group,
                 const char *comment)
{
    const rf_chain_group *g = &mk->group[group];
    rf_arena *arena = mk->em.arena;
    rf_expr *args[] = { rf_chain_text(mk, "&%s[0][0]", tile->name),
                        rf_chain_text(mk, "&%s[0][0]", inbox->name),
                        rf_expr_int(arena, n),
                        rf_chain_text(mk, "%s", g->own),
                        rf_expr_int(arena, g->step),
                        rf_expr_int(arena, g->size),
                        rf_chain_text(mk, "%s", g->gate) };
    call(mk, function, 7, args, comment);
}

void rf_chain_scatter(rf_chain_maker *mk)
{
    if (mk->inbox)
        pass(mk, "rf_cluster_scatter", mk->sum, mk->inbox,
             mk->m.tile * mk->l.tile, RF_GROUP_SCATTER,
             "Each block of a group finishes a part of their tile.");
}

void rf_chain_exchange(rf_chain_maker *mk)
{
    for (size_t i = 0; i < (mk->branches ? 1 : mk->ch->firsts.len); i++)
        pass(mk, "rf_cluster_exchange", mk->part[i], mk->slots[i],
             mk->m.tile * mk->n.tile, RF_GROUP_EXCHANGE,
             i              ? NULL
             : mk->branches ? "Each block has one of the products."
                            : "The blocks summed over a part of the axis "
                              "each.");
}

void rf_chain_pass_on(rf_chain_maker *mk)
{
    for (size_t i = 0; i < mk->ch->kept.len; i++)
        pass(mk, "rf_cluster_pass", mk->p[i], mk->next[i],
             mk->m.tile * mk->n.tile, RF_GROUP_RING,
             i ? NULL : "The next tile of the ring.");
}

rf_expr *rf_chain_gathered(rf_chain_maker *mk)
{
    return rf_chain_text(mk, "rf_cluster_sum(&%s[0][0], %d, %s, %d)",
                         mk->inbox->name, rf_chain_part(mk), mk->slot->name,
                         mk->group[RF_GROUP_SCATTER].size);
}

int rf_chain_part(const rf_chain_maker *mk)
{
    return mk->m.tile * mk->l.tile / rf_chain_reduce(mk->tiles);
}

const char *rf_chain_slot(rf_chain_maker *mk)
{
    if (!mk->inbox)
        return mk->slot->name;
    return text_of(mk, "(%s * %d + %s)", mk->group[RF_GROUP_SCATTER].own,
                   rf_chain_part(mk), mk->slot->name);
}

/* for (k = rank; k < K; k += C) */
void rf_chain_stride(rf_chain_maker *mk, rf_open_loop *loop)
{
    rf_emitter *em = &mk->em;
    rf_var *k = loop->stmt->init->var;
    loop->stmt->init->expr = rf_chain_text(mk, "%s", mk->at_k);
    loop->stmt->step =
        rf_binary(em, RF_OP_ASSIGN_OP, k->type, rf_emit_use(em, k),
                  rf_expr_int(em->arena, mk->tiles->cls_k));
    loop->stmt->step->value.assign = RF_OP_ADD;
}

rf_expr *rf_chain_exchanged(rf_chain_maker *mk, size_t first)
{
    int n = mk->m.tile * mk->n.tile;
    if (mk->branches)
        return rf_binary(
            &mk->em, RF_OP_INDEX, mk->ch->firsts.data[first]->type,
            rf_chain_text(mk, "%s[%zu]", mk->slots[0]->name, first),
            rf_emit_use(&mk->em, mk->slot));
    return rf_chain_text(mk, "rf_cluster_sum(&%s[0][0], %d, %s, %d)",
                         mk->slots[first]->name, n, mk->slot->name,
                         mk->tiles->cls_k);
}
