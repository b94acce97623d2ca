/* What a clause of the author's would save. */
#ifndef RF_TOOL_MISSED_H
#define RF_TOOL_MISSED_H

#include "plan/plan.h"

/* Add a note to the diagnostic added last if one more assume(...) would make
 * the plans of "region" pass less often over the axis. */
void rf_missed_note(rf_arena *arena, const rf_unit *unit,
                    const rf_region *region, const rf_plans *plans,
                    rf_diags *diags);

#endif
