/* --verify: run the rewritten program before it is written. */
#ifndef RF_TOOL_VERIFY_H
#define RF_TOOL_VERIFY_H

#include "options.h"
#include "support/arena.h"

#include <stddef.h>

/* Execute the program "text", the rewritten form of "path", on the CPU in both
 * builds (rf-run --compare) and compare what they compute. Returns 0 if equal,
 * else -1 with a message in "arena" at "*why". The text lies beside "path" for
 * the while, so that its includes are found. */
int rf_verify(rf_arena *arena, const rf_options *options, const char *path,
              const char *text, size_t len, const char **why);

#endif
