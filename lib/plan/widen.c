/* Deal the axis of a plan to the lanes of a team.
 *
 *     lane k:   for (j = lower + k; j < upper; j += lanes)
 *     state     begins with the identity, or with what the author began with
 *               where a second copy changes nothing (max, min, and, or)
 *     T-3       the combine of all lanes is the fold of the whole axis
 *
 * The combine takes the states in another order than the loop: reductions
 * that are not commutative are refused. */
#include "ir/math.h"
#include "plan/resident.h"
#include "plan/widening.h"

#include <string.h>

enum {
    WARP = 32,
    THREADS = 128,
    MOST_THREADS = 1024,
    MOST_BLOCKS = 16,
    GRID_BLOCKS = 16,
    GRID_THREADS = 256,
    SLOTS = 16 /* of a thread, where more threads are to be had */
};

static bool refuse(rf_widener *w, rf_diag_name name, rf_range at,
                   const char *why)
{
    rf_plan_refuse(&w->p, name, at, "%s", why);
    return false;
}

/* ---- the team ---- */

/* The threads that __launch_bounds__ admits. */
static unsigned most_threads(const rf_func *f)
{
    if (!f->launch_bounds)
        return MOST_THREADS;
    unsigned n = (unsigned)strtoul(f->launch_bounds, NULL, 10);
    return n < MOST_THREADS ? n : MOST_THREADS;
}

/* Threads enough for a row of "words" words, 16 a thread; with more words the
 * half of the threads, which have more than twice the registers to spare. */
static unsigned wanted_threads(int64_t words, unsigned cluster)
{
    unsigned n = THREADS;
    while (n < MOST_THREADS && words > (int64_t)n * cluster * SLOTS)
        n *= 2;
    return words > (int64_t)n * cluster * SLOTS ? n / 2 : n;
}

static const char *choose_block(const rf_mark *m, const rf_func *f,
                                int64_t words, rf_team_size *to)
{
    unsigned most = most_threads(f) / WARP * WARP;
    unsigned n =
        m->threads ? (unsigned)m->threads : wanted_threads(words, to->cluster);
    n = n < most || m->threads ? n : most;
    if (n % WARP || n > most || !n)
        return "the threads of a row must be whole warps that the kernel's "
               "launch bounds admit";
    to->threads = n;
    to->lanes = n * to->cluster;
    return NULL;
}

static bool is_cluster_size(unsigned n)
{
    return n <= MOST_BLOCKS && !(n & (n - 1));
}

const char *rf_team_size_for(const rf_mark *m, const rf_func *f, int64_t words,
                             rf_team_size *to)
{
    *to = (rf_team_size){ .lanes = WARP, .cluster = 1 };
    if (m->level == RF_LEVEL_CLUSTER)
        to->cluster = m->cluster ? (unsigned)m->cluster : 4;
    if (m->level == RF_LEVEL_GRID) {
        to->cluster = m->blocks ? (unsigned)m->blocks : GRID_BLOCKS;
        words = (int64_t)GRID_THREADS * to->cluster * SLOTS;
    } else if (!is_cluster_size(to->cluster))
        return "a cluster that shares a row has 2, 4, 8 or 16 blocks";
    if (m->level != RF_LEVEL_WARP)
        return choose_block(m, f, words, to);
    return most_threads(f) < WARP
               ? "the kernel's launch bounds admit no whole warp"
               : NULL;
}

static bool choose_team(rf_widener *w)
{
    const rf_resident *r = w->p.plan->resident;
    const rf_func *f = w->p.region->func;
    rf_team_size size;
    const char *why =
        rf_team_size_for(w->p.mark, f, r ? r->extent * r->words : 0, &size);
    if (why)
        return refuse(w, RF_DIAG_CAPACITY,
                      w->p.mark->level == RF_LEVEL_CLUSTER &&
                              !is_cluster_size(size.cluster)
                          ? w->p.plan->block->at
                          : f->at,
                      why);
    w->w->level = w->p.mark->level;
    w->w->lanes = size.lanes;
    w->w->threads = size.threads;
    w->w->cluster = size.cluster;
    w->w->is_grid = w->w->level == RF_LEVEL_GRID;
    return true;
}

