/* Inside proof/: programs executed at small sizes on values that stand for
 * all values.
 *
 * A floating value is an element of the field of 2^61 - 1 numbers, an unknown
 * function is a hash of its arguments, a comparison orders values by a hash.
 * Two programs that leave the same numbers for random inputs compute, but for
 * a chance of about n / 2^61, the same polynomials in the same functions. In
 * the exact model sums and products are unknown functions, too (commutative
 * ones): equal numbers then mean equal operations in equal order.
 *
 * All threads of a cluster of blocks run in lockstep, each with values of its
 * own. Every access to memory that others see is checked against those that
 * no barrier separates from it. */
#ifndef RF_PROOF_MODEL_H
#define RF_PROOF_MODEL_H

#include "ir/ast.h"

enum { RF_MODEL_LANES = 128 };

typedef enum {
    RF_CELL_NONE, /* nothing was stored here */
    RF_CELL_INT,
    RF_CELL_REAL,
    RF_CELL_POINTER
} rf_cell_kind;

typedef struct rf_object rf_object;

typedef struct {
    rf_cell_kind kind;
    union {
        int64_t i; /* INT; POINTER: elements from the object's first */
        uint64_t r;
    };
    rf_object *object;
} rf_cell;

/* Who touched an element last, and between which barriers. */
typedef struct {
    int lane; /* of the whole grid; -1: nobody */
    unsigned block_epoch, cluster_epoch;
} rf_touch;

typedef struct {
    int64_t at; /* the element's number */
    bool used, written;
    rf_cell value;
    rf_touch writer, reader, other_reader;
} rf_element;

/* An array. Elements that were never stored have a value of their own if the
 * array is an argument or global, none otherwise. */
struct rf_object {
    const char *name;
    const rf_type *type; /* of an element */
    const rf_var *var;
    int owner;    /* the lane or block whose array it is; -1: everyone's */
    bool shared;  /* others see it: accesses are checked */
    bool given;   /* its first values come from outside */
    int64_t size; /* elements; -1: not known */
    size_t n_used, cap;
    rf_element *elements;
    rf_object *next;
};

typedef enum {
    RF_LANE_RUNS,
    RF_LANE_BREAKS,
    RF_LANE_CONTINUES,
    RF_LANE_LEFT
} rf_lane_state;

typedef struct {
    rf_arena *arena;
    bool exact;
    uint64_t seed;
    int grid[2], block, cluster; /* blocks of a cluster, along x */
    int n;                       /* lanes that run together */
    int first_block[2];          /* of the cluster that runs */
    int64_t steps, most_steps;
    bool stopped;
    bool unsupported; /* stopped, as it cannot be followed */
    const char *why;
    rf_range at;
    rf_cell **vars; /* by the variable's number, one cell a lane */
    size_t n_vars;
    rf_object ***arrays; /* by the variable's number, what each lane sees */
    size_t n_arrays;
    rf_object *objects;
    rf_lane_state state[RF_MODEL_LANES];
    bool copies[RF_MODEL_LANES]; /* rf_copy_async, not yet waited for */
    rf_cell *result;             /* of the function that runs */
    unsigned block_epoch[RF_MODEL_LANES], cluster_epoch;
    unsigned depth;
} rf_model;

typedef const unsigned char *rf_lane_mask;

/* model_number.c */
uint64_t rf_model_hash(const rf_model *, const char *name, uint64_t a,
                       uint64_t b);
rf_cell rf_model_int(int64_t i);
rf_cell rf_model_real(uint64_t r);
rf_cell rf_model_constant(const rf_model *, double value);
/* "c" as a number of the field: integers become themselves. */
uint64_t rf_model_number(const rf_cell *c);
rf_cell rf_model_binary(const rf_model *, rf_op op, const rf_cell *a,
                        const rf_cell *b);
rf_cell rf_model_minus(const rf_cell *a);
bool rf_model_less(const rf_model *, const rf_cell *a, const rf_cell *b);
bool rf_model_same(const rf_cell *a, const rf_cell *b);
/* "c" converted from type "from" (or NULL) to "to". */
rf_cell rf_model_convert(const rf_model *, const rf_cell *c,
                         const rf_type *from, const rf_type *to);
bool rf_model_is_true(const rf_cell *c);

/* model_memory.c */
void rf_model_stop(rf_model *, rf_range at, const char *why);
void rf_model_give_up(rf_model *, rf_range at, const char *why);
int64_t rf_model_leaves(const rf_type *t); /* elements that are no arrays */
const rf_type *rf_model_leaf(const rf_type *t);
rf_object *rf_model_object(rf_model *, const rf_var *var, int owner,
                           const char *name, const rf_type *leaf, int64_t size);
void rf_model_forget(rf_object *);
rf_cell rf_model_load(rf_model *, int lane, const rf_cell *p, rf_range at);
void rf_model_store(rf_model *, int lane, const rf_cell *p,
                    const rf_cell *value, rf_range at);
void rf_model_barrier(rf_model *, rf_lane_mask, bool of_cluster, rf_range at);
int rf_model_lane_number(const rf_model *, int lane);
/* "old", a table of "n" pointers by number, or a larger copy of it that has
 * room for "number"; the new ones are NULL. */
void *rf_model_table(rf_model *, void *old, size_t *n, unsigned number);
/* The object of "var" that "lane" sees. */
rf_object *rf_model_array(rf_model *, const rf_var *var, int lane);
void rf_model_free(rf_model *);

/* model_expr.c */
void rf_model_eval(rf_model *, const rf_expr *e, rf_lane_mask, rf_cell *out);
rf_cell *rf_model_var(rf_model *, const rf_var *var);
void rf_model_test(rf_model *, const rf_expr *e, rf_lane_mask,
                   unsigned char *yes, unsigned char *no);

/* model_call.c */
void rf_model_call(rf_model *, const rf_expr *e, rf_lane_mask, rf_cell *out);

/* model_stmt.c */
void rf_model_exec(rf_model *, const rf_stmt *s, rf_lane_mask);
/* Run "func" as a kernel; the parameters have their values already. */
void rf_model_launch(rf_model *, const rf_func *func);

#endif
