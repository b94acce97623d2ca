/* Running a warp: which lanes go on together, and control flow.
 *
 * Every ready lane has a key (warp.h). The lanes with the least key run; as
 * they are in the deepest call and lowest in the code, lanes that took the
 * other side of a branch catch up at the place where both meet. A group that
 * keeps the others waiting for long (a spinning lane) gives its turn to them.
 *
 * rf_warp_run works on a turn: the group, its place in the code, and the
 * lowest place ahead where other lanes wait to be met. */
#include "exec/barrier.h"
#include "exec/copy.h"
#include "exec/device.h"
#include "exec/race.h"

#include <string.h>

enum { STARVE_LIMIT = 1000 };

typedef struct {
    rf_warp *w;
    rf_module *module;
    const rf_instr *code;
    uint32_t mask, pc, depth;
    uint32_t meet; /* place of waiting lanes, UINT32_MAX: none */
    bool others;   /* other lanes are ready */
    uint64_t executed, quantum;
} turn;

/* What to do after an instruction that is not a plain step. */
typedef enum { GO_ON, PICK, STOP } action;

/* ---- frames and local memory ---- */

rf_frame *rf_frame_of(rf_warp *w, uint32_t depth, const rf_function *f)
{
    for (rf_frame *p = w->depth[depth].frames; p; p = p->next)
        if (p->f == f)
            return p;
    rf_frame *p = rf_malloc(sizeof *p);
    size_t size = ((size_t)f->frame_words * 8 + 127) & ~(size_t)127;
    *p = (rf_frame){ w->depth[depth].frames, f,
                     aligned_alloc(64, size ? size : 64) };
    memset(p->columns, 0xcd, size);
    w->depth[depth].frames = p;
    return p;
}

void rf_depth_reserve(rf_warp *w, uint32_t n)
{
    if (n <= w->n_depth)
        return;
    uint32_t grown = w->n_depth ? w->n_depth * 2 : n;
    w->depth = rf_realloc(w->depth, grown * sizeof *w->depth);
    memset(w->depth + w->n_depth, 0, (grown - w->n_depth) * sizeof *w->depth);
    w->n_depth = grown;
}

void rf_local_reserve(rf_warp *w, uint32_t size)
{
    if (size <= w->local_size)
        return;
    uint32_t grown = w->local_size ? w->local_size : 64;
    while (grown < size)
        grown *= 2;
    uint8_t *local = rf_malloc((size_t)grown * RF_LANES);
    memset(local, 0xcd, (size_t)grown * RF_LANES);
    for (size_t i = 0; i < RF_LANES; i++)
        if (w->local_size)
            memcpy(local + i * grown, w->local + i * w->local_size,
                   w->local_size);
    free(w->local);
    w->local = local;
    w->local_size = grown;
}

/* ---- choosing lanes ---- */

static void set_pc(rf_warp *w, uint32_t mask, uint32_t depth, uint32_t pc)
{
    uint64_t key = rf_key(depth, pc);
    RF_EACH_LANE(i, mask)
    {
        w->key[i] = key;
    }
}

static uint64_t least_key(const rf_warp *w)
{
    uint64_t least = ~0ull;
    for (int i = 0; i < RF_LANES; i++) {
        uint64_t key = w->ready >> i & 1 ? w->key[i] : ~0ull;
        least = key < least ? key : least;
    }
    return least;
}

/* Another group than the least, so that a spinning one lets it work. */
static uint64_t other_key(const rf_warp *w, uint64_t not )
{
    uint32_t start = (uint32_t)(w->worker->random++ % RF_LANES);
    for (uint32_t q = 0; q < RF_LANES; q++) {
        uint32_t i = (q + start) % RF_LANES;
        if (w->ready >> i & 1 && w->key[i] != not )
            return w->key[i];
    }
    return not ;
}