static const char *lane_text(rf_widener *w)
{
    rf_arena *a = w->p.arena;
    if (w->w->level == RF_LEVEL_WARP)
        return "threadIdx.x % 32";
    if (w->w->cluster == 1)
        return "threadIdx.x";
    return rf_arena_printf(a, "blockIdx.x %% %u * %u + threadIdx.x",
                           w->w->cluster, w->w->threads);
}

static rf_var *int_variable(rf_widener *w, const char *name, unsigned id)
{
    rf_var *v = RF_NEW(w->p.arena, rf_var);
    rf_type *t = RF_NEW(w->p.arena, rf_type);
    *t = rf_type_int;
    t->is_const = true;
    *v = (rf_var){ .name = name,
                   .type = t,
                   .storage = RF_VAR_LOCAL,
                   .is_const = true,
                   .at = RF_NOWHERE,
                   .id = id };
    return v;
}

static void make_lane(rf_widener *w)
{
    w->w->lane = int_variable(w, "lane", 3000000);
    w->w->lane_text = lane_text(w);
    if (w->w->cluster == 1 || w->w->is_grid)
        return;
    w->w->count = int_variable(w, "lanes", 3000001);
    w->w->count_text =
        rf_arena_printf(w->p.arena, "rf_team_blocks() * %u", w->w->threads);
}

static const rf_val *lane_value(rf_widener *w, const rf_type *type)
{
    rf_vals *vals = w->p.trace->vals;
    return rf_val_cast(vals, type, rf_val_entry(vals, w->w->lane), NULL);
}

/* ---- members ---- */

/* The value that changes nothing, or NULL: any may be repeated. */
static const rf_val *identity_of(rf_widener *w, const rf_member *m)
{
    bool one = m->red->op == RF_REDUCE_PRODUCT;
    if (rf_reduce_is_idempotent(m->red->op))
        return NULL;
    if (m->red->type->kind != RF_TYPE_FLOAT)
        return rf_val_int(w->p.trace->vals, one, m->red->type);
    rf_expr *e = rf_expr_new(w->p.arena, RF_OP_FLOAT, m->red->type, 0, NULL);
    e->value.f = one;
    return rf_val_const(w->p.trace->vals, e);
}

static const rf_val *is_turn(rf_widener *w, unsigned turn)
{
    rf_vals *vals = w->p.trace->vals;
    return rf_val_op2(vals, RF_OP_EQ, &rf_type_bool,
                      rf_val_entry(vals, w->w->turn),
                      rf_val_int(vals, turn, &rf_type_int));
}

/* What the author begins with is folded once: by lane 0, in the first of the
 * launches that blocks of a grid share. */
static void set_init(rf_widener *w, rf_member *m)
{
    rf_vals *vals = w->p.trace->vals;
    const rf_val *e = identity_of(w, m);
    if (!e || m->step || m->is_derived ||
        rf_val_is_number(rf_val_without_casts(m->init),
                         m->red->op == RF_REDUCE_PRODUCT))
        return;
    const rf_val *first =
        rf_val_op2(vals, RF_OP_EQ, &rf_type_bool, lane_value(w, &rf_type_int),
                   rf_val_int(vals, 0, &rf_type_int));
    if (w->w->is_grid)
        first = rf_val_op2(vals, RF_OP_AND, &rf_type_bool, first,
                           is_turn(w, m->pass));
    m->init = rf_val_select(vals, first, m->init, e);
}

/* ---- loops ---- */

static rf_loop *loop_of(rf_widener *w, const rf_loop *l)
{
    for (size_t i = 0; i < w->p.trace->loops.len; i++)
        if (w->p.trace->loops.data[i] == l)
            return w->p.trace->loops.data[i];
    return NULL;
}

static bool is_member_axis(rf_widener *w, const rf_red *r)
{
    return r->axis == w->p.plan->axis &&
           rf_plan_member_of(w->p.plan, r->result);
}

