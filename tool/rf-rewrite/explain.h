/* --explain: the text of one region, from its plans and its proof. */
#ifndef RF_TOOL_EXPLAIN_H
#define RF_TOOL_EXPLAIN_H

#include "pipeline.h"
#include "plan/plan.h"
#include "proof/proof.h"

/* Markdown about fused plans; "obligations" is the table of their proof or NULL
 * where there is none. In "arena". */
const char *rf_explain_plans(rf_arena *arena, const rf_unit *unit,
                             const rf_plans *plans, const char *obligations);
/* The obligations of a proof as a table. In "arena". */
const char *rf_explain_proof(rf_arena *arena, const rf_proof *proof);
/* Append why region "outcome" is not fused. */
void rf_explain_refusal(rf_buf *out, const rf_outcome *outcome,
                        const rf_diags *diags);

#endif