static void find_meeting(turn *t)
{
    uint64_t own = rf_key(t->depth, t->pc), least = ~0ull;
    const rf_warp *w = t->w;
    for (int i = 0; i < RF_LANES; i++) {
        uint64_t key = w->ready >> i & 1 ? w->key[i] : ~0ull;
        key = key > own ? key : ~0ull;
        least = key < least ? key : least;
    }
    t->meet = least >> 32 == own >> 32 ? (uint32_t)least : UINT32_MAX;
}

static void enter(turn *t, uint64_t key)
{
    rf_warp *w = t->w;
    t->mask = 0;
    for (int i = 0; i < RF_LANES; i++)
        t->mask |= (uint32_t)(w->ready >> i & 1 && w->key[i] == key) << i;
    t->pc = (uint32_t)key;
    t->depth = 0xffffu - (uint32_t)(key >> 32);
    t->others = t->mask != w->ready;
    t->meet = UINT32_MAX;
    if (t->others)
        find_meeting(t);
    else
        w->starved = 0;
    w->bank[RF_BANK_FRAME] =
        rf_frame_of(w, t->depth, t->code[t->pc].function)->columns;
}

static bool pick(turn *t)
{
    if (!t->w->ready || t->executed >= t->quantum)
        return false;
    enter(t, least_key(t->w));
    return true;
}

/* At a place where branches land: meet others, or end the turn. */
static action at_leader(turn *t)
{
    rf_warp *w = t->w;
    if (t->others && t->pc >= t->meet) {
        set_pc(w, t->mask, t->depth, t->pc);
        return PICK;
    }
    if (t->executed >= t->quantum) {
        set_pc(w, t->mask, t->depth, t->pc);
        return STOP;
    }
    if (t->others && ++w->starved > STARVE_LIMIT) {
        w->starved = 0;
        set_pc(w, t->mask, t->depth, t->pc);
        enter(t, other_key(w, rf_key(t->depth, t->pc)));
    }
    return GO_ON;
}

/* ---- control ---- */

static action branch(turn *t, const rf_instr *in, uint32_t taken)
{
    if (!taken) {
        t->pc++;
        return GO_ON;
    }
    if (taken != t->mask) {
        set_pc(t->w, taken, t->depth, in->target);
        set_pc(t->w, t->mask & ~taken, t->depth, t->pc + 1);
        return PICK;
    }
    t->pc = in->target;
    if (!t->others)
        return GO_ON;
    set_pc(t->w, t->mask, t->depth, t->pc);
    return PICK;
}

static action branch_table(turn *t, const rf_instr *in, uint32_t taken)
{
    RF_EACH_LANE(i, taken)
    {
        uint64_t k = rf_get(t->w, &in->o[0], i);
        if (k >= in->extra->n_targets)
            rf_fault(t->w, in, i, RF_CHECK_FAULT, RF_LAUNCH_FAILURE,
                     "brx.idx index %llu of a table of %u",
                     (unsigned long long)k, in->extra->n_targets);
        t->w->key[i] = rf_key(t->depth, in->extra->targets[k]);
    }
    set_pc(t->w, t->mask & ~taken, t->depth, t->pc + 1);
    return PICK;
}

/* The function that a call of lane "lane" enters. */
static rf_function *callee_of(turn *t, const rf_instr *in, int lane)
{
    if (in->extra->callee)
        return in->extra->callee;
    uint64_t handle = rf_get(t->w, &in->o[0], lane);
    uint64_t n = handle & ~RF_WINDOW_MASK;
    if ((handle & RF_WINDOW_MASK) != RF_HANDLE || n >= t->module->functions.len)
        rf_fault(t->w, in, lane, RF_CHECK_FAULT, RF_LAUNCH_FAILURE,
                 "call through 0x%llx, which is no function",
                 (unsigned long long)handle);
    return t->module->functions.data[n];
}

