/* Inside emit/: the kernel of a chain while it is built. */
#ifndef RF_EMIT_CHAINING_H
#define RF_EMIT_CHAINING_H

#include "emit/chain.h"
#include "emit/emitting.h"
#include "plan/chain.h"

enum { RF_CHAIN_MAX_PARTS = 8 };

/* An index of the chain: `m = m0 + offset`, cut off at "end". */
typedef struct {
    const rf_loop *loop; /* NULL: the row's number */
    rf_var *var;         /* m */
    rf_var *declared;    /* the same, but it may be assigned */
    rf_var *start;       /* m0, or NULL: the tile starts at 0 */
    rf_var *end;         /* M as a variable; NULL: the loop's bound */
    int tile;
} rf_chain_index;

/* The operands of a product, in shared memory step by step: the next tiles are
 * filled while the sums take in the others. */
typedef struct {
    rf_chain_operands ops;
    rf_var *tile[RF_CHAIN_OPERANDS]; /* [2][rows][columns] */
    rf_var *one[RF_CHAIN_OPERANDS];  /* one element of it */
    rf_chain_index step;             /* k = k0 + offset */
    rf_var *fill;                    /* which of both is filled */
} rf_chain_stage;

/* Blocks of a cluster that pass tiles to each other: "own" of "size" that are
 * "step" apart; NULL: one block. */
typedef enum {
    RF_GROUP_EXCHANGE,
    RF_GROUP_RING,
    RF_GROUP_SCATTER,
    RF_GROUPS
} rf_chain_group_of;

typedef struct {
    const char *own, *gate;
    int step, size;
} rf_chain_group;

typedef struct {
    rf_emitter em;
    const rf_chain *ch;
    const rf_chain_tiles *tiles;
    rf_chain_index m, n, l;
    rf_var *slot, *warp, *i, *j;      /* micro tile, row and column in it */
    rf_var *p[RF_CHAIN_MAX_PARTS];    /* shared tiles of the kept values */
    rf_var *sum;                      /* shared tile of E */
    rf_var *c[RF_CHAIN_MAX_PARTS];    /* sums of the first products */
    rf_var *e;                        /* sums of the second product */
    rf_var *kept[RF_CHAIN_MAX_PARTS]; /* one element of each tile */
    rf_var *result;                   /* one element of E */
    rf_var *part[RF_CHAIN_MAX_PARTS], *slots[RF_CHAIN_MAX_PARTS];
    rf_var *next[RF_CHAIN_MAX_PARTS]; /* P of the next block of a ring */
    rf_var *rank, *inbox;             /* in a cluster, or NULL */
    const char *at_m, *at_n, *at_k;   /* this block's place in it, or NULL */
    rf_chain_group group[RF_GROUPS];
    rf_var *turn;            /* where the turn at hand begins along n */
    bool branches;           /* each block along k has one product */
    size_t branch;           /* the one at hand */
    rf_chain_stage stage[2]; /* of the first products, of the second */
    rf_var *u, *v; /* piece of this thread, sum of this lane; or NULL */
    bool tensor;   /* the product at hand is for tensor cores */
    bool uses_i, uses_j, uses_t; /* the body at hand does */
    rf_stmts row_decls;          /* the author's, one for each row */
    RF_ARRAY(rf_counter) digits; /* of a row's number, the innermost last */
} rf_chain_maker;

