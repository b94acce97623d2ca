/* A cascade and its online form in words and formulas (Markdown). */
#ifndef RF_PLAN_EXPLAIN_H
#define RF_PLAN_EXPLAIN_H

#include "plan/plan.h"

/* Append the explanation of "plan": the cascade, why one pass is enough, the
 * loop, its invariants, the merge, edge cases, rounding and traffic. */
void rf_plan_explain(rf_buf *out, const rf_unit *unit, const rf_plan *plan);

#endif
