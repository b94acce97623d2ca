/* Logs of what a program left in memory, and their comparison.
 *
 * A log is a sequence of records, one for every copy from the device to the
 * host and one for every buffer that is alive at the end: a line
 *
 *     kind kernel buffer offset size element
 *
 * (kind: copy or exit; kernel: the one launched last, or -), the bytes, and
 * one byte a byte that is 1 if something was ever written there. Two logs are
 * compared record by record; bytes that one side never wrote are left out.
 *
 * How much rounding may move a value x is measured, not assumed: samples are
 * logs of the same two programs in which every rounding went another way. Let
 * s be the largest distance of a sample of an element from the value that the
 * same program gave with rounding to nearest. Two values a and b of element i
 * agree if
 *
 *     |a - b| <= K * max(s_i, min(L * (s_i + u), n_i)) + u
 *     n_i = max over |j - i| <= W of s_j * min(1, |a_i| / |a_j|)
 *
 * with u one unit in the last place of a; and if all of these s are 0, no
 * rounding has reached the element and the bits must be the same. Neighbours
 * count, up to a factor L, because a single element can be lucky. An integer
 * may differ by what its own samples differ. */
#ifndef RF_EXEC_COMPARE_H
#define RF_EXEC_COMPARE_H

#include "exec/exec.h"
#include "support/arena.h"

/* A run in another rounding. */
typedef struct {
    const char *bytes;
    size_t size;
    bool fused; /* of the fused program, not of the reference */
} rf_sample;

typedef struct {
    double relative, absolute; /* both 0: the same bits (NaN equals NaN) */
    const rf_sample *samples;  /* if there are any, they alone decide */
    size_t n_samples;
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
    /* Elements that rounding moves, and by more than a sixteenth. */
    uint64_t moved, undecided;
    const char *mismatch; /* the logs cannot be paired: why; or NULL */
} rf_comparison;

/* Compare two logs read into memory; "report" (may be NULL) is called for
 * every record that differs. Texts live in "arena". */
rf_comparison
rf_compare_logs(rf_arena *arena, const char *reference, size_t reference_size,
                const char *fused, size_t fused_size, rf_tolerance tolerance,
                void (*report)(void *context, const rf_difference *difference),
                void *context);

#endif
