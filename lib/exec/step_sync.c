/* Barriers of blocks and clusters, fences. */
#include "exec/barrier.h"
#include "exec/decode.h"
#include "exec/device.h"
#include "exec/race.h"
#include "exec/steps.h"

#include <string.h>

/* ---- block barriers: o[0] number, o[1] threads, o[2] result, o[3] p ---- */

static void set_result(rf_warp *w, int lane, const rf_instr *in,
                       const rf_barrier *b)
{
    uint64_t v = in->sub == RF_BAR_POPC  ? b->population
                 : in->sub == RF_BAR_AND ? b->all
                                         : b->any;
    if (in->sub < RF_BAR_POPC)
        return;
    rf_frame *f = w->depth[rf_call_depth(w, lane)].frames;
    while (f->f != in->function)
        f = f->next;
    uint64_t *bank = w->bank[RF_BANK_FRAME];
    w->bank[RF_BANK_FRAME] = f->columns;
    rf_set(w, &in->o[2], lane, v);
    w->bank[RF_BANK_FRAME] = bank;
}

static bool waits(const rf_warp *w, int lane, uint32_t id)
{
    return w->wait[lane] == RF_WAIT_BARRIER && w->wait_id[lane] == id;
}

/* Let the lanes of "w" that wait at barrier "id" go on; which they are. */
static uint32_t release_warp(rf_warp *w, uint32_t id, const rf_barrier *b)
{
    uint32_t mask = 0;
    const rf_instr *code = w->worker->grid->kernel->module->code.data;
    for (int i = 0; i < RF_LANES; i++) {
        if (!waits(w, i, id))
            continue;
        set_result(w, i, &code[rf_pc(w, i)], b);
        w->wait[i] = RF_WAIT_NONE;
        w->key[i]++;
        mask |= 1u << i;
    }
    w->ready |= mask;
    return mask;
}

static uint32_t needed(const rf_block *c, const rf_barrier *b)
{
    return b->expected ? b->expected : c->threads_alive;
}

static void check_complete(const rf_block *c, uint32_t id)
{
    const rf_barrier *b = &c->barriers[id];
    rf_worker *k = c->cluster->worker;
    uint32_t all = k->grid->n_threads;
    if (b->expected || c->threads_alive == all)
        return;
    const rf_instr *in = &k->grid->kernel->module->code.data[b->code];
    for (uint32_t q = 0; q < c->n_warps; q++)
        for (int i = 0; i < RF_LANES; i++)
            if (waits(&c->warps[q], i, id)) {
                rf_report(&c->warps[q], in, i, RF_CHECK_BARRIER,
                          "barrier %u is never reached by %u of the block's "
                          "%u threads: they have exited",
                          id, all - c->threads_alive, all);
                return;
            }
}

void rf_barrier_release(rf_block *c, uint32_t id)
{
    rf_barrier *b = &c->barriers[id];
    rf_worker *k = c->cluster->worker;
    check_complete(c, id);
    for (uint32_t q = 0; q < c->n_warps; q++)
        if (release_warp(&c->warps[q], id, b))
            rf_actor_acquire(&c->warps[q], b->vc);
    rf_clocks_clear(c->cluster, b->vc);
    b->arrived = b->population = b->expected = 0;
    b->all = true;
    b->any = false;
    k->progress++;
    k->barriers++;
}

void rf_barrier_exited(rf_block *c)
{
    for (uint32_t id = 0; id < RF_BARRIERS; id++) {
        rf_barrier *b = &c->barriers[id];
        if (b->arrived && !b->expected && b->arrived >= needed(c, b))
            rf_barrier_release(c, id);
    }
}

static void vote(rf_warp *w, const rf_instr *in, rf_barrier *b, uint32_t mask)
{
    if (in->sub < RF_BAR_POPC)
        return;
    uint32_t p = rf_pred(w, &in->o[3]) & mask;
    b->population += (uint32_t)__builtin_popcount(p);
    b->all &= p == mask;
    b->any |= p != 0;
}

/* A warp with all its lanes counts as 32, even if the block is smaller. */
static uint32_t weight(const rf_warp *w, uint32_t mask, bool counted)
{
    uint32_t n = (uint32_t)__builtin_popcount(mask);
    if (counted && mask == w->alive)
        n += RF_LANES - (uint32_t)__builtin_popcount(w->full);
    return n;
}

bool rf_barrier_arrive(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    int lane = __builtin_ctz(mask);
    uint64_t id = rf_get(w, &in->o[0], lane);
    if (id >= RF_BARRIERS)
        rf_fault(w, in, lane, RF_CHECK_BARRIER, RF_LAUNCH_FAILURE,
                 "barrier number %llu", (unsigned long long)id);
    bool counted = in->o[1].bank != RF_BANK_NONE;
    uint32_t count = counted ? (uint32_t)rf_get(w, &in->o[1], lane) : 0;
    rf_barrier *b = &w->block->barriers[id];
    if (b->arrived && b->expected != count)
        rf_report(w, in, lane, RF_CHECK_BARRIER,
                  "barrier %u is used for %u and for %u threads at once",
                  (unsigned)id, b->expected, count);
    if (!b->arrived)
        b->code = in->index;
    b->expected = count;
    b->arrived += weight(w, mask, counted);
    vote(w, in, b, mask);
    rf_actor_release(w, b->vc);
    bool waits_here = in->sub != RF_BAR_ARRIVE;
    RF_EACH_LANE(i, waits_here ? mask : 0)
    {
        w->wait[i] = RF_WAIT_BARRIER;
        w->wait_id[i] = (uint8_t)id;
    }
    if (waits_here)
        w->ready &= ~mask;
    if (b->arrived >= needed(w->block, b))
        rf_barrier_release(w->block, (uint32_t)id);
    return waits_here;
}

