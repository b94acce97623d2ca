/* Rows of one thread each become rows of a warp, a block or a cluster. */
#ifndef RF_TOOL_TEAMS_H
#define RF_TOOL_TEAMS_H

#include "front/front.h"
#include "pipeline.h"
#include "plan/plan.h"

/* True if the mark of "region" asks for more threads a row than the plans of
 * the source have. */
bool rf_is_widened(const rf_region *region, const rf_plans *plans);

/* Fill the parts of "outcome": the region with teams, its row index and the
 * kernel's launches. False when refused; the finding is in "diags". */
bool rf_widen_region(const rf_options *options, const rf_unit *unit,
                     const rf_region *region, const rf_plans *plans,
                     const rf_front_options *front, rf_outcomes *out,
                     rf_outcome *outcome, rf_diags *diags);

#endif
