/* Chains of products: the emitted kernel, read back, does what the source
 * does. Both are executed at a list of sizes, ragged and empty ones among
 * them, on values that stand for all values (proof/model.h): equal results are
 * equal polynomials, which covers that every element of the result is written
 * once, that every sum covers its axis once and that act meets complete sums.
 * Races and barriers that not every thread reaches are refuted, too. */
#ifndef RF_PROOF_CHAIN_H
#define RF_PROOF_CHAIN_H

#include "front/front.h"

/* A parameter that bounds a loop; "tile": how many steps of it a block takes
 * at once. One that bounds several loops is there for each: the largest size
 * counts. */
typedef enum {
    RF_SIZE_M,
    RF_SIZE_N,
    RF_SIZE_K,
    RF_SIZE_L,
    RF_SIZE_OTHER
} rf_size_role;

typedef struct {
    const rf_var *var;
    rf_size_role role;
    int tile;
} rf_chain_size;

typedef struct {
    const rf_unit *source;
    const rf_func *func; /* of "source" */
    const char *bytes;   /* the rewritten file, without guards */
    size_t size;
    const rf_front_options *front;
    const rf_chain_size *sizes;
    size_t n_sizes;
    bool own_grid;  /* the source runs as one thread, the other as a grid */
    bool batched;   /* the grid has a second dimension */
    int cluster;    /* blocks of a cluster */
    bool ring;      /* they pass tiles of P round */
    int threads;    /* the one size of block that the kernel is for; 0: any */
    bool reordered; /* tensor cores or clusters add in an order of their own */
    int64_t most_steps; /* then it takes too long; 0: some seconds */
} rf_chain_claim;

typedef struct {
    int sizes;       /* at so many they agree */
    bool exact;      /* the same operations in the same order */
    bool refuted;    /* "why": it is wrong; else it cannot be followed */
    const char *why; /* NULL: they agree */
} rf_chain_verdict;

void rf_prove_chain(rf_arena *arena, const rf_chain_claim *claim,
                    rf_chain_verdict *out);

#endif
