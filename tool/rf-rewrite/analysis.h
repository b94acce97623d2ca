/* One file analysed: marks, edits and findings, nothing written yet. */
#ifndef RF_TOOL_ANALYSIS_H
#define RF_TOOL_ANALYSIS_H

#include "candidates.h"
#include "database.h"
#include "pipeline.h"
#include "report/report.h"

/* What is the same for all files of a run. */
typedef struct {
    const rf_options *options;
    const char *checks;           /* globs, the defaults in front */
    const char *errors;           /* globs of what is an error; NULL: none */
    rf_line_filter *line_filter;  /* or NULL */
    const rf_database *database;  /* or NULL */
    rf_session *session;          /* of the one file, or NULL */
    const char *database_problem; /* why there is none although asked for */
    bool color;
    bool candidates; /* search for them whatever the checks say */
} rf_run;

typedef struct {
    rf_arena *arena;
    rf_report_file file;
    rf_outcomes regions;
    RF_ARRAY(rf_edit_region) edits_of; /* of the fused regions, in order */
    rf_diags *diags;
    rf_edits edits;
    rf_guards orphans; /* guards that no region accounts for */
    rf_findings findings;
    rf_candidates candidates;
    ptrdiff_t first_candidate; /* of the findings, in the same order */
    bool failed; /* there is an error: the file must not be written */
} rf_analysis;

/* Set the globs of "run" from "options". */
void rf_run_prepare(rf_run *run, rf_arena *arena, const rf_options *options);

/* Whether the bytes hold a "#pragma rf" or a _Pragma of ours; a scan, not a
 * parse. */
bool rf_has_mark(const char *bytes, size_t len);

/* Whether candidates are to be searched for, and whether they are findings. */
bool rf_run_searches(const rf_run *run);
bool rf_run_reports_candidates(const rf_run *run);

/* Analyse "source" and plan its edits. Nothing is parsed without a mark,
 * unless candidates are wanted. The texts of "source" must outlive the
 * analysis. */
void rf_analyse(rf_analysis *analysis, const rf_run *run,
                const rf_source *source);
/* Make the findings; "applied": the edits were written. */
void rf_analysis_findings(rf_analysis *analysis, const rf_run *run,
                          bool applied);
/* Whether --line-filter lets any line of a region pass. */
bool rf_region_in_lines(const rf_run *run, const rf_report_file *file,
                        const rf_outcome *region);
void rf_analysis_free(rf_analysis *analysis);

#endif