/* chain_parts.c: pieces that several phases use. */
rf_expr *rf_chain_text(rf_chain_maker *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
rf_var *rf_chain_var(rf_chain_maker *, const char *wish, const rf_type *type);
rf_var *rf_chain_tile(rf_chain_maker *, const char *wish, const rf_type *type,
                      int rows, int columns, bool shared);
/* for (var = from; var < to; var += by) with the statements that follow, up
 * to rf_chain_end. */
typedef struct {
    rf_stmt *stmt;
    rf_stmts body, *outer;
} rf_chain_for;
void rf_chain_begin(rf_chain_maker *, rf_chain_for *, rf_var *var,
                    rf_expr *from, rf_expr *to, rf_expr *by);
void rf_chain_unrolled(rf_chain_maker *, rf_chain_for *, rf_var *var, int n);
void rf_chain_end(rf_chain_maker *, rf_chain_for *);
/* The shared elements of a tile, dealt to the threads of the block. */
void rf_chain_deal(rf_chain_maker *, rf_chain_for *, int n);
rf_expr *rf_chain_bound(rf_chain_maker *, const rf_chain_index *);
/* A body for one element: statements that use m, n, l, whose definitions are
 * put before it by rf_chain_close: "row" and "column" are the offsets within
 * the tiles. "checked": elements outside are skipped, else they are clamped
 * to the last one. */
typedef struct {
    rf_open_block block;
    unsigned *uses;
    size_t n_uses, counters, names;
    const rf_chain_index *column;
} rf_chain_body;
void rf_chain_open(rf_chain_maker *, rf_chain_body *,
                   const rf_chain_index *column);
void rf_chain_close(rf_chain_maker *, rf_chain_body *, const char *row,
                    const char *column, bool checked);
void rf_chain_barrier(rf_chain_maker *);
void rf_chain_bind(rf_chain_maker *, const rf_val *v, rf_var *var);

/* An array [number][rows][columns], or without "number" if that is 0. */
rf_var *rf_chain_array(rf_chain_maker *, const char *wish, const rf_type *type,
                       int number, int rows, int columns);
/* Micro tiles of a tile "columns" wide, dealt to the threads of the block, or
 * to its warps; up to rf_chain_end_pieces. */
typedef struct {
    rf_chain_for f;
    rf_stmts inside, *outer;
    bool loops, tests;
    int pieces;
    size_t names;
} rf_chain_pieces;
void rf_chain_begin_pieces(rf_chain_maker *, rf_chain_pieces *, int columns);
void rf_chain_end_pieces(rf_chain_maker *, rf_chain_pieces *);
/* How many of them a thread has, and its sums of all of them. */
int rf_chain_pieces_each(const rf_chain_maker *, int columns);
rf_var *rf_chain_sums(rf_chain_maker *, const char *wish, const rf_type *type,
                      int columns);
/* Loops over the sums of a piece, with the element at hand as i and j. */
typedef struct {
    rf_chain_for i, j;
} rf_chain_elements;
void rf_chain_begin_elements(rf_chain_maker *, rf_chain_elements *, int width);
void rf_chain_end_elements(rf_chain_maker *, rf_chain_elements *);
/* Offsets in a tile of the element at hand, and its place in the sums. */
/* Where the piece of the worker at hand begins: "size * (slot / pieces)" and
 * "size * (slot % pieces)", "0" if there is one piece beside another. */
const char *rf_chain_piece_row(rf_chain_maker *, int size, int pieces);
const char *rf_chain_piece_column(rf_chain_maker *, int size, int pieces);
const char *rf_chain_micro_row(rf_chain_maker *, int width);
const char *rf_chain_micro_column(rf_chain_maker *, int width);
rf_expr *rf_chain_micro_at(rf_chain_maker *, rf_var *sums);
rf_expr *rf_chain_at(rf_chain_maker *, rf_var *tile, const char *row,
                     const char *column);
/* What was just checked for its place is 0 elsewhere: "place" = 0. */
void rf_chain_else_zero(rf_chain_maker *, rf_expr *place, const rf_type *);

/* chain_staged.c: operands in shared memory. */
void rf_chain_declare_stages(rf_chain_maker *);
/* Sum over the axis from "from" to "to": "sums" are the accumulators of
 * the product number "second". */
void rf_chain_staged_sum(rf_chain_maker *, bool second, rf_expr *from,
                         rf_expr *to);

/* chain_phases.c: what one tile goes through. */
void rf_chain_clear_sums(rf_chain_maker *);
void rf_chain_first(rf_chain_maker *);
void rf_chain_second(rf_chain_maker *);
void rf_chain_finish(rf_chain_maker *);
/* place += term of "red" for this element, where its guard holds. */
void rf_chain_accumulate(rf_chain_maker *, const rf_red *red, rf_expr *place);
/* const float h = p[row][n - n0]; for every kept value, "n" by name */
void rf_chain_bind_kept(rf_chain_maker *);

/* chain_cluster.c: the same for a cluster of blocks. */
void rf_chain_declare_rank(rf_chain_maker *);
/* own == number */
rf_expr *rf_chain_is(rf_chain_maker *, const char *own, int number);
/* `value` in the first block of a group, 0 in the others: a sum starts once. */
rf_expr *rf_chain_once(rf_chain_maker *, rf_chain_group_of, rf_expr *value);
/* Which tile of columns of E, in a turn, is this block's; NULL: all. */
const char *rf_chain_tile_of_l(rf_chain_maker *);
void rf_chain_scatter(rf_chain_maker *);
rf_expr *rf_chain_gathered(rf_chain_maker *);
/* With blocks along k: the loop takes every such step; the sums of the blocks
 * are exchanged, and "sum" of them is the whole. */
void rf_chain_stride(rf_chain_maker *, rf_open_loop *loop);
void rf_chain_exchange(rf_chain_maker *);
/* This block's P for that of the next block of its ring. */
void rf_chain_pass_on(rf_chain_maker *);
rf_expr *rf_chain_exchanged(rf_chain_maker *, size_t first);
/* Elements of E that a block finishes, and where they are in the tile. */
int rf_chain_part(const rf_chain_maker *);
const char *rf_chain_slot(rf_chain_maker *);

#endif
