/* Barriers of blocks and clusters: what the scheduler calls. */
#ifndef RF_EXEC_BARRIER_H
#define RF_EXEC_BARRIER_H

#include "exec/device.h"

enum { RF_BAR_SYNC, RF_BAR_ARRIVE, RF_BAR_POPC, RF_BAR_AND, RF_BAR_OR };

/* The lanes of "mask" arrive; true if they have to wait for the release. */
bool rf_barrier_arrive(rf_warp *w, const rf_instr *in, uint32_t mask);
void rf_barrier_release(rf_block *block, uint32_t id);
/* Threads have exited: barriers that waited for them only are complete. */
void rf_barrier_exited(rf_block *block);

void rf_cluster_arrive(rf_warp *w, const rf_instr *in, uint32_t mask);
/* Return the lanes that have to wait. */
uint32_t rf_cluster_wait(rf_warp *w, const rf_instr *in, uint32_t mask);
void rf_cluster_check(rf_cluster *cluster);

#endif
