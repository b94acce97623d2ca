/* Compile commands as databases hold them, turned into flags for clang. */
#ifndef RF_FRONT_NVCC_FLAGS_H
#define RF_FRONT_NVCC_FLAGS_H

#include "support/arena.h"
#include "support/array.h"

typedef struct {
    RF_ARRAY(const char *) list;
} rf_command;

/* Split "text" into words as a POSIX shell would; they belong to "arena". */
void rf_command_split(rf_arena *arena, const char *text, rf_command *out);

/* Append to "flags" what the command "args" (the compiler first; ccache and
 * its kin before it) says about the meaning of the source: include folders,
 * macros, language, architecture, host compiler's flags of these kinds.
 * Options files (@FILE, --options-file) are read, relative to "folder". Files,
 * outputs and all that only steers code generation is left out. */
void rf_command_translate(rf_arena *arena, const rf_command *args,
                          const char *folder, rf_command *flags);

#endif