/* ---- cluster barriers ---- */

static void cluster_release(rf_cluster *c)
{
    c->arrived = 0;
    c->phase++;
    c->worker->progress++;
    c->worker->cluster_barriers++;
    rf_clocks_move(c, c->release_vc, c->arrive_vc);
    for (uint32_t r = 0; r < c->n_blocks; r++)
        for (uint32_t q = 0; q < c->blocks[r].n_warps; q++) {
            rf_warp *w = &c->blocks[r].warps[q];
            uint32_t mask = 0;
            for (int i = 0; i < RF_LANES; i++)
                if (w->wait[i] == RF_WAIT_CLUSTER) {
                    w->wait[i] = RF_WAIT_NONE;
                    w->key[i]++;
                    mask |= 1u << i;
                }
            w->ready |= mask;
            if (mask)
                rf_actor_acquire(w, c->release_vc);
        }
}

void rf_cluster_check(rf_cluster *c)
{
    if (c->alive && c->arrived >= c->alive)
        cluster_release(c);
}

void rf_cluster_arrive(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    rf_cluster *c = w->block->cluster;
    RF_EACH_LANE(i, mask)
    {
        if (w->cluster_phase[i] == c->phase + 1)
            rf_fault(w, in, i, RF_CHECK_BARRIER, RF_LAUNCH_FAILURE,
                     "barrier.cluster.arrive twice without a wait");
        w->cluster_phase[i] = c->phase + 1;
    }
    c->arrived += (uint32_t)__builtin_popcount(mask);
    if (!in->sub)
        rf_actor_release(w, c->arrive_vc);
    rf_cluster_check(c);
}

uint32_t rf_cluster_wait(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    rf_cluster *c = w->block->cluster;
    uint32_t blocked = 0;
    RF_EACH_LANE(i, mask)
    {
        if (!w->cluster_phase[i])
            rf_fault(w, in, i, RF_CHECK_BARRIER, RF_LAUNCH_FAILURE,
                     "barrier.cluster.wait without an arrive");
        if (w->cluster_phase[i] > c->phase)
            blocked |= 1u << i;
    }
    if (!blocked)
        rf_actor_acquire(w, c->release_vc);
    RF_EACH_LANE(i, blocked)
    {
        w->wait[i] = RF_WAIT_CLUSTER;
    }
    w->ready &= ~blocked;
    return blocked;
}

/* ---- fences ---- */

static void step_fence(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    (void)in, (void)mask;
    rf_actor_fence(w);
}

/* Fences wider than a block make the order of blocks matter. */
bool rf_decode_fence(rf_reader *r, const rf_statement *s)
{
    bool orders = !rf_has(s, "proxy") && !rf_has(s, "mbarrier_init");
    if (orders && !rf_has(s, "cta") && !rf_has(s, "cluster"))
        rf_mark_ordered(r);
    rf_emit(r, s, orders ? step_fence : rf_step_nop, RF_KIND_STEP,
            RF_CLASS_OTHER);
    return true;
}

/* ---- decoding ---- */

static int reduction_of(const rf_statement *s)
{
    return rf_has(s, "popc")  ? RF_BAR_POPC
           : rf_has(s, "and") ? RF_BAR_AND
           : rf_has(s, "or")  ? RF_BAR_OR
                              : RF_BAR_SYNC;
}

static bool decode_cluster(rf_reader *r, const rf_statement *s)
{
    bool arrive = rf_has(s, "arrive");
    rf_instr *in = rf_emit(
        r, s, NULL, arrive ? RF_KIND_CLUSTER_ARRIVE : RF_KIND_CLUSTER_WAIT,
        RF_CLASS_BARRIER);
    in->sub = rf_has(s, "relaxed");
    return true;
}

/* bar.red.op d, a{, b}, {!}p; the other forms have a{, b} alone. */
static bool decode_block(rf_reader *r, const rf_statement *s)
{
    bool red = rf_has(s, "red");
    uint32_t first = red ? 1 : 0, last = s->n - (red ? 1 : 0);
    if (s->n < 1 + (red ? 2u : 0))
        return false;
    rf_operand none = rf_operand_none();
    int sub = red                   ? reduction_of(s)
              : rf_has(s, "arrive") ? RF_BAR_ARRIVE
                                    : RF_BAR_SYNC;
    rf_type result = sub == RF_BAR_POPC ? RF_T_U32 : RF_T_PRED;
    rf_operand id = rf_operand_of(r, s, &s->arg[first], RF_T_U32);
    rf_operand count = last > first + 1
                           ? rf_operand_of(r, s, &s->arg[first + 1], RF_T_U32)
                           : none;
    rf_operand d = red ? rf_operand_of(r, s, &s->arg[0], result) : none;
    rf_operand p = red ? rf_operand_of(r, s, &s->arg[last], RF_T_PRED) : none;
    rf_instr *in = rf_emit(r, s, NULL, RF_KIND_BARRIER, RF_CLASS_BARRIER);
    in->o[0] = id;
    in->o[1] = count;
    in->o[2] = d;
    in->o[3] = p;
    in->sub = (uint8_t)sub;
    return true;
}

bool rf_decode_bar(rf_reader *r, const rf_statement *s)
{
    if (rf_has(s, "warp"))
        return rf_decode_warp_sync(r, s);
    if (rf_has(s, "cluster"))
        return decode_cluster(r, s);
    return decode_block(r, s);
}