static void copy_local(rf_warp *w, int lane, uint32_t to, uint32_t from,
                       uint32_t size)
{
    uint8_t *local = w->local + (size_t)lane * w->local_size;
    memcpy(local + to, local + from, size);
}

static void enter_lane(turn *t, const rf_instr *in, const rf_function *f, int i)
{
    rf_warp *w = t->w;
    const rf_extra *x = in->extra;
    uint32_t caller = w->depth[t->depth].local[i];
    uint32_t base = (w->local_top[i] + 15) & ~15u;
    w->depth[t->depth].back[i] = t->pc;
    w->depth[t->depth].top[i] = w->local_top[i];
    w->depth[t->depth + 1].local[i] = base;
    w->local_top[i] = base + f->local_bytes;
    rf_local_reserve(w, w->local_top[i]);
    for (uint32_t k = 0; k < x->n_args && k < f->n_params; k++)
        copy_local(w, i, base + f->params[k].offset, caller + x->arg_offset[k],
                   x->arg_size[k] < f->params[k].size ? x->arg_size[k]
                                                      : f->params[k].size);
    w->key[i] = rf_key(t->depth + 1, f->start);
}

static action call(turn *t, const rf_instr *in, uint32_t mask)
{
    if (!mask) {
        t->pc++;
        return GO_ON;
    }
    rf_function *f = callee_of(t, in, __builtin_ctz(mask));
    uint32_t group = 0;
    RF_EACH_LANE(i, mask)
    {
        group |= (uint32_t)(callee_of(t, in, i) == f) << i;
    }
    set_pc(t->w, t->mask & ~mask, t->depth, t->pc + 1);
    set_pc(t->w, mask, t->depth, t->pc); /* other callees: later */
    if (!f->defined) {
        rf_builtin_run(t->w, in, f->name, group);
        set_pc(t->w, group, t->depth, t->pc + 1);
        return PICK;
    }
    if (t->depth + 2 >= RF_MAX_DEPTH)
        rf_fault(t->w, in, __builtin_ctz(mask), RF_CHECK_FAULT,
                 RF_LAUNCH_FAILURE, "calls nest deeper than %d", RF_MAX_DEPTH);
    rf_depth_reserve(t->w, t->depth + 2);
    RF_EACH_LANE(i, group)
    {
        enter_lane(t, in, f, i);
    }
    return PICK;
}

static void leave_lane(turn *t, const rf_function *f, int i)
{
    rf_warp *w = t->w;
    uint32_t pc = w->depth[t->depth - 1].back[i];
    const rf_extra *x = t->code[pc].extra;
    uint32_t base = w->depth[t->depth].local[i];
    uint32_t caller = w->depth[t->depth - 1].local[i];
    for (uint32_t k = 0; k < x->n_results && k < f->n_results; k++)
        copy_local(w, i, caller + x->result_offset[k],
                   base + f->results[k].offset, f->results[k].size);
    w->local_top[i] = w->depth[t->depth - 1].top[i];
    w->key[i] = rf_key(t->depth - 1, pc + 1);
}

static void exit_lanes(turn *t, uint32_t mask)
{
    rf_warp *w = t->w;
    rf_block *b = w->block;
    uint32_t n = (uint32_t)__builtin_popcount(mask);
    w->alive &= ~mask;
    w->ready &= ~mask;
    b->threads_alive -= n;
    b->cluster->alive -= n;
    w->worker->progress++;
    for (int i = 0; i < RF_LANES; i++)
        if (w->wait[i] == RF_WAIT_WARP) { /* try again without them */
            w->wait[i] = RF_WAIT_NONE;
            w->ready |= 1u << i;
        }
    if (!w->alive)
        rf_products_end(w);
    rf_barrier_exited(b);
    if (!b->threads_alive)
        rf_block_exit(b);
    rf_cluster_check(b->cluster);
}

