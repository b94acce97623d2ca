/* Vector clocks: who knows of whose accesses. */
#include "exec/race.h"

#include <string.h>

static void join(uint32_t *to, const uint32_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

static uint32_t greatest(const uint32_t *vc, uint32_t n)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = vc[i] > most ? vc[i] : most;
    return most;
}

uint32_t *rf_clocks_new(const rf_cluster *c)
{
    uint32_t *vc = rf_malloc(c->n_actors * sizeof *vc);
    rf_clocks_clear(c, vc);
    return vc;
}

void rf_clocks_clear(const rf_cluster *c, uint32_t *vc)
{
    memset(vc, 0, c->n_actors * sizeof *vc);
}

void rf_clocks_move(const rf_cluster *c, uint32_t *to, uint32_t *from)
{
    memcpy(to, from, c->n_actors * sizeof *to);
    rf_clocks_clear(c, from);
}

/* ---- actors ---- */

void rf_actor_init(rf_actor *a, const rf_cluster *c, uint32_t index)
{
    *a = (rf_actor){ .vc = rf_clocks_new(c), .index = index };
}

void rf_cluster_clock_start(rf_cluster *c)
{
    c->start = ++c->worker->clock;
    c->engine.clock = c->start;
    c->engine_used = false;
    rf_far_clear(c);
}

static void see(rf_warp *w)
{
    const rf_cluster *c = w->block->cluster;
    rf_actor *a = &w->actor;
    uint32_t least = a->clock - 1;
    for (uint32_t i = 0; i < c->n_warps; i++)
        if (i != a->index && a->vc[i] < least)
            least = a->vc[i];
    a->seen = c->engine_used ? c->start - 1 : least;
}

static void set_clock(rf_warp *w, uint32_t clock)
{
    rf_actor *a = &w->actor;
    a->clock = a->vc[a->index] = clock;
    if (clock > w->worker->clock)
        w->worker->clock = clock;
    see(w);
}

void rf_actor_start(rf_warp *w)
{
    const rf_cluster *c = w->block->cluster;
    for (uint32_t i = 0; i < c->n_actors; i++)
        w->actor.vc[i] = c->start - 1;
    w->fenced = false;
    set_clock(w, c->start);
}

void rf_actor_tick(rf_warp *w)
{
    set_clock(w, w->actor.clock + 1);
}

void rf_actor_fence(rf_warp *w)
{
    w->fenced = true;
    rf_actor_tick(w);
}

static void give(const rf_cluster *c, rf_actor *a, uint32_t *vc)
{
    join(vc, a->vc, c->n_actors);
    if (a->clock > vc[a->index])
        vc[a->index] = a->clock;
}

void rf_actor_release(rf_warp *w, uint32_t *vc)
{
    rf_actor *a = rf_actor_of(w);
    give(w->block->cluster, a, vc);
    if (a == &w->actor)
        rf_actor_tick(w);
}

void rf_actor_acquire(rf_warp *w, const uint32_t *vc)
{
    const rf_cluster *c = w->block->cluster;
    rf_actor *a = &w->actor;
    join(a->vc, vc, c->n_actors);
    uint32_t most = greatest(vc, c->n_actors);
    set_clock(w, (most > a->clock ? most : a->clock) + 1);
}

/* ---- the copy engine ---- */

uint32_t *rf_actor_snapshot(rf_warp *w)
{
    const rf_cluster *c = w->block->cluster;
    uint32_t *vc = rf_malloc(c->n_actors * sizeof *vc);
    memcpy(vc, w->actor.vc, c->n_actors * sizeof *vc);
    rf_actor_tick(w);
    return vc;
}

void rf_engine_begin(rf_warp *w, uint32_t *vc)
{
    rf_cluster *c = w->block->cluster;
    rf_actor *e = &c->engine;
    uint32_t most = greatest(vc, c->n_actors);
    free(e->vc);
    e->vc = rf_clocks_new(c);
    memcpy(e->vc, vc, c->n_actors * sizeof *vc);
    e->clock = (most > e->clock ? most : e->clock) + 1;
    e->seen = c->start - 1;
    if (e->clock > c->worker->clock)
        c->worker->clock = e->clock;
    if (!c->engine_used) {
        c->engine_used = true;
        for (uint32_t r = 0; r < c->n_blocks; r++)
            for (uint32_t q = 0; q < c->blocks[r].n_warps; q++)
                see(&c->blocks[r].warps[q]);
    }
    w->worker->acting = e;
}

void rf_engine_end(rf_warp *w)
{
    w->worker->acting = NULL;
}

void rf_engine_acquire(rf_warp *w)
{
    const rf_cluster *c = w->block->cluster;
    if (!c->engine_used)
        return;
    w->actor.vc[c->engine.index] = c->engine.clock;
    if (c->engine.clock >= w->actor.clock)
        set_clock(w, c->engine.clock + 1);
}

/* ---- objects in shared memory ---- */

rf_sync *rf_sync_at(rf_cluster *c, uint32_t rank, uint32_t offset)
{
    for (size_t i = 0; i < c->syncs.len; i++)
        if (c->syncs.data[i].rank == rank && c->syncs.data[i].offset == offset)
            return &c->syncs.data[i];
    RF_PUSH(c->syncs,
            (rf_sync){ rank, offset, rf_clocks_new(c), rf_clocks_new(c) });
    return &RF_LAST(c->syncs);
}

void rf_syncs_clear(rf_cluster *c)
{
    for (size_t i = 0; i < c->syncs.len; i++) {
        free(c->syncs.data[i].pending);
        free(c->syncs.data[i].released);
    }
    c->syncs.len = 0;
}

void rf_sync_init(rf_warp *w, rf_sync *sync)
{
    rf_clocks_clear(w->block->cluster, sync->pending);
    rf_clocks_clear(w->block->cluster, sync->released);
}

void rf_sync_release(rf_warp *w, rf_sync *sync)
{
    rf_actor_release(w, sync->pending);
}

void rf_sync_acquire(rf_warp *w, const rf_sync *sync)
{
    rf_actor_acquire(w, sync->released);
}

void rf_sync_complete(rf_cluster *c, rf_sync *sync)
{
    rf_clocks_move(c, sync->released, sync->pending);
}

/* ---- flags: words by which threads synchronise without a barrier ---- */

static bool releases(const rf_warp *w, const rf_instr *in, rf_use use)
{
    return use != RF_LOAD && (w->fenced || in->flags & RF_FLAG_RELEASE);
}

/* In shared memory only the cluster can take part. */
void rf_shared_flag_touch(rf_warp *w, const rf_instr *in, uint32_t rank,
                          uint32_t offset, rf_use use)
{
    rf_cluster *c = w->block->cluster;
    bool gives = releases(w, in, use);
    if (!gives && !c->syncs.len)
        return;
    rf_sync *s = rf_sync_at(c, rank, offset);
    if (use != RF_STORE)
        rf_actor_acquire(w, s->released);
    if (gives)
        rf_actor_release(w, s->released);
}

void rf_global_flag_touch(rf_warp *w, const rf_instr *in, uint64_t address,
                          rf_use use)
{
    rf_flag_touch(w, address, use, releases(w, in, use));
}
