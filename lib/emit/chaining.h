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

typedef struct {
    rf_emitter em;
    const rf_chain *ch;
    const rf_chain_tiles *tiles;
    rf_chain_index m, n, l;
    rf_var *slot, *i, *j;             /* micro tile, row and column in it */
    rf_var *p[RF_CHAIN_MAX_PARTS];    /* shared tiles of the kept values */
    rf_var *sum;                      /* shared tile of E */
    rf_var *c[RF_CHAIN_MAX_PARTS];    /* sums of the first products */
    rf_var *e;                        /* sums of the second product */
    rf_var *kept[RF_CHAIN_MAX_PARTS]; /* one element of each tile */
    rf_var *result;                   /* one element of E */
    rf_var *part[RF_CHAIN_MAX_PARTS], *slots[RF_CHAIN_MAX_PARTS];
    rf_var *rank, *inbox;        /* in a cluster, or NULL */
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

/* chain_phases.c: what one tile goes through. */
void rf_chain_clear_sums(rf_chain_maker *);
void rf_chain_first(rf_chain_maker *);
void rf_chain_second(rf_chain_maker *);
void rf_chain_finish(rf_chain_maker *);

/* chain_cluster.c: the same for a cluster of blocks. */
void rf_chain_declare_rank(rf_chain_maker *);
/* `value` in the first block, 0 in the others: a sum starts once. */
rf_expr *rf_chain_once(rf_chain_maker *, rf_expr *value);
void rf_chain_scatter(rf_chain_maker *);
rf_expr *rf_chain_gathered(rf_chain_maker *);
/* With blocks along k: the loop takes every such step; the sums of the blocks
 * are exchanged, and "sum" of them is the whole. */
void rf_chain_stride(rf_chain_maker *, rf_open_loop *loop);
void rf_chain_exchange(rf_chain_maker *);
rf_expr *rf_chain_exchanged(rf_chain_maker *, size_t first);
/* Elements of E that a block finishes, and where they are in the tile. */
int rf_chain_part(const rf_chain_maker *);
const char *rf_chain_slot(rf_chain_maker *);

#endif
