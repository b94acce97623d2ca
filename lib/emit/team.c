/* One combine of the whole state for a team (T-3): the lanes of a warp meet in
 * a shuffle loop, the warps of a block in shared memory, with one barrier.
 *
 * Every thread folds the states of the warps in the same order, so that all of
 * them hold the same result and no broadcast is needed. */
#include "emit/combining.h"
#include "plan/widen.h"

/* ---- the block ---- */

/* The number of a thread in its block; rows of the block follow each other. */
static rf_expr *thread(rf_emitter *em)
{
    rf_expr *x = rf_emit_builtin(em, "threadIdx", "x");
    if (!em->trace->team->has_rows)
        return x;
    rf_expr *row =
        rf_emit_op(em, RF_OP_MUL, rf_emit_builtin(em, "threadIdx", "y"),
                   rf_emit_builtin(em, "blockDim", "x"));
    return rf_emit_op(em, RF_OP_ADD, row, x);
}

static rf_expr *threads(rf_emitter *em)
{
    rf_expr *x = rf_emit_builtin(em, "blockDim", "x");
    return em->trace->team->has_rows
               ? rf_emit_op(em, RF_OP_MUL, x,
                            rf_emit_builtin(em, "blockDim", "y"))
               : x;
}

/* ---- where the other state comes from ---- */

static rf_expr *shuffled(const rf_combine *c, const rf_part *p,
                         const char *name, rf_expr *mask, rf_expr *by)
{
    rf_expr *args[] = { mask, rf_emit_use(c->em, p->var), by };
    rf_expr *e = rf_expr_new(c->em->arena, RF_OP_CALL, p->type, 3, args);
    e->name = name;
    return e;
}

static rf_expr *full_mask(rf_emitter *em)
{
    rf_expr *e = rf_emit_number(em, 0xffffffff);
    e->spelling = "0xffffffff";
    return e;
}

/* A variable of the combine: const unsigned lanes = ...; */
static rf_var *constant(const rf_combine *c, const char *name, rf_expr *value)
{
    rf_emitter *em = c->em;
    rf_var *v =
        rf_new_var(em, rf_names_fresh(em, name), &rf_type_unsigned, true);
    rf_emit_append(em, rf_declare(em, v, value));
    return v;
}

static rf_expr *lane_of(rf_emitter *em, unsigned width)
{
    return rf_emit_op(em, RF_OP_REM, thread(em), rf_emit_number(em, width));
}

static rf_expr *warp_of(rf_emitter *em)
{
    return rf_emit_op(em, RF_OP_DIV, thread(em), rf_emit_number(em, 32));
}

static rf_expr *halve(rf_emitter *em, rf_var *var)
{
    return rf_assign_op(em, rf_expr_var(em->arena, var), RF_OP_DIV,
                        rf_emit_number(em, 2))
        ->expr;
}

/* x = __shfl_sync(mask, x, 0) */
static void broadcast(const rf_combine *c, rf_part *p, rf_expr *mask)
{
    rf_emitter *em = c->em;
    rf_emit_append(em, rf_assign(em, rf_emit_use(em, p->var),
                                 shuffled(c, p, "__shfl_sync", mask,
                                          rf_emit_number(em, 0))));
}

/* All lanes of the group end with the state of the group. Two lanes round the
 * moments of both differently: where no further exchange follows, lane 0 tells
 * its own. */
static void exchange_full(rf_combine *c, unsigned width, const char *text)
{
    rf_emitter *em = c->em;
    rf_counted loop;
    rf_var *offset =
        rf_counted_begin(c, &loop, "offset", rf_emit_number(em, width / 2));
    for (size_t i = 0; i < c->n; i++)
        rf_combine_declare_other(c, &c->parts[i],
                                 shuffled(c, &c->parts[i], "__shfl_xor_sync",
                                          full_mask(em),
                                          rf_expr_var(em->arena, offset)));
    rf_combine_merge(c);
    loop.stmt->text = text;
    rf_counted_end(c, &loop,
                   rf_emit_op(em, RF_OP_GT, rf_expr_var(em->arena, offset),
                              rf_emit_number(em, 0)),
                   halve(em, offset));
    bool last = em->trace->team->width || em->trace->team->largest <= 32;
    for (size_t i = 0; i < c->n && last; i++)
        if (rf_part_is_moment(&c->parts[i]))
            broadcast(c, &c->parts[i], full_mask(em));
}

/* min(32, blockDim.x - first thread of the warp) */
static rf_var *existing_lanes(const rf_combine *c, rf_var *lane)
{
    rf_emitter *em = c->em;
    rf_expr *left = rf_emit_op(
        em, RF_OP_SUB,
        rf_emit_op(em, RF_OP_ADD, threads(em), rf_expr_var(em->arena, lane)),
        thread(em));
    rf_expr *least = rf_expr_new(em->arena, RF_OP_CALL, &rf_type_unsigned, 2,
                                 (rf_expr *[]){ rf_emit_number(em, 32), left });
    least->name = "min";
    least->arg[0]->spelling = "32u";
    return constant(c, "lanes", least);
}

