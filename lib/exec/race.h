/* Which accesses are ordered (clocks.c), and what each byte has seen (race.c).
 *
 * An actor is a warp or the copy engine of a cluster. It has a clock and, in
 * vc, the clocks up to which it knows of the others. An access leaves an epoch
 * behind: the actor's clock, its number in the grid, the lane, and whether the
 * access was strong (atomic, volatile, ...). A later access of actor a is
 * ordered after epoch e if
 *
 *     e was before this launch, or
 *     same warp: same lane, or clock(e) < clock(a), or
 *     same cluster: clock(e) <= vc_a[actor(e)], or
 *     other cluster: a knows of it by a flag (far.c).
 *
 * Two accesses race if they are unordered, one writes, not both are strong,
 * and it is not two writes of the same value. */
#ifndef RF_EXEC_RACE_H
#define RF_EXEC_RACE_H

#include "exec/device.h"

/* ---- accesses ---- */

/* Record an access of "n" bytes by "lane": at "offset" of the shared memory of
 * "b", or, if "b" is NULL, at global address "offset". A store's "value" is
 * written too, so that the next lane sees it. */
void rf_shadow_touch(rf_warp *w, const rf_instr *in, int lane, rf_block *b,
                     uint64_t offset, uint32_t n, rf_use use,
                     const uint8_t *value);
/* The same for the lanes of a warp; in shared memory "address" may carry the
 * block's rank in its upper bits. */
void rf_shadow_touch_all(rf_warp *w, const rf_instr *in, uint32_t mask,
                         rf_block *b, const uint64_t *address, uint32_t n,
                         rf_use use, const uint8_t *values, uint32_t stride);

void rf_block_shadow_init(rf_block *b, size_t size);
void rf_block_shadow_free(rf_block *b);
void rf_block_shadow_start(rf_block *b);
/* Is every access from outside ordered before the exit of "b"? */
void rf_block_exit_check(rf_block *b);

/* ---- clocks: synchronisation gives and takes them ---- */

uint32_t *rf_clocks_new(const rf_cluster *c);
void rf_clocks_clear(const rf_cluster *c, uint32_t *vc);
/* "to" takes the clocks of "from", which is cleared. */
void rf_clocks_move(const rf_cluster *c, uint32_t *to, uint32_t *from);

void rf_actor_init(rf_actor *a, const rf_cluster *c, uint32_t index);
/* Clocks of a cluster, then of each of its warps, at the start. */
void rf_cluster_clock_start(rf_cluster *c);
void rf_actor_start(rf_warp *w);

/* What happened before now is done for whoever takes "vc". */
void rf_actor_release(rf_warp *w, uint32_t *vc);
void rf_actor_acquire(rf_warp *w, const uint32_t *vc);
/* Lanes of the warp are ordered with one another. */
void rf_actor_tick(rf_warp *w);
void rf_actor_fence(rf_warp *w);
/* A copy of the warp's clocks; the caller frees it. */
uint32_t *rf_actor_snapshot(rf_warp *w);

/* The copy engine acts for "w", knowing "vc", until rf_engine_end. */
void rf_engine_begin(rf_warp *w, uint32_t *vc);
void rf_engine_end(rf_warp *w);
/* "w" has waited for the engine. */
void rf_engine_acquire(rf_warp *w);
/* Who accesses memory now. */
static inline rf_actor *rf_actor_of(rf_warp *w)
{
    return w->worker->acting ? w->worker->acting : &w->actor;
}

/* The clocks of the mbarrier at "offset" of block "rank". */
rf_sync *rf_sync_at(rf_cluster *c, uint32_t rank, uint32_t offset);
void rf_sync_init(rf_warp *w, rf_sync *sync);
void rf_sync_release(rf_warp *w, rf_sync *sync);
void rf_sync_acquire(rf_warp *w, const rf_sync *sync);
void rf_sync_complete(rf_cluster *c, rf_sync *sync);
void rf_syncs_clear(rf_cluster *c);

/* A strong access of "w" to a global address: after a fence a write gives the
 * warp's clocks to it, a read takes them. */
void rf_global_flag_touch(rf_warp *w, const rf_instr *in, uint64_t address,
                          rf_use use);
void rf_shared_flag_touch(rf_warp *w, const rf_instr *in, uint32_t rank,
                          uint32_t offset, rf_use use);

/* ---- far.c: order between clusters ---- */

/* The access above; "gives": it is a write after a fence. */
void rf_flag_touch(rf_warp *w, uint64_t address, rf_use use, bool gives);
void rf_flags_free(rf_grid *g);
void rf_far_clear(rf_cluster *c);
/* Does actor "a" of "c" know what "actor" of another cluster did at "clock"? */
bool rf_far_knows(const rf_cluster *c, const rf_actor *a, uint64_t cluster,
                  uint32_t actor, uint32_t clock);

#endif