/* True if "l" also stands inside another loop, or computes a value. */
static bool is_nested(rf_widener *w, const rf_loop *l)
{
    const rf_trace *t = w->p.trace;
    for (size_t i = 0; i < w->p.plan->stores.len; i++) {
        const rf_store *s = w->p.plan->stores.data[i].store;
        for (unsigned k = 1; k < s->n_loops; k++)
            if (s->loops[k] == l)
                return true;
    }
    for (size_t i = 0; i < t->reds.len; i++) {
        const rf_red *r = t->reds.data[i];
        /* What stands alone and is no member is needed by nothing. */
        bool inside = r->axis == l && !is_member_axis(w, r) && r->n_outer;
        for (unsigned k = 0; k < r->n_outer; k++)
            inside |= r->outer[k] == l && r->axis != l && !r->n_outer;
        for (unsigned k = 0; k < r->n_free; k++)
            inside |= r->free[k] == l;
        if (inside)
            return true;
    }
    return false;
}

/* The step times the number of lanes. */
static const rf_val *stride(rf_widener *w, const rf_loop *l, const rf_val *k,
                            int64_t step)
{
    rf_vals *vals = w->p.trace->vals;
    if (!w->w->count)
        return rf_val_int(vals, step * w->w->lanes, l->type);
    const rf_val *n =
        rf_val_cast(vals, l->type, rf_val_entry(vals, w->w->count), NULL);
    return step == 1 ? n : rf_val_op2(vals, RF_OP_MUL, l->type, n, k);
}

static bool deal(rf_widener *w, const rf_loop *loop)
{
    rf_vals *vals = w->p.trace->vals;
    rf_loop *l = loop_of(w, loop);
    int64_t step;
    if (l && l->least)
        return true; /* dealt already */
    if (!l || l->type->kind != RF_TYPE_INT || l->at_least_once ||
        !rf_val_is_int(l->step, &step) || step <= 0 || is_nested(w, l))
        return refuse(w, RF_DIAG_UNSUPPORTED,
                      l && l->stmt ? l->stmt->at : w->p.plan->block->at,
                      "this loop cannot be dealt to the threads of a team");
    const rf_val *k = rf_val_int(vals, step, l->type);
    const rf_val *first = lane_value(w, l->type);
    int64_t zero;
    if (step != 1)
        first = rf_val_op2(vals, RF_OP_MUL, l->type, first, k);
    l->least = l->lower;
    if (!rf_val_is_int(l->lower, &zero) || zero)
        first = rf_val_op2(vals, RF_OP_ADD, l->type, l->lower, first);
    l->lower = first;
    l->step = stride(w, l, k, step);
    l->is_equal_exit = l->is_reversed = false;
    return true;
}

static bool deal_loops(rf_widener *w)
{
    const rf_plan *plan = w->p.plan;
    for (size_t i = 0; i < w->p.trace->loops.len; i++)
        w->p.trace->loops.data[i]->least = NULL;
    if (!deal(w, plan->axis))
        return false;
    for (size_t i = 0; i < plan->stores.len; i++)
        if (plan->stores.data[i].store->n_loops &&
            !deal(w, plan->stores.data[i].store->loops[0]))
            return false;
    return true;
}

/* ---- the resident schedule ---- */

static rf_loop *slots_loop(rf_widener *w, const rf_type *type)
{
    rf_vals *vals = w->p.trace->vals;
    const rf_resident *r = w->p.plan->resident;
    rf_loop *l = RF_NEW(w->p.arena, rf_loop);
    *l = (rf_loop){ .id = 3000002,
                    .type = type,
                    .name = "k",
                    .lower = rf_val_int(vals, 0, type),
                    .step = rf_val_int(vals, 1, type) };
    l->upper = r->count ? rf_val_entry(vals, r->count)
                        : rf_val_int(vals, r->slots, type);
    l->index = rf_val_make(
        vals, &(rf_val){ .kind = RF_VAL_INDEX, .type = type, .loop = l });
    return l;
}

