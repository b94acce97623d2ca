/* The instruction matrix: PTX text in, values out.
 *
 * A row is one or more PTX instructions over the names a, b, c (sources) and d
 * (result), with scratch registers h0.. (16 bits), r0.. (32), q0.. (64) and
 * p0.. (predicates). It runs once a thread, over edge values and random ones,
 * and what it leaves in d is compared with a value computed on the host by
 * other means than the device model's. */
#ifndef RF_TESTS_EXEC_ROWS_H
#define RF_TESTS_EXEC_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROW_SOURCES = 3, ROW_THREADS = 512 };

/* The value of d for sources s[0..2], in the low bits of the result. */
typedef uint64_t row_want(const void *data, const uint64_t *s);
/* Whether "got" may stand for "want". */
typedef bool row_agree(const void *data, const uint64_t *s, uint64_t got,
                       uint64_t want);

/* "types": a letter for d, then one for each source.
 *   h r q   integers of 16, 32, 64 bits     s   shift amounts (32 bits)
 *   H B F D f16, bf16, f32, f64             X Y  pairs of f16, of bf16
 *   b e     e4m3, e5m2 pairs (16 bits)      p   predicate
 *   U       f32 between -4 and 4 */
typedef struct {
    const char *ptx, *types;
    row_want *want;
    row_agree *agree; /* NULL: bit for bit */
    const void *data; /* of "want" and "agree" */
} row;

/* Run "row"; false with a message on stderr when a value differs. */
bool row_run(const row *row);
/* Run every row; return how many failed. */
int rows_run(const row *rows, size_t n);

/* Bits of a value of that letter. */
int row_bits(char type);
/* Fill "out" with n values of that letter, edge values first. */
void row_values(char type, uint64_t *out, size_t n, uint64_t seed);

/* Run kernel "k" of "ptx" in one block of "threads" over two buffers of the
 * given sizes: in (copied there) and out (zeros, copied back). */
bool kernel_run(const char *ptx, unsigned threads, const void *in,
                size_t in_size, void *out, size_t out_size);

#endif
