/* The launches of a kernel in its own file, as text. */
#ifndef RF_TOOL_LAUNCHES_H
#define RF_TOOL_LAUNCHES_H

#include "support/array.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    size_t begin, end;
} rf_piece;

/* name<<<grid, block, ...>>>(args) */
typedef struct {
    rf_piece grid, block;    /* what stands between <<< and >>> */
    rf_piece shared, stream; /* ... empty where they are not written */
    RF_ARRAY(rf_piece) args;
} rf_launch;

typedef struct {
    RF_ARRAY(rf_launch) list;
    bool hidden; /* the name is also used in some other way */
    size_t hidden_at;
} rf_launches;

/* Find the launches of "name" in "bytes"; its definition and what stands in
 * it are at "own". */
rf_launches rf_launches_find(rf_arena *arena, const char *bytes, size_t len,
                             const char *name, rf_piece own);
/* Why these may not be all launches, as a message; NULL if they are. The
 * place is hidden_at if hidden, else the kernel. */
const char *rf_launches_incomplete(const rf_launches *launches);
void rf_launches_free(rf_launches *launches);

#endif
