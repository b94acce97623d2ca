/* A chain of two matrix products as plain data (THEORY 9):
 *
 *     C[m,n] = SUM_k A[m,k] B[k,n]        one or more first products
 *     P[m,n] = act(C, C' ..)              kept on the chip
 *     E[m,l] = SUM_n P[m,n] D[n,l]        the second product
 *
 * k may be several nested loops and m several loops, those that neither B nor
 * D depends on: the channels and taps of a convolution, and its pixels
 * (implicit im2col).
 *
 * The members are values of a trace (ir/val.h): layouts, accumulators and the
 * spelling of the loops are gone by then. */
#ifndef RF_IR_CHAIN_H
#define RF_IR_CHAIN_H

#include "ir/val.h"

typedef RF_ARRAY(const rf_red *) rf_red_list;
typedef RF_ARRAY(const rf_val *) rf_val_list;
typedef RF_ARRAY(const rf_store *) rf_store_list;
typedef RF_ARRAY(const rf_loop *) rf_loop_list;

/* Where the rows of the chain come from. */
typedef enum {
    RF_ROWS_LOOP,  /* a loop over m: the nest is a specification */
    RF_ROWS_THREAD /* m is the thread's number in the grid */
} rf_rows;

typedef struct rf_chain {
    const rf_func *func;
    const rf_mark *mark;
    const rf_stmt *block;
    unsigned first, last; /* statements of block->list that are replaced */
    bool whole_body;      /* they are the rest of the function */
    rf_trace *trace;
    rf_rows rows;
    rf_loop_list batch;   /* loops around m, outermost first */
    rf_loop_list folded;  /* loops that count rows together with m, outermost
                           * first: m is the innermost digit */
    const rf_loop *m;     /* RF_ROWS_LOOP */
    rf_var *row;          /* RF_ROWS_THREAD: holds the row's number */
    const rf_expr *limit; /* RF_ROWS_THREAD: rows end before it, or NULL */
    const rf_loop *n, *k, *l;
    const rf_red *second; /* E */
    rf_red_list firsts;   /* C, C' */
    rf_val_list kept;     /* P: parts of E's term over (m, n) */
    rf_store_list early;  /* stores over (m, n) that stay visible */
    rf_store_list late;   /* stores over (m, l) */
    const char *formula;  /* "x * w1 -> fmaxf -> * w2" */
} rf_chain;

/* What a block works on at a time: "m" rows of the chain, "n" columns of P,
 * "l" columns of E; multiples of RF_CHAIN_MICRO. */
typedef struct {
    int m, n, l;
    int threads; /* a good block size; the code is right for any */
    /* Blocks of a cluster along each (THEORY 9): along n they take turns, along
     * k they exchange their sums before act, and all of them share the columns
     * of E, cls_l tiles at a time. All 1: no cluster. */
    int cls_m, cls_n, cls_k, cls_l;
    int k; /* operands pass through shared memory, so many steps of an axis at a
            * time; 0: each thread loads what it needs */
    bool tensor_first, tensor_second; /* on tensor cores */
    bool sums_in_memory; /* partial E is kept in the result's own elements, for
                          * all l, so that P is computed once; else in shared
                          * memory, for the l of a tile */
} rf_chain_tiles;

/* A thread computes RF_CHAIN_MICRO x RF_CHAIN_MICRO elements in registers, or
 * a warp RF_MMA_ROWS x RF_MMA_COLUMNS on tensor cores, RF_MMA_STEP of a sum at
 * a time. */
enum { RF_CHAIN_MICRO = 4 };
enum { RF_MMA_ROWS = 16, RF_MMA_COLUMNS = 32, RF_MMA_STEP = 16 };

/* Free the lists of "chain"; the rest is in the arena. */
void rf_chain_clear(rf_chain *chain);

#endif