/* The lane to read: lane + offset where it exists, else the lane itself. */
static rf_var *lane_to_read(const rf_combine *c, rf_var *lane, rf_var *lanes,
                            rf_var *offset)
{
    rf_emitter *em = c->em;
    rf_expr *next = rf_emit_op(em, RF_OP_ADD, rf_expr_var(em->arena, lane),
                               rf_expr_var(em->arena, offset));
    rf_expr *exists =
        rf_emit_op(em, RF_OP_LT, next, rf_expr_var(em->arena, lanes));
    rf_expr *choice = rf_expr_new(
        em->arena, RF_OP_SELECT, &rf_type_unsigned, 3,
        (rf_expr *[]){ exists, next, rf_expr_var(em->arena, lane) });
    return constant(c, "from", choice);
}

/* if (from != lane) merge */
static void merge_if_other(const rf_combine *c, rf_var *from, rf_var *lane)
{
    rf_emitter *em = c->em;
    rf_open_block block;
    rf_block_begin(em, &block);
    rf_combine_merge(c);
    rf_block_end(em, &block);
    rf_expr *differs = rf_emit_op(em, RF_OP_NE, rf_expr_var(em->arena, from),
                                  rf_expr_var(em->arena, lane));
    rf_emit_append(em, rf_if(em, differs, &block.body));
}

/* The last warp may have fewer lanes: lane 0 ends with the state, and in a
 * team of one warp tells the others. */
static void exchange_partial(rf_combine *c, const char *text)
{
    rf_emitter *em = c->em;
    rf_var *lane = constant(c, "lane", lane_of(em, 32));
    rf_var *lanes = existing_lanes(c, lane);
    rf_expr *spare = rf_emit_op(em, RF_OP_SUB, rf_emit_number(em, 32),
                                rf_expr_var(em->arena, lanes));
    rf_var *mask =
        constant(c, "mask", rf_emit_op(em, RF_OP_SHR, full_mask(em), spare));
    rf_counted loop;
    rf_var *offset =
        rf_counted_begin(c, &loop, "offset", rf_emit_number(em, 16));
    rf_var *from = lane_to_read(c, lane, lanes, offset);
    for (size_t i = 0; i < c->n; i++)
        rf_combine_declare_other(c, &c->parts[i],
                                 shuffled(c, &c->parts[i], "__shfl_sync",
                                          rf_expr_var(em->arena, mask),
                                          rf_expr_var(em->arena, from)));
    merge_if_other(c, from, lane);
    loop.stmt->text = text;
    rf_counted_end(c, &loop,
                   rf_emit_op(em, RF_OP_GT, rf_expr_var(em->arena, offset),
                              rf_emit_number(em, 0)),
                   halve(em, offset));
    for (size_t i = 0; i < c->n && em->trace->team->width; i++)
        broadcast(c, &c->parts[i], rf_expr_var(em->arena, mask));
}

/* ---- shared memory ---- */

static rf_var *shared_array(rf_emitter *em, const rf_part *p, const char *what,
                            unsigned slots)
{
    rf_type *t = RF_NEW(em->arena, rf_type);
    *t = (rf_type){ .kind = RF_TYPE_ARRAY, .elem = p->type, .count = slots };
    t->spelling =
        rf_arena_printf(em->arena, "%s[%u]", p->type->spelling, slots);
    const char *wish = rf_arena_printf(em->arena, "%s_%s", p->var->name, what);
    rf_var *var = rf_new_var(em, rf_names_fresh(em, wish), t, false);
    var->storage = RF_VAR_SHARED;
    return var;
}

static rf_expr *element(rf_emitter *em, const rf_part *p, rf_expr *at)
{
    return rf_binary(em, RF_OP_INDEX, p->type,
                     rf_expr_var(em->arena, p->shared), at);
}

static rf_expr *warps_of(rf_emitter *em)
{
    rf_expr *size = threads(em);
    if (em->trace->team->has_partial_warps)
        size = rf_emit_op(em, RF_OP_ADD, size, rf_emit_number(em, 31));
    return rf_emit_op(em, RF_OP_DIV, size, rf_emit_number(em, 32));
}

