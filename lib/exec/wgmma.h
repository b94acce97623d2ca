/* Warpgroup products: wgmma.mma_async and its shared-memory descriptors.
 *
 * A descriptor describes a matrix in shared memory as 16-byte chunks of T
 * elements. Let W be the swizzle width in chunks (1, 2, 4 or 8 for none, 32,
 * 64, 128 bytes), L and S the leading and stride offsets in bytes. The chunk
 * that holds element (r, k), r along m or n, starts before swizzling at
 *
 *     k contiguous, W > 1:  r%8 * 16W + r/8 * S + k/T * 16
 *     k contiguous, W = 1:  r%8 * 16  + r/8 * S + k/T * L
 *     r contiguous, W > 1:  r/T%W * 16 + r/(T W) * L + k%8 * 16W + k/8 * S
 *     r contiguous, W = 1:  r/T * S + k%8 * 16 + k/8 * L
 *
 * and the swizzle exchanges the chunks of the absolute address: bits 4..6 are
 * exclusive-ored with bits 7..9, as many of them as W has. */
#ifndef RF_EXEC_WGMMA_H
#define RF_EXEC_WGMMA_H

#include "exec/mma.h"

typedef struct {
    uint32_t start, leading, stride; /* bytes */
    uint32_t base;                   /* row at which the pattern starts */
    uint32_t width;                  /* W */
} rf_wgmma_descriptor;

rf_wgmma_descriptor rf_wgmma_decode(uint64_t bits);

/* The shared address of the chunk with element (r, k); "row_contiguous" is
 * the transposed ("MN-major") form, "bits" the size of an element. */
uint32_t rf_wgmma_chunk(const rf_wgmma_descriptor *descriptor,
                        bool row_contiguous, int bits, int r, int k);

/* Exchange chunks as a pattern of "width" chunks does. */
uint32_t rf_swizzle(uint32_t address, uint32_t width, uint32_t base);

typedef struct {
    rf_mma_shape shape; /* m is 64 */
    rf_type type, d;    /* of A, of the accumulator */
    rf_type b;
    bool accumulate; /* scale-d */
    bool negate_a, negate_b, transpose_a, transpose_b, satfinite;
    rf_round round;
    uint64_t a_descriptor, b_descriptor;
} rf_wgmma;

/* Compute the 16 rows of "warp" (0..3) of D = A * B + D. "a" is NULL when A
 * lies in shared memory. "access" reads the block's own shared memory. */
void rf_wgmma_run(const rf_wgmma *wgmma, int warp, const rf_access *access,
                  uint64_t *const *a, uint64_t *const *d);
/* Read the operands in shared memory, for nothing but the checks of
 * "access". */
void rf_wgmma_touch(const rf_wgmma *wgmma, int warp, bool a_in_registers,
                    const rf_access *access);

#endif
