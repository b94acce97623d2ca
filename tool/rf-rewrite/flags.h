/* The compiler flags of a file. */
#ifndef RF_TOOL_FLAGS_H
#define RF_TOOL_FLAGS_H

#include "analysis.h"

/* Append the flags for the file "path": those of the database, translated to
 * clang's, with the command line's around them. Texts belong to "arena" or the
 * options. */
void rf_flags_for(rf_arena *arena, const rf_run *run, const char *path,
                  rf_words *flags);
/* How "source" is to be read. */
rf_front_options rf_flags_front(const rf_options *options,
                                const rf_source *source);

#endif
