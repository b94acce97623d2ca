/* Files of the repository as text. */
#ifndef RF_TESTS_PROOF_FILE_H
#define RF_TESTS_PROOF_FILE_H

#include "support/arena.h"

/* What "path" holds; "" if it cannot be read. Owned by "arena". */
const char *read_file(rf_arena *arena, const char *path);

#endif
