/* Candidates as findings, fixes, JSON and the table of --suggest. */
#ifndef RF_TOOL_SUGGEST_H
#define RF_TOOL_SUGGEST_H

#include "analysis.h"

/* Search for candidates. Where rf-candidate is on they become diagnostics of
 * "a", and with --fix their marks become edits. */
void rf_analysis_search(rf_analysis *a, const rf_run *run,
                        const rf_source *source);
/* Give the findings of "a", still in the order of the diagnostics, the marks
 * as fixes; "applied": they were written. */
void rf_analysis_offer_marks(rf_analysis *a, bool applied);

/* The candidates of a file; the caller owns the list. */
json_t *rf_candidates_json(const rf_candidates *candidates);
/* The table over all files, the most rewarding first. */
void rf_suggest_table(rf_buf *out, const json_t *results);

#endif
