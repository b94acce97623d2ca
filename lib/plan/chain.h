/* Chains of matrix products: found in a trace by what is computed. */
#ifndef RF_PLAN_CHAIN_H
#define RF_PLAN_CHAIN_H

#include "ir/chain.h"
#include "plan/gemm.h"

/* Find the chain of "region"; it lives in "arena" but for its lists
 * (rf_chain_clear). NULL: refused, with name and place in "diags" unless that
 * is NULL. */
rf_chain *rf_chain_find(rf_arena *arena, const rf_unit *unit,
                        const rf_region *region, rf_diags *diags);

/* A sum over several loops is a sum of sums: the next level, or NULL; the
 * innermost one, whose term is summed. */
const rf_red *rf_chain_inner(const rf_red *red);
/* True if both sum over the same axes, from the outermost in. */
bool rf_chain_same_axes(const rf_red *a, const rf_red *b);
const rf_red *rf_chain_leaf(const rf_red *red);

/* Can the elements of the result hold the running sums of E? They have E's
 * type, every one is stored, and nothing reads what the caller left there but
 * the start of the sum. */
bool rf_chain_sums_fit_result(const rf_chain *chain);

/* ---- sizes: chain_extent.c ---- */

typedef enum { RF_FROM_CODE, RF_FROM_ASSUME, RF_FROM_USUAL } rf_extent_from;

typedef struct {
    int64_t n;
    rf_extent_from from;
} rf_chain_extent;

/* How often "loop" runs, to plan with; NULL: rows that belong to threads. */
rf_chain_extent rf_chain_extent_of(const rf_chain *chain, const rf_loop *loop);
/* All rows together. */
rf_chain_extent rf_chain_rows_of(const rf_chain *chain);

/* ---- traffic of the emitted kernel: chain_traffic.c ---- */

/* Trips of "loop" (NULL: the rows), or with "tile" tiles of that size. */
typedef struct {
    const rf_loop *loop;
    int64_t tile;
} rf_chain_factor;

enum { RF_CHAIN_FACTORS = 16 };

/* bytes * factor * factor ... */
typedef struct {
    bool is_store;
    int64_t bytes;      /* of all threads */
    int64_t tile_bytes; /* of the block: what several threads load, once */
    unsigned n;
    rf_chain_factor factor[RF_CHAIN_FACTORS];
} rf_chain_moved;

/* Bytes of global memory as a function of the sizes. */
typedef struct {
    RF_ARRAY(rf_chain_moved) terms;
    bool exact; /* else conditions decide, and it is at most so much */
} rf_chain_traffic;

rf_chain_traffic rf_chain_count(const rf_chain *chain,
                                const rf_chain_tiles *tiles);
void rf_chain_traffic_clear(rf_chain_traffic *traffic);
/* At the sizes to plan with: loads or stores of all threads, of blocks. */
double rf_chain_bytes(const rf_chain *chain, const rf_chain_traffic *traffic,
                      bool stores, bool of_blocks);
/* "4 * M * L + 8192 * ceil(M / 32) * K" */
void rf_chain_put_traffic(rf_buf *out, const rf_chain *chain,
                          const rf_chain_traffic *traffic, bool stores);

/* ---- the choice of tiles: chain_tiles.c ---- */

typedef struct {
    const rf_device *device;
    unsigned clusters; /* numbers of blocks that may be chosen, or-ed: 1, 2.. */
    int threads;       /* 0: any */
    int64_t shared;    /* bytes of shared memory of a block */
    bool in_order;     /* sums keep the author's order: no tensor cores */
} rf_chain_limits;

typedef struct {
    double time; /* seconds */
    const char *limit;
    double arithmetic, shared, l2, dram, dsm; /* seconds of each */
    int64_t blocks;
} rf_chain_cost;

/* Time of the emitted kernel at the sizes to plan with. */
rf_chain_cost rf_chain_cost_of(const rf_chain *chain,
                               const rf_chain_tiles *tiles,
                               const rf_chain_limits *limits);
/* The fastest of the tiles that the emitter can write within "limits" and that
 * the mark does not pin otherwise; false: none fits. */
