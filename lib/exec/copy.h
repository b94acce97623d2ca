/* Asynchronous copies: cp.async, cp.async.bulk, tensor copies, st.async. */
#ifndef RF_EXEC_COPY_H
#define RF_EXEC_COPY_H

#include "exec/device.h"

/* Complete the copies of "c" that are due; with "force" the oldest in any
 * case. Return how many were completed. */
uint32_t rf_copies_poll(rf_cluster *c, bool force);
/* The cluster has ended: report copies that are still in flight, drop them. */
void rf_copies_end(rf_cluster *c);

#endif
