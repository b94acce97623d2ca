/* Which accesses are ordered: see race.c. */
#ifndef RF_EXEC_RACE_H
#define RF_EXEC_RACE_H

#include "exec/device.h"

/* Record an access of "n" bytes by "lane": at "offset" of the shared memory of
 * "b", or, if "b" is NULL, at global address "offset". */
void rf_shadow_touch(rf_warp *w, const rf_instr *in, int lane, rf_block *b,
                     uint64_t offset, uint32_t n, rf_use use,
                     const uint8_t *value);
/* The same for the lanes of a warp; in shared memory "address" may carry the
 * block's rank in its upper bits. */
void rf_shadow_touch_all(rf_warp *w, const rf_instr *in, uint32_t mask,
                         rf_block *b, const uint64_t *address, uint32_t n,
                         rf_use use, const uint8_t *values, uint32_t stride);

/* ---- clocks: synchronisation gives and takes them ---- */

/* What happened before now is done for whoever takes "vc". */
void rf_actor_release(rf_warp *w, uint32_t *vc);
void rf_actor_acquire(rf_warp *w, const uint32_t *vc);
/* Lanes of the warp are ordered with one another. */
void rf_actor_tick(rf_warp *w);
void rf_actor_fence(rf_warp *w);
void rf_clocks_clear(const rf_cluster *c, uint32_t *vc);
uint32_t *rf_clocks_new(const rf_cluster *c);
void rf_actor_init(rf_actor *a, const rf_cluster *c, uint32_t index);
/* Clocks of a cluster, then of each of its warps, at the start. */
void rf_cluster_clock_start(rf_cluster *c);
void rf_actor_start(rf_warp *w);
/* Forget the clocks of objects in shared memory. */
void rf_syncs_clear(rf_cluster *c);

void rf_block_shadow_init(rf_block *b, size_t size);
void rf_block_shadow_free(rf_block *b);
void rf_block_shadow_start(rf_block *b);
/* Is every access from outside ordered before the exit of "b"? */
void rf_block_exit_check(rf_block *b);

/* "to" takes the clocks of "from", which is cleared. */
void rf_clocks_move(const rf_cluster *c, uint32_t *to, uint32_t *from);

#endif
