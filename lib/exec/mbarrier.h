/* Barriers in shared memory that count arrivals and bytes (mbarrier). */
#ifndef RF_EXEC_MBARRIER_H
#define RF_EXEC_MBARRIER_H

#include "exec/device.h"

/* "bytes" of a copy for lane "lane" have arrived: the barrier at shared
 * address "address" (with a rank) expects so many fewer. */
void rf_mbarrier_complete(rf_warp *w, const rf_instr *in, int lane,
                          uint64_t address, uint32_t bytes);
/* One arrival of "lane" at the barrier. */
void rf_mbarrier_arrive(rf_warp *w, const rf_instr *in, int lane,
                        rf_space space, uint64_t address, bool pending_first);

#endif