static action leave(turn *t, const rf_instr *in, uint32_t mask)
{
    if (!mask) {
        t->pc++;
        return GO_ON;
    }
    set_pc(t->w, t->mask & ~mask, t->depth, t->pc + 1);
    if (t->depth == 0 || in->kind == RF_KIND_EXIT) {
        exit_lanes(t, mask);
        return PICK;
    }
    RF_EACH_LANE(i, mask)
    {
        leave_lane(t, in->function, i);
    }
    return PICK;
}

/* ---- warp operations ---- */

static uint32_t member_mask(const turn *t, const rf_instr *in, int lane)
{
    if (in->o[5].bank == RF_BANK_NONE)
        return t->w->alive;
    return (uint32_t)rf_get(t->w, &in->o[5], lane) & t->w->full;
}

static void check_members(turn *t, const rf_instr *in, uint32_t mask,
                          uint32_t members)
{
    int lane = __builtin_ctz(mask);
    if (mask & ~members)
        rf_report(t->w, in, __builtin_ctz(mask & ~members), RF_CHECK_WARP,
                  "the lane is not in the member mask 0x%08x it gives",
                  members);
    if (members & ~t->w->alive)
        rf_report(t->w, in, lane, RF_CHECK_WARP,
                  "the member mask 0x%08x names lanes that have exited "
                  "(0x%08x)",
                  members, members & ~t->w->alive);
}

/* Lanes that wait at such an instruction, here or elsewhere. */
static uint32_t waiting_like(const turn *t, const rf_instr *in)
{
    uint32_t mask = 0;
    for (int i = 0; i < RF_LANES; i++)
        mask |= (uint32_t)(t->w->wait[i] == RF_WAIT_WARP &&
                           t->code[rf_pc(t->w, i)].step == in->step)
                << i;
    return mask;
}

/* Lanes with the member mask of the first of them. */
static uint32_t same_members(const turn *t, const rf_instr *in, uint32_t mask)
{
    uint32_t first = member_mask(t, in, __builtin_ctz(mask)), same = 0;
    RF_EACH_LANE(i, mask)
    {
        same |= (uint32_t)(member_mask(t, in, i) == first) << i;
    }
    return same;
}

/* All members are there: run the step, place by place. */
static void complete_members(turn *t, uint32_t members)
{
    rf_warp *w = t->w;
    w->ready |= members;
    while (members) {
        uint64_t key = w->key[__builtin_ctz(members)];
        const rf_instr *in = &t->code[(uint32_t)key];
        uint32_t depth = 0xffffu - (uint32_t)(key >> 32), group = 0;
        RF_EACH_LANE(i, members)
        {
            group |= (uint32_t)(w->key[i] == key) << i;
            w->wait[i] = RF_WAIT_NONE;
        }
        w->bank[RF_BANK_FRAME] = rf_frame_of(w, depth, in->function)->columns;
        in->step(w, in, group);
        set_pc(w, group, depth, (uint32_t)key + 1);
        members &= ~group;
    }
}

/* The lanes of "mask" arrive; once all members are there, the step runs. */
static action warp_operation(turn *t, const rf_instr *in, uint32_t mask)
{
    rf_warp *w = t->w;
    if (!mask) {
        t->pc++;
        return GO_ON;
    }
    uint32_t group = same_members(t, in, mask);
    uint32_t members = member_mask(t, in, __builtin_ctz(group));
    check_members(t, in, group, members);
    members = (members & w->alive) | group;
    if (members == t->mask) {
        in->step(w, in, members);
        t->pc++;
        return GO_ON;
    }
    set_pc(w, t->mask & ~mask, t->depth, t->pc + 1);
    set_pc(w, mask, t->depth, t->pc);
    if ((members & ~(group | waiting_like(t, in))) == 0) {
        complete_members(t, members);
        return PICK;
    }
    RF_EACH_LANE(i, group)
    {
        w->wait[i] = RF_WAIT_WARP;
    }
    w->ready &= ~group;
    return PICK;
}

/* ---- waits ---- */

