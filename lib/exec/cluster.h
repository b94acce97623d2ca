/* Clusters: made once per worker and used again and again. */
#ifndef RF_EXEC_CLUSTER_H
#define RF_EXEC_CLUSTER_H

#include "exec/device.h"

rf_cluster *rf_cluster_new(rf_worker *k);
void rf_cluster_free(rf_cluster *c);
/* Set "c" up as cluster "number" of the grid. */
void rf_cluster_start(rf_cluster *c, uint64_t number);

#endif
