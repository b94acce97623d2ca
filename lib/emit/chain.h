/* Chains of matrix products as CUDA text. */
#ifndef RF_EMIT_CHAIN_H
#define RF_EMIT_CHAIN_H

#include "emit/emit.h"
#include "ir/chain.h"

/* What a block works on at a time: "m" rows of the chain, "n" columns of P,
 * "l" columns of E; multiples of RF_CHAIN_MICRO. */
typedef struct {
    int m, n, l;
    int threads; /* a good block size; the code is right for any */
    int cluster; /* blocks that share the columns of P of one tile of rows, and
                  * add up their parts of E (cls_n of THEORY 9); 1: none */
} rf_chain_tiles;

/* A thread computes RF_CHAIN_MICRO x RF_CHAIN_MICRO elements in registers. */
enum { RF_CHAIN_MICRO = 4 };

/* Write "chain" as code for a grid of any size: the replacement of its
 * statements. Returns 0, or -1 with "refusal" filled. */
int rf_emit_chain(rf_arena *arena, const rf_unit *unit, const rf_chain *chain,
                  const rf_chain_tiles *tiles, rf_emitted *out,
                  rf_refusal *refusal);

/* The device functions that clusters of blocks call: once a file, before the
 * first kernel that does. */
const char *rf_emit_chain_functions(void);

#endif
