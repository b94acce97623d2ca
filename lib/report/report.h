/* What the tool tells: findings as text for people and editors, as YAML fixes
 * for clang-apply-replacements, as SARIF for code scanning, as optimisation
 * remarks, and as a JSON summary.
 *
 * A file's result is a JSON object, made where the file was handled and handed
 * to the one who prints (perhaps in another process):
 *
 *     { "path": "/abs/a.cu", "shown": "a.cu", "hash": "...", "written": false,
 *       "counts": { "fused": 1, ... }, "regions": [ ... ],
 *       "findings": [ { "key": "...", "level": "warning", "text": "...",
 *                       "yaml": "...", "remark": "...", "sarif": { },
 *                       "message": "...", "offset": 17, "here": true,
 *                       "notes": [ ... ], "fixes": [ ... ] } ] }
 *
 * The findings of many files are put out once each, by key. */
#ifndef RF_REPORT_REPORT_H
#define RF_REPORT_REPORT_H

#include "edit/edit.h"
#include "support/buf.h"
#include "support/diag.h"

#include <jansson.h>
#include <stdio.h>

/* The file that findings are about, as it was when they were found. */
typedef struct {
    const char *path; /* absolute, or "<stdin>" */
    const char *bytes;
    size_t len;
} rf_report_file;

/* One thing to say. Texts belong to the diagnostics it was made from. */
typedef struct {
    rf_diag_name name;
    rf_severity severity;
    bool promoted; /* a warning that was made an error */
    bool fixed;    /* its fix was applied */
    rf_place at;
    const char *text;
    const rf_diag_note *notes;
    size_t n_notes;
    const char *function; /* the kernel it is about, or NULL */
    const rf_edit *fixes; /* edits of the file, or NULL */
    size_t n_fixes;
} rf_finding;

typedef struct {
    RF_ARRAY(rf_finding) list;
} rf_findings;

/* Make findings of diagnostics, in the same order. The caller clears. */
rf_findings rf_findings_from(const rf_diags *diags);
/* Sort by file, place and name, and drop what was said before. */
void rf_findings_sort(rf_findings *findings);

/* ---- Which findings ------------------------------------------------- */

/* Whether "name" is chosen by globs with commas, "-" in front excluding; the
 * last that matches decides. NULL chooses all. */
bool rf_checks_select(const char *globs, const char *name);

/* Lines of files: clang-tidy's --line-filter. */
typedef struct rf_line_filter rf_line_filter;
/* Read "json"; NULL with a message in "arena" at "*why" when it is wrong. */
rf_line_filter *rf_line_filter_read(rf_arena *arena, const char *json,
                                    const char **why);
bool rf_line_filter_passes(const rf_line_filter *filter, const char *path,
                           uint32_t line);
void rf_line_filter_free(rf_line_filter *filter);

/* NOLINT comments of a file. Unmatched BEGIN or END become errors in "diags".
 */
typedef struct rf_nolint rf_nolint;
rf_nolint *rf_nolint_read(const rf_report_file *file, rf_diags *diags);
bool rf_nolint_covers(const rf_nolint *nolint, uint32_t line, const char *name);
void rf_nolint_free(rf_nolint *nolint);

/* ---- One finding ---------------------------------------------------- */

/* Append the lines that people and editors read. */
void rf_finding_text(rf_buf *out, const rf_report_file *file,
                     const rf_finding *finding, bool color);
/* Append an entry of "Diagnostics:" in the form of clang's YAML. */
void rf_finding_yaml(rf_buf *out, const rf_report_file *file,
                     const rf_finding *finding);
/* Append a YAML document as LLVM's -fsave-optimization-record has them. */
void rf_finding_remark(rf_buf *out, const rf_finding *finding);
/* Return a SARIF result; the caller owns it. */
json_t *rf_finding_sarif(const rf_report_file *file, const rf_finding *finding);
/* All of them, as the object described above; the caller owns it. */
json_t *rf_finding_json(const rf_report_file *file, const rf_finding *finding,
                        bool color);

/* Edits as [[begin, end, "text"], ...]; the caller owns the list. */
json_t *rf_edits_json(const rf_edit *edits, size_t n);

/* ---- All files ------------------------------------------------------ */

/* Drop findings that an earlier file's result has already. */
void rf_results_unique(json_t *results);
/* The texts of all findings, in order. */
void rf_results_text(rf_buf *out, const json_t *results);
/* The export-fixes file; its first comment has the hash of each file. */
void rf_results_yaml(rf_buf *out, const json_t *results);
void rf_results_remarks(rf_buf *out, const json_t *results);
/* SARIF and the summary, as JSON text. */
void rf_results_sarif(rf_buf *out, const json_t *results);
void rf_results_summary(rf_buf *out, const json_t *results);
/* The sum of a count over all files. */
long rf_results_count(const json_t *results, const char *name);

/* ---- Text ----------------------------------------------------------- */

/* A JSON string; bytes that are not UTF-8 become U+FFFD. */
json_t *rf_json_text(const char *text, size_t len);
/* The string at "key" of "object"; "" if there is none. */
const char *rf_json_string(const json_t *object, const char *key);
/* The offset of the first byte that is not UTF-8, or "len". */
size_t rf_utf8_check(const char *bytes, size_t len);
/* The length in UTF-16 units of "len" bytes of UTF-8. */
size_t rf_utf16_length(const char *bytes, size_t len);
/* Append "text" as a YAML scalar in clang's style. */
void rf_yaml_scalar(rf_buf *out, const char *text, size_t len);
/* The line of "file" at "offset": its bytes without the line end. */
const char *rf_report_line(const rf_report_file *file, size_t offset,
                           size_t *len);
/* Complete line and column of a place in "file" from its offset. */
void rf_place_complete(const rf_report_file *file, rf_place *at);

#endif
