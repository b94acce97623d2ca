/* The door between the command-line tool and the stages of analysis. */
#ifndef RF_TOOL_PIPELINE_H
#define RF_TOOL_PIPELINE_H

#include "edit/edit.h"
#include "front/front.h"
#include "options.h"
#include "support/diag.h"

/* A file that has at least one mark, read and found to be UTF-8. The same
 * bytes are to be parsed, whatever the disk holds by then; with
 * RF_REFERENCE defined, so that guards show the author's code. */
typedef struct {
    const char *path;  /* as diagnostics show it: absolute, or "<stdin>" */
    const char *bytes; /* NUL-terminated */
    size_t len;
    const char *const *flags; /* for clang, without the file's name */
    size_t n_flags;
    rf_session *session; /* of this file */
    const size_t *only;  /* analyse the marks at these offsets; NULL: all */
    size_t n_only;
} rf_source;

typedef enum {
    RF_REGION_FUSED,   /* "edit" holds the proven rewrite */
    RF_REGION_REFUSED, /* "reason" says why, "diags" has the finding */
    RF_REGION_ERROR    /* the mark itself is wrong, or a stage failed */
} rf_region_status;

/* What became of one mark. Every mark of the file gives one region. */
typedef struct {
    rf_region_status status;
    rf_diag_name reason;  /* fused: RF_DIAG_CASCADE or RF_DIAG_GEMM_CHAIN */
    rf_place at;          /* the mark */
    size_t end;           /* of what is marked, as far as is known */
    const char *title;    /* "cascade max -> sum"; NULL if unknown */
    const char *function; /* the kernel's name, or NULL */
    const char *scope;    /* the namespaces around it, or NULL */
    ptrdiff_t finding;    /* index in diags of what was said of it, or -1 */
    unsigned passes_before, passes_after;
    double bytes_before, bytes_after; /* of traffic for each element of the
                                       * axis; 0 if unknown */
    const char *moved_before, *moved_after; /* ... as formulas, or NULL */
    const char *explain;                /* Markdown for --explain, or NULL */
    const struct rf_told_bound *bounds; /* of each result of the region */
    size_t n_bounds;
    rf_edit_region edit; /* of a fused region; see edit.h */
} rf_outcome;

/* Texts and parts belong to "arena". */
typedef struct {
    rf_arena *arena;
    RF_ARRAY(rf_outcome) list;
    rf_buf dump; /* what --dump=STAGE prints */
} rf_outcomes;

/* Analyse "source": append a region for every mark (not for "off") and what
 * there is to say to "diags". A fused region's finding is a warning named by
 * its reason ("cascade max -> sum reads 'x' 2 times; fusing reads it once");
 * the caller decides whether it is shown and attaches the edit to it.
 * Return -1 when the file could not be analysed at all; "diags" then holds an
 * error and the file is left as it is. */
int rf_pipeline_run(const rf_options *options, const rf_source *source,
                    rf_outcomes *out, rf_diags *diags);

#endif