bool rf_chain_choose(const rf_chain *chain, const rf_chain_limits *limits,
                     rf_chain_tiles *out);

/* ---- the blocks of a cluster: chain_cluster.c ---- */

enum { RF_CHAIN_GATE = 16 }; /* bytes of the two barriers of a group */

rf_gemm_cluster rf_chain_cluster(const rf_chain_tiles *tiles);
int rf_chain_blocks(const rf_chain_tiles *tiles);
/* Blocks that pass P on, and that add up E. */
int rf_chain_ring(const rf_chain_tiles *tiles);
int rf_chain_reduce(const rf_chain_tiles *tiles);
/* Blocks along n meet inside of the loop over n: all run it equally often. */
bool rf_chain_takes_turns(const rf_chain_tiles *tiles);
/* The blocks along k have a first product each, instead of a share of k. */
bool rf_chain_has_branches(const rf_chain *chain, const rf_chain_tiles *tiles);
/* Are sums added in another order than the source's? */
bool rf_chain_reorders(const rf_chain *chain, const rf_chain_tiles *tiles);
/* Bytes of shared memory for what comes from other blocks. */
int64_t rf_chain_cluster_bytes(const rf_chain *chain,
                               const rf_chain_tiles *tiles);

/* Bytes from block to block, of a cluster together: for each turn of its
 * tiles of P, and for each of its tiles of E. */
typedef struct {
    double exchange, ring, scatter;
} rf_chain_passed;

rf_chain_passed rf_chain_pass(const rf_chain *chain,
                              const rf_chain_tiles *tiles);

/* ---- operands in shared memory: chain_operands.c ---- */

enum { RF_CHAIN_OPERANDS = 8, RF_CHAIN_PAD = 8 };

typedef struct {
    const rf_val *value; /* a part of the term */
    bool of_rows;        /* over (row, axis); else over (axis, column) */
} rf_chain_operand;

typedef struct {
    unsigned n;
    rf_chain_operand list[RF_CHAIN_OPERANDS];
} rf_chain_operands;

/* What the first products (or the second) load; false: not all of it is of
 * one side or the other, and it is loaded where it is needed. */
bool rf_chain_operands_of(const rf_chain *chain, bool second,
                          rf_chain_operands *out);
/* Can tensor cores compute the first products (or the second)? */
bool rf_chain_fits_tensor(const rf_chain *chain, bool second);
/* Element "i" of what is kept, as the tiles keep it. */
const rf_val *rf_chain_kept_as(const rf_chain *chain,
                               const rf_chain_tiles *tiles, size_t i);
/* Elements of a row of the operand's tile in shared memory. */
int rf_chain_operand_width(const rf_chain_tiles *tiles,
                           const rf_chain_operand *operand, bool second);
int64_t rf_chain_operand_bytes(const rf_chain *chain,
                               const rf_chain_tiles *tiles);
bool rf_chain_varies_with_row(const rf_chain *chain, const rf_val *v);
bool rf_chain_varies(const rf_val *v, const rf_loop *loop);
/* for (i = 0; i < n; i++) */
bool rf_chain_counts_up(const rf_loop *loop);

/* ---- words ---- */

/* Bytes of an element. */
int64_t rf_chain_type_bytes(const rf_type *type);
/* Bytes of static shared memory that the tiles take. */
int64_t rf_chain_shared_bytes(const rf_chain *chain,
                              const rf_chain_tiles *tiles);
/* Bytes of traffic for each element of the intermediates. */
double rf_chain_bytes_before(const rf_chain *chain);
double rf_chain_bytes_after(const rf_chain *chain);
/* The chain's sizes, if all of them are constants. */
bool rf_chain_shape(const rf_chain *chain, rf_gemm_shape *out);
/* The dataflow as a picture, and bytes where the sizes are known. */
void rf_chain_explain(rf_buf *out, const rf_chain *chain,
                      const rf_chain_tiles *tiles, const rf_device *device);
void rf_chain_dump(rf_buf *out, const rf_chain *chain);

#endif
