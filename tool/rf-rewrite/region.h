/* What regions of every kind share: refusals, launches, functions that a file
 * needs once. */
#ifndef RF_TOOL_REGION_H
#define RF_TOOL_REGION_H

#include "ir/ast.h"
#include "launches.h"
#include "pipeline.h"
#include "plan/plan.h"

/* The region of "outcome" is not fused: note it and say why. Returns false. */
bool rf_region_refuse(rf_outcome *outcome, rf_diags *diags, rf_diag_name name,
                      rf_place at, const char *why);
/* "text", or "" if a region before this one writes it already where "f" sees
 * it. */
const char *rf_region_needs(const rf_outcomes *out, const rf_func *f,
                            const char *text);
/* False, with a refusal, if the file declares what the generated functions
 * "text" declare, or a macro of it would replace a word of them. */
bool rf_region_admits(rf_arena *arena, const rf_unit *unit, const char *text,
                      rf_outcome *outcome, rf_diags *diags);
/* Find the launches of "kernel"; refuses if there may be others. The caller
 * frees "launches" in any case. */
bool rf_region_launches(rf_arena *arena, const rf_unit *unit,
                        const rf_func *kernel, rf_launches *launches,
                        rf_outcome *outcome, rf_diags *diags);
/* A copy of what stands at "piece". */
const char *rf_region_copy(rf_arena *arena, const rf_unit *unit,
                           rf_piece piece);
/* "text" as a factor: in parentheses unless it is a name or a number. */
const char *rf_region_factor(rf_arena *arena, const char *text);

/* Note the error bounds of all results of "plans" in "outcome". */
void rf_region_set_bounds(rf_arena *arena, const rf_plans *plans,
                          rf_outcome *outcome);

#endif
