/* The level at which the rows of a region are folded, where the author leaves
 * it to the planner. */
#ifndef RF_TOOL_LEVELS_H
#define RF_TOOL_LEVELS_H

#include "options.h"
#include "plan/levels.h"

/* The schedules for "region" on the device of "options", best first; 0: it is
 * no cascade of rows with a thread each. "table", if not NULL, becomes the
 * explanation, in "arena". */
unsigned rf_level_choices(const rf_options *options, rf_arena *arena,
                          const rf_unit *unit, const rf_region *region,
                          rf_level_choice *out, const char **table);
/* "region" at the level of "choice", in "arena". */
const rf_region *rf_region_at(rf_arena *arena, const rf_region *region,
                              const rf_level_choice *choice);

#endif
