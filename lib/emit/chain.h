/* Chains of matrix products as CUDA text. */
#ifndef RF_EMIT_CHAIN_H
#define RF_EMIT_CHAIN_H

#include "emit/emit.h"
#include "ir/chain.h"

/* Write "chain" as code for a grid of any size: the replacement of its
 * statements. Returns 0, or -1 with "refusal" filled. */
int rf_emit_chain(rf_arena *arena, const rf_unit *unit, const rf_chain *chain,
                  const rf_chain_tiles *tiles, rf_emitted *out,
                  rf_refusal *refusal);

/* The device functions that emitted kernels call, by number, each once a file
 * before the first kernel that does; NULL past the last. */
const char *rf_emit_chain_function(unsigned i);
/* Does "kernel" call one of function "i"? */
bool rf_emit_chain_calls(const char *kernel, unsigned i);

/* For clusters of more than 8 blocks: RF_LARGE_CLUSTER(16) in the kernel's head
 * and rf_large_grid(kernel, blocks) in its launches. */
const char *rf_emit_chain_consent(void);

#endif
