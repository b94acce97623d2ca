/* The queue of asynchronous copies. */
#include "exec/copy.h"
#include "exec/atomic.h"
#include "exec/mbarrier.h"
#include "exec/race.h"

#include <string.h>

void rf_copy_issue(const rf_copy *copy)
{
    rf_cluster *c = copy->w->block->cluster;
    rf_copy *kept = rf_malloc(sizeof *kept);
    *kept = *copy;
    kept->due = c->worker->turn + c->grid->machine->options.latency;
    kept->vc = rf_actor_snapshot(copy->w);
    RF_PUSH(c->copies, kept);
    c->worker->progress++;
}

/* ---- completion ---- */

static void run_store(const rf_copy *x, const rf_access *access)
{
    if (x->store.reduce)
        access->reduce(access->context, RF_SPACE_CLUSTER, x->store.to,
                       x->store.bytes, x->store.size, x->store.op,
                       x->store.type);
    else
        access->write(access->context, RF_SPACE_CLUSTER, x->store.to,
                      x->store.bytes, x->store.size);
}

static uint32_t copy_bytes(const rf_copy *x)
{
    return x->kind == RF_COPY_BULK     ? x->bulk.size
           : x->kind == RF_COPY_TENSOR ? rf_tensor_bytes(&x->tensor.map)
                                       : x->store.size;
}

static uint64_t with_rank(uint64_t address, uint32_t rank)
{
    return (address & ~0xff000000ull) | (uint64_t)rank << 24;
}

/* Copies that a mask of ranks takes are one copy for each of them. */
static void run_one(const rf_copy *x, const rf_access *access, uint32_t rank)
{
    if (x->kind == RF_COPY_BULK) {
        rf_bulk_copy b = x->bulk;
        if (x->ranks)
            b.to = with_rank(b.to, rank);
        rf_bulk_run(&b, access);
    } else if (x->kind == RF_COPY_TENSOR) {
        rf_tensor_copy t = x->tensor.copy;
        if (x->ranks)
            t.shared = with_rank(t.shared, rank);
        rf_tensor_run(&x->tensor.map, &t, access);
    } else {
        run_store(x, access);
    }
    if (x->barrier)
        rf_mbarrier_complete(
            x->w, x->in, x->lane,
            x->ranks ? with_rank(x->barrier, rank) : x->barrier, copy_bytes(x));
}

static void complete(rf_copy *x)
{
    rf_worker *k = x->w->worker;
    rf_lane_context context = { x->w, x->in, x->lane };
    rf_access access = rf_lane_access(&context);
    rf_engine_begin(x->w, x->vc);
    if (!x->ranks)
        run_one(x, &access, 0);
    for (uint32_t r = 0; r < 32; r++)
        if (x->ranks >> r & 1)
            run_one(x, &access, r);
    rf_engine_end(x->w);
    k->progress++;
    free(x->vc);
    free(x);
}

uint32_t rf_copies_poll(rf_cluster *c, bool force)
{
    uint32_t n = 0;
    for (size_t i = 0; i < c->copies.len;) {
        rf_copy *x = c->copies.data[i];
        if (x->due > c->worker->turn && !(force && !n)) {
            i++;
            continue;
        }
        c->copies.len--;
        memmove(&c->copies.data[i], &c->copies.data[i + 1],
                (c->copies.len - i) * sizeof *c->copies.data);
        complete(x);
        n++;
    }
    return n;
}

/* ---- groups ---- */

bool rf_copy_groups_done(const rf_warp *w, int lane, uint32_t keep)
{
    const rf_cluster *c = w->block->cluster;
    for (size_t i = 0; i < c->copies.len; i++) {
        const rf_copy *x = c->copies.data[i];
        if (x->w == w && x->lane == lane && !x->barrier && x->group &&
            x->group + keep <= w->bulk_group[lane])
            return false;
    }
    return true;
}

void rf_copy_commit(rf_warp *w, int lane)
{
    rf_cluster *c = w->block->cluster;
    uint32_t group = ++w->bulk_group[lane];
    for (size_t i = 0; i < c->copies.len; i++) {
        rf_copy *x = c->copies.data[i];
        if (x->w == w && x->lane == lane && !x->barrier && !x->group)
            x->group = group;
    }
}

/* ---- the end ---- */

void rf_copies_end(rf_cluster *c)
{
    for (size_t i = 0; i < c->copies.len; i++) {
        rf_copy *x = c->copies.data[i];
        if (!c->alive)
            rf_report(x->w, x->in, x->lane, RF_CHECK_ASYNC,
                      "the blocks exited while this copy %s their shared "
                      "memory was in flight: nobody waited for it",
                      x->barrier ? "into" : "out of");
        free(x->vc);
        free(x);
    }
    c->copies.len = 0;
}
