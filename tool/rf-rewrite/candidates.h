/* rf-candidate: loops without a mark that would fuse if they had one.
 *
 * Nothing is guessed. The stages of analysis look at every device function as
 * if it were marked, which is quick and sorts out nearly all; what is left is
 * marked in a copy of the text, and the whole pipeline, proof included, runs on
 * that copy. A function is a candidate when its mark alone, without a word the
 * author has not written, makes it fuse. */
#ifndef RF_TOOL_CANDIDATES_H
#define RF_TOOL_CANDIDATES_H

#include "pipeline.h"

typedef struct {
    size_t begin, end;  /* the function, in the file */
    rf_outcome outcome; /* what its mark would give */
    const char *text;   /* of the finding */
    rf_edit edit;       /* inserts the mark */
    bool inserted;      /* it is among the edits of the file */
} rf_candidate;

/* In file order. Texts belong to the arena that was given. */
typedef struct {
    RF_ARRAY(rf_candidate) list;
    const char *problem; /* why the file could not be searched, or NULL */
} rf_candidates;

/* Whether "bytes" may hold a candidate; a scan, not a parse. */
bool rf_may_have_candidates(const char *bytes, size_t len);

/* Search "source". The caller clears the list. */
void rf_candidates_find(rf_arena *arena, const rf_options *options,
                        const rf_source *source, rf_candidates *out);

/* The mark's words: "cascade" or "gemm_chain". */
const char *rf_candidate_mark(const rf_candidate *candidate);

#endif