/* Without clusters one block keeps the whole row. */
static void count_slots(rf_widener *w)
{
    rf_resident *r = w->p.plan->resident;
    const rf_widening *to = w->w;
    if (to->cluster == 1)
        return;
    r->count = int_variable(w, "slots", 3000003);
    r->count_text = rf_arena_printf(
        w->p.arena, "%u / (%s(%u) * %u)", r->slots * to->lanes,
        to->cluster > 8 ? "RF_LARGE_TEAM_BLOCKS" : "RF_TEAM_BLOCKS",
        to->cluster, to->threads);
}

/* Before the axis is dealt: slot k is the element lane + k * lanes. */
static void lay_out(rf_widener *w)
{
    rf_resident *r = w->p.plan->resident;
    const rf_loop *axis = w->p.plan->axis;
    rf_vals *vals = w->p.trace->vals;
    const rf_type *type = axis->type;
    const rf_team_size size = { .lanes = w->w->lanes,
                                .threads = w->w->threads,
                                .cluster = w->w->cluster };
    r->slots = rf_resident_slots(r, &size);
    count_slots(w);
    r->loop = slots_loop(w, type);
    const rf_val *k = rf_val_op2(vals, RF_OP_MUL, type, r->loop->index,
                                 stride(w, axis, rf_val_int(vals, 1, type), 1));
    r->first = axis->lower;
    r->length = rf_plan_length(&w->p, axis);
    r->offset = rf_val_op2(vals, RF_OP_ADD, type, lane_value(w, type), k);
}

/* ---- the whole ---- */

static void set_team(rf_widener *w)
{
    rf_trace *t = w->p.trace;
    rf_plan *plan = w->p.plan;
    rf_team *team = RF_NEW(w->p.arena, rf_team);
    unsigned size = w->w->threads ? w->w->threads : WARP;
    bool warp = w->w->level == RF_LEVEL_WARP;
    *team = (rf_team){ .width = warp ? WARP : 0,
                       .cluster = w->w->is_grid ? 1 : w->w->cluster,
                       .smallest = size,
                       .largest = size };
    t->team = team;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *m = plan->members.data[i];
        ((rf_red *)(uintptr_t)m->red)->team = team;
        if (plan->rounding == RF_ROUNDING_EXACT &&
            m->red->type->kind == RF_TYPE_FLOAT &&
            !rf_reduce_is_order(m->red->op))
            plan->rounding = RF_ROUNDING_REASSOCIATED;
    }
    plan->ends_with_barrier = rf_plan_is_repeated(&w->p);
    rf_plan_count_barriers(plan);
}

static bool widen(rf_widener *w)
{
    rf_plan *plan = w->p.plan;
    if (w->p.trace->team)
        return refuse(w, RF_DIAG_UNSUPPORTED, plan->block->at,
                      "rows that are folded by more than one thread already "
                      "can only be folded at the level of the source yet");
    if (!choose_team(w) || !rf_widen_grid(w) || !rf_widen_rows(w))
        return false;
    make_lane(w);
    for (size_t i = 0; i < plan->members.len; i++)
        if (!rf_plan_meets(&w->p, plan->members.data[i]))
            return false;
    if (!rf_widen_memory(w))
        return false;
    if (plan->resident)
        lay_out(w);
    if (!deal_loops(w))
        return false;
    for (size_t i = 0; i < plan->members.len; i++)
        set_init(w, plan->members.data[i]);
    rf_plan_count_elements(plan);
    set_team(w);
    plan->wide = w->w;
    return true;
}

bool rf_plan_widen(rf_arena *arena, const rf_unit *unit,
                   const rf_region *region, rf_plan *plan, rf_refusal *refusal)
{
    rf_widener w = { .p = { .arena = arena,
                            .unit = unit,
                            .region = region,
                            .mark = &region->mark,
                            .plan = plan,
                            .trace = plan->trace },
                     .w = RF_NEW(arena, rf_widening) };
    *w.w = (rf_widening){ 0 };
    RF_ADOPT(arena, w.w->edits);
    RF_ADOPT(arena, w.w->inside);
    bool ok = widen(&w);
    *refusal = w.p.refusal;
    RF_CLEAR(w.stores);
    RF_CLEAR(w.loads);
    RF_CLEAR(w.threads);
    RF_CLEAR(w.blocks);
    RF_CLEAR(w.grids);
    return ok;
}
