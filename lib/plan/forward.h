/* Loads that see a store of a loop over another range. */
#ifndef RF_PLAN_FORWARD_H
#define RF_PLAN_FORWARD_H

#include "plan/planning.h"

/* True if a load may see a store that was not found while tracing. */
bool rf_plan_needs_forward(const rf_trace *trace);
/* Replace such loads by what was stored, where that is proven; so that the
 * two meet, a guarded loop becomes the loop over what its guard admits. */
void rf_plan_forward(rf_planner *p);

#endif
