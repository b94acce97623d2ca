/* compile_commands.json: which flags a file is compiled with. */
#ifndef RF_TOOL_DATABASE_H
#define RF_TOOL_DATABASE_H

#include "front/nvcc_flags.h"
#include "options.h"

#include <jansson.h>
#include <stdbool.h>

typedef struct {
    const char *path; /* of the file that was read, or NULL: none found */
    json_t *entries;
} rf_database;

/* Read DIR/compile_commands.json, or without "dir" the one nearest above
 * "first". Finding none is no error unless "dir" was given. On failure return
 * -1 with a message in "arena" at "*why". */
int rf_database_open(rf_arena *arena, const char *dir, const char *first,
                     rf_database *out, const char **why);
void rf_database_close(rf_database *database);

/* Append the sources of the database to "files", absolute, in its order and
 * each once, then the headers with a mark that they include. */
void rf_database_files(const rf_database *database, rf_arena *arena,
                       rf_words *files);

/* Append the flags of the file "path", translated, their paths as they are
 * found from here. A file without an entry, such as a header, gets
 * the flags of a source that includes it, else of one with the same stem.
 * Return false if there is nothing for it. */
bool rf_database_flags(const rf_database *database, rf_arena *arena,
                       const char *path, rf_command *flags);

/* What is done with a file: return true to stop. */
typedef bool rf_include_visit(const char *real, const char *bytes, size_t len,
                              void *data);

/* Walk the headers that "source" includes, directly or by other headers, as far
 * as a look at the text tells: those beside the includer and those on -I and
 * -iquote of "flags". Visit each file that is not yet in "seen", a JSON object,
 * and put it there. Return whether a visit stopped the walk. */
bool rf_includes_walk(rf_arena *arena, const char *source,
                      const rf_command *flags, json_t *seen,
                      rf_include_visit *visit, void *data);

#endif
