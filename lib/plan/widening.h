/* Inside widen.c, rows.c and lanes.c: the state of widening one plan. */
#ifndef RF_PLAN_WIDENING_H
#define RF_PLAN_WIDENING_H

#include "plan/planning.h"
#include "plan/widen.h"

typedef struct {
    const rf_var *root; /* NULL: not known */
    bool by_leader;     /* lane 0 alone, else the lane that has the element */
    rf_range at;
} rf_lane_store;

typedef struct {
    const rf_var *root;
    bool by_leader;
    rf_range at;
} rf_lane_load;

typedef struct {
    rf_planner p;
    rf_widening *w;
    /* Of memory that other threads can see, outside the plan's statements. */
    RF_ARRAY(rf_lane_store) stores;
    RF_ARRAY(rf_lane_load) loads;
    bool in_store;              /* walking a store of lane 0 */
    bool has_row;               /* a global thread index was found */
    RF_ARRAY(rf_range) threads; /* uses of threadIdx.x alone */
    RF_ARRAY(rf_range) blocks;  /* uses of blockIdx.x alone */
    RF_ARRAY(rf_range) grids;   /* uses of gridDim.x alone */
} rf_widener;

/* rows.c: the row index and the statements around the plan. */
bool rf_widen_rows(rf_widener *w);
/* grid.c: teams whose blocks meet between launches; others pass. */
bool rf_widen_grid(rf_widener *w);
/* memory.c: no lane reads or overwrites what another one stores. */
bool rf_widen_memory(rf_widener *w);

#endif