/* Everyone folds the slots in the same order. */
static void fold_slots(rf_combine *c, const char *name, rf_expr *n)
{
    rf_emitter *em = c->em;
    for (size_t i = 0; i < c->n; i++)
        rf_emit_append(
            em, rf_assign(em, rf_emit_use(em, c->parts[i].var),
                          element(em, &c->parts[i], rf_emit_number(em, 0))));
    rf_counted loop;
    rf_var *w = rf_counted_begin(c, &loop, name, rf_emit_number(em, 1));
    for (size_t i = 0; i < c->n; i++)
        rf_combine_declare_other(
            c, &c->parts[i],
            element(em, &c->parts[i], rf_expr_var(em->arena, w)));
    rf_combine_merge(c);
    rf_expr *v = rf_expr_var(em->arena, w);
    rf_counted_end(
        c, &loop, rf_emit_op(em, RF_OP_LT, rf_expr_var(em->arena, w), n),
        rf_expr_new(em->arena, RF_OP_PRE_INC, &rf_type_unsigned, 1, &v));
}

/* Lane 0 of each warp publishes, everyone folds what the warps left. */
static void exchange_warps(rf_combine *c)
{
    rf_emitter *em = c->em;
    unsigned warps = (em->trace->team->largest + 31) / 32;
    for (size_t i = 0; i < c->n; i++) {
        c->parts[i].shared = shared_array(em, &c->parts[i], "warp", warps);
        rf_emit_append(em, rf_declare(em, c->parts[i].shared, NULL));
    }
    rf_open_block block;
    rf_block_begin(em, &block);
    for (size_t i = 0; i < c->n; i++)
        rf_emit_append(em, rf_assign(em, element(em, &c->parts[i], warp_of(em)),
                                     rf_emit_use(em, c->parts[i].var)));
    rf_block_end(em, &block);
    rf_emit_append(em, rf_if(em,
                             rf_emit_op(em, RF_OP_EQ, lane_of(em, 32),
                                        rf_emit_number(em, 0)),
                             &block.body));
    rf_emit_append(em, rf_emit_call_stmt(em, "__syncthreads"));
    fold_slots(c, "warp", warps_of(em));
}

/* ---- clusters ---- */

static rf_expr *call(rf_emitter *em, const char *name, unsigned n,
                     rf_expr *const *args)
{
    rf_expr *e = rf_expr_new(em->arena, RF_OP_CALL, &rf_type_unsigned, n, args);
    e->name = name;
    return e;
}

static void push(const rf_combine *c, const rf_part *p)
{
    rf_emitter *em = c->em;
    rf_stmt *s = rf_stmt_new(em->arena, RF_STMT_EXPR);
    s->expr = call(em, "rf_team_push", 2,
                   (rf_expr *[]){ rf_expr_var(em->arena, p->shared),
                                  rf_emit_use(em, p->var) });
    rf_emit_append(em, s);
}

/* Every block gets the states of all blocks, in the order of their ranks. */
static void exchange_blocks(rf_combine *c)
{
    rf_emitter *em = c->em;
    unsigned blocks = em->trace->team->cluster;
    for (size_t i = 0; i < c->n; i++) {
        c->parts[i].shared = shared_array(em, &c->parts[i], "block", blocks);
        rf_emit_append(em, rf_declare(em, c->parts[i].shared, NULL));
    }
    if (!em->has_met) {
        rf_stmt *ready = rf_emit_call_stmt(em, "rf_team_sync");
        ready->text = "all blocks of the row run, and their slots are free";
        rf_emit_append(em, ready);
    }
    em->has_met = true;
    for (size_t i = 0; i < c->n; i++)
        push(c, &c->parts[i]);
    rf_emit_append(em, rf_emit_call_stmt(em, "rf_team_sync"));
    fold_slots(c, "block", call(em, "rf_team_blocks", 0, NULL));
}

/* ---- the whole ---- */

void rf_emit_combine(rf_emitter *em, unsigned pass)
{
    const rf_team *team = em->trace->team;
    rf_combine c = { .em = em, .pass = pass };
    if (!team)
        return;
    rf_combine_collect(&c);
    if (!c.n || em->refused)
        return;
    bool block = team->width == 0;
    const char *text = block
                           ? "one combine for the block: the lanes of a warp, "
                             "then the warps"
                           : "one combine for the lanes that share a row";
    if (team->has_partial_warps && (block || team->width == 32))
        exchange_partial(&c, text);
    else
        exchange_full(&c, block ? 32 : team->width, text);
    if (block && team->largest > 32)
        exchange_warps(&c);
    if (team->cluster > 1)
        exchange_blocks(&c);
    if (rf_emit_is_grid(em))
        rf_emit_leave_state(&c);
    for (size_t i = 0; i < em->states.len; i++)
        em->states.data[i].old = NULL;
}

void rf_emit_last_barrier(rf_emitter *em)
{
    if (!em->plan->ends_with_barrier)
        return;
    bool block = em->trace->team->width == 0;
    bool cluster = em->trace->team->cluster > 1;
    rf_stmt *s = rf_emit_call_stmt(em, cluster ? "rf_team_sync"
                                       : block ? "__syncthreads"
                                               : "__syncwarp");
    s->text = block ? "before the shared states are used again"
                    : "others read what was stored";
    rf_emit_append(em, s);
}
