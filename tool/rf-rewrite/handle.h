/* One file from reading to writing. */
#ifndef RF_TOOL_HANDLE_H
#define RF_TOOL_HANDLE_H

#include "analysis.h"

/* Handle the file "path" ("-": stdin). Return its result in the form of
 * report.h; what goes to stdout (a patch, a dump, the rewritten stdin) is
 * appended to "out". The caller owns the result. */
json_t *rf_handle(const rf_run *run, const char *path, rf_buf *out);

/* The result of "file" as if it were the content of "path" (absolute), with
 * the field "edits": all edits together. The options must ask for nothing to
 * be written (--check). The caller owns the result. */
json_t *rf_examine(const rf_run *run, const char *path, const rf_file *file);

/* Only read "file" into the session of "run": rf_examine will be quicker. */
void rf_read_ahead(const rf_run *run, const char *path, const rf_file *file);

/* The absolute path as diagnostics show it; the text belongs to "arena". */
const char *rf_path_absolute(rf_arena *arena, const char *path);

#endif