static action barrier(turn *t, const rf_instr *in, uint32_t mask)
{
    if (!mask) {
        t->pc++;
        return GO_ON;
    }
    set_pc(t->w, t->mask, t->depth, t->pc + 1);
    if (in->sub != RF_BAR_ARRIVE)
        set_pc(t->w, mask, t->depth, t->pc);
    rf_barrier_arrive(t->w, in, mask);
    return PICK;
}

static action cluster_wait(turn *t, const rf_instr *in, uint32_t mask)
{
    uint32_t blocked = mask ? rf_cluster_wait(t->w, in, mask) : 0;
    if (!blocked) {
        t->pc++;
        return GO_ON;
    }
    set_pc(t->w, t->mask, t->depth, t->pc + 1);
    set_pc(t->w, blocked, t->depth, t->pc);
    return PICK;
}

/* A step that says in w->stalled that it has to be tried again. */
static action wait_step(turn *t, const rf_instr *in, uint32_t mask)
{
    rf_warp *w = t->w;
    w->stalled = false;
    if (mask)
        in->step(w, in, mask);
    if (in->kind == RF_KIND_TRY_WAIT || !w->stalled)
        t->pc++;
    if (!w->stalled)
        return GO_ON;
    set_pc(w, t->mask, t->depth, t->pc);
    return STOP;
}

static action control(turn *t, const rf_instr *in, uint32_t mask)
{
    switch ((rf_kind)in->kind) {
    case RF_KIND_BRANCH:
        return branch(t, in, mask);
    case RF_KIND_BRANCH_TABLE:
        return branch_table(t, in, mask);
    case RF_KIND_CALL:
        return call(t, in, mask);
    case RF_KIND_RETURN:
    case RF_KIND_EXIT:
        return leave(t, in, mask);
    case RF_KIND_WARP:
        return warp_operation(t, in, mask);
    case RF_KIND_BARRIER:
        return barrier(t, in, mask);
    case RF_KIND_CLUSTER_ARRIVE:
        if (mask)
            rf_cluster_arrive(t->w, in, mask);
        t->pc++;
        return GO_ON;
    case RF_KIND_CLUSTER_WAIT:
        return cluster_wait(t, in, mask);
    case RF_KIND_TRY_WAIT:
    case RF_KIND_WAIT:
        return wait_step(t, in, mask);
    case RF_KIND_YIELD:
        set_pc(t->w, t->mask, t->depth, t->pc + 1);
        return STOP;
    default:
        if (mask)
            rf_fault(t->w, in, __builtin_ctz(mask), RF_CHECK_ASSERT,
                     RF_LAUNCH_FAILURE, "trap");
        t->pc++;
        return GO_ON;
    }
}

static void run(turn *t)
{
    rf_warp *w = t->w;
    uint64_t *hits = w->worker->hits, *warp_hits = w->worker->warp_hits;
    while (pick(t)) {
        action next = GO_ON;
        while (next == GO_ON) {
            const rf_instr *in = &t->code[t->pc];
            if (in->leader && (next = at_leader(t)) != GO_ON)
                break;
            in = &t->code[t->pc];
            uint32_t mask = t->mask;
            if (in->guard.bank != RF_BANK_NONE)
                mask &= rf_pred(w, &in->guard);
            t->executed++;
            if (hits) {
                warp_hits[t->pc]++;
                hits[t->pc] += (uint32_t)__builtin_popcount(mask);
            }
            if (in->kind != RF_KIND_STEP) {
                next = control(t, in, mask);
                continue;
            }
            if (mask)
                in->step(w, in, mask);
            t->pc++;
        }
        if (next == STOP)
            return;
    }
}

uint64_t rf_warp_run(rf_warp *w, uint64_t quantum)
{
    rf_module *m = w->worker->grid->kernel->module;
    turn t = { .w = w, .module = m, .code = m->code.data, .quantum = quantum };
    run(&t);
    return t.executed;
}
