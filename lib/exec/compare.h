/* Logs of what a program left in memory, and their comparison.
 *
 * A log is a sequence of records, one for every copy from the device to the
 * host and one for every buffer that is alive at the end: a line
 *
 *     kind kernel buffer offset size element
 *
 * (kind: copy or exit; kernel: the one launched last, or -), the bytes, and
 * one byte a byte that is 1 if something was ever written there. Two logs are
 * compared record by record; bytes that one side never wrote are left out. */
#ifndef RF_EXEC_COMPARE_H
#define RF_EXEC_COMPARE_H

#include "exec/exec.h"
#include "support/arena.h"

typedef struct {
    double relative, absolute; /* both 0: the same bits (NaN equals NaN) */
} rf_tolerance;

/* The first difference of a pair of records. */
typedef struct {
    const char *kind, *kernel;
    uint32_t buffer;
    const char *element;
    uint64_t index; /* of the element in the buffer */
    double reference, fused, ulps;
    uint64_t reference_bits, fused_bits;
    uint64_t differing, compared; /* elements */
} rf_difference;

typedef struct {
    size_t records, differing;
    uint64_t elements;
    double worst_relative; /* of those that were accepted */
    const char *mismatch;  /* the logs cannot be paired: why; or NULL */
} rf_comparison;

/* Compare two logs read into memory; "report" (may be NULL) is called for
 * every record that differs. Texts live in "arena". */
rf_comparison
rf_compare_logs(rf_arena *arena, const char *reference, size_t reference_size,
                const char *fused, size_t fused_size, rf_tolerance tolerance,
                void (*report)(void *context, const rf_difference *difference),
                void *context);

#endif
