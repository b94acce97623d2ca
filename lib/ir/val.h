/* Values: a block of statements as pure functions of its inputs.
 *
 * trace.c executes a block symbolically. Every C expression becomes an
 * immutable, hash-consed rf_val with its C type, so that two spellings of one
 * computation are one pointer: renamed variables, split statements, inlined
 * helpers and stored-and-reloaded values leave no difference behind. Loops are
 * interned too, by their bounds: two loops over one axis share their index.
 *
 *     loops        rf_loop   an axis [lower, upper) with a step
 *     reductions   rf_red    d = init (+) REDUCE_l term(l)               (T-1)
 *     stores       rf_store  for all l: base[index(l)] = value(l)
 *     loads        RF_VAL_LOAD of what the block did not write itself
 *
 * Values carry C semantics (types, roundings, evaluation of NaN); the step to
 * real arithmetic is taken in real.c and nowhere else. */
#ifndef RF_IR_VAL_H
#define RF_IR_VAL_H

#include "ir/ast.h"
#include "ir/math.h"
#include "ir/reduce.h"

typedef struct rf_val rf_val;
typedef struct rf_loop rf_loop;
typedef struct rf_red rf_red;

typedef enum {
    RF_VAL_CONST,  /* a literal or named constant: expr */
    RF_VAL_ENTRY,  /* value of "var" where the block begins; arrays: address */
    RF_VAL_INDEX,  /* the counter of "loop": lower, lower + step, ... */
    RF_VAL_OP,     /* op(args), typed: arithmetic, relations, SELECT, FIELD */
    RF_VAL_CALL,   /* name(args): a pure library function */
    RF_VAL_CAST,   /* conversion of arg[0] to type */
    RF_VAL_LOAD,   /* arg[0][arg[1]] as it is after "version" stores */
    RF_VAL_RESULT, /* final value of "red" for the outer and free indices arg */
    RF_VAL_PHI,    /* value of "var" when an iteration of "loop" begins */
    RF_VAL_CELL,   /* value of arg[0][arg[1]] when an iteration begins */
    RF_VAL_LAST,   /* value of "var" after the last iteration of "loop" */
    RF_VAL_UNKNOWN /* anything else; never equal to another */
} rf_val_kind;

struct rf_val {
    rf_val_kind kind;
    rf_op op;
    unsigned id; /* creation order */
    const rf_type *type;
    const rf_expr *expr; /* CONST: the literal; others: where first written */
    rf_var *var;
    const rf_loop *loop;
    const rf_red *red;
    const char *name; /* CALL: function; FIELD: field; UNKNOWN: why */
    rf_math math;     /* of a CALL */
    unsigned version; /* LOAD: number of stores it must see */
    unsigned n;
    const rf_val *const *arg;
    struct rf_val *chain; /* of the hash table */
};

/* An axis: for (i = lower; i < upper; i += step), downwards when step < 0. */
struct rf_loop {
    unsigned id;
    unsigned twin; /* 0, or counts nested loops over one and the same axis */
    const rf_type *type; /* of the counter */
    const rf_val *lower, *upper, *step;
    bool is_inclusive;   /* upper is reached: `<=`, `>=` */
    bool is_equal_exit;  /* written `!=` */
    bool at_least_once;  /* a do loop: the body runs before the test */
    bool is_reversed;    /* runs from the last counter to the first */
    const char *name;    /* the author's first name for the counter */
    const rf_stmt *stmt; /* first seen as this statement */
    const rf_val *index; /* RF_VAL_INDEX */
    const rf_val *least; /* of "lower" over the team; NULL: not known */
    bool is_split;       /* lanes of a team take different counters */
    bool is_dealt; /* ... and all together "least" to "upper", each one once */
};

/* The lanes that a reduction runs over beside its axis: every thread of the
 * block (width 0), or of the aligned group of "width" lanes it belongs to. */
typedef struct rf_team {
    unsigned width;
    unsigned cluster;           /* more than 1: of this many blocks together */
    unsigned smallest, largest; /* block sizes that were looked at */
    unsigned n_sizes;
    const unsigned *sizes;  /* the code admits these: x << 16 | threads */
    bool has_rows;          /* blocks of two dimensions */
    bool is_repeatable;     /* shared slots are free when the code runs again */
    bool has_partial_warps; /* a block may end in a part of a warp */
    unsigned barriers, shuffles; /* of the source, in a block of "largest" */
} rf_team;

/* d = init (+) REDUCE over "axis" of term, in every iteration of "outer" and
 * for all values of the free loops (the n of o[n]). */
struct rf_red {
    unsigned id;
    rf_reduce_op op;
    const rf_loop *axis;
    const rf_team *team;      /* NULL: of one thread */
    unsigned n_outer, n_free; /* loops around and inside axis */
    const rf_loop *const *outer, *const *free;
    const rf_val *init;
    const rf_val *term;
    const rf_val *guard;      /* NULL: every iteration contributes */
    const rf_val *path;       /* the loop itself runs under this condition */
    const rf_val *phi, *next; /* the author's update: next as f(phi) */
    const rf_type *type;
    rf_var *var; /* scalar accumulator, or NULL: base[index] */
    const rf_val *base, *index;
    rf_range at;          /* the update, for diagnostics */
    unsigned pass;        /* top-level statement that computes it */
    const rf_val *result; /* RF_VAL_RESULT with its own indices */
    bool in_progress;     /* mark of a walk over reductions */
    bool is_shared; /* computed by several loops: "phi" is no author's variable
                     */
};

/* base[index] = value in every iteration of "loops". */
typedef struct {
    unsigned id;
    unsigned n_loops;
    const rf_loop *const *loops;        /* outermost first */
    const rf_val *base, *index, *value; /* index NULL: every element */
    const rf_val *guard;                /* NULL: always */
    const rf_type *type;                /* of the element */
    unsigned pass;                      /* top-level statement */
    const char *hint;                   /* the intrinsic that stores, or NULL */
    rf_range at;
    bool is_result; /* stores the results of a memory accumulator */
    bool is_closed; /* its loop has ended (while tracing) */
} rf_store;

/* One evaluated load, forwarded or not. */
typedef struct {
    const rf_val *base, *index;
    const rf_val *value; /* RF_VAL_LOAD, or what was forwarded */
    unsigned n_loops;
    const rf_loop *const *loops;
    unsigned pass;
    unsigned n_stores; /* stores seen before it in program order */
    rf_range at;
} rf_load;

typedef struct {
    rf_var *var;
    const rf_val *value;
    rf_range at;
} rf_binding;

/* A variable or array element that a loop carries: "phi" when an iteration
 * begins, "next" when it ends, "result" after the last one. */
typedef struct {
    const rf_val *phi, *next, *result;
    unsigned pass; /* top-level statement */
    rf_range at;
} rf_update;

/* A helper call that was inlined: value = func(args). */
typedef struct {
    const rf_val *value;
    const char *name; /* as called: "dot", "dot<D>" */
    unsigned n;
    const rf_val *const *arg;
} rf_inlined;

/* A scalar that a loop assigns was read. */
typedef struct {
    rf_var *var;
    const rf_val *value;
    rf_range at;
    unsigned pass;
    bool is_own; /* to compute its own next value */
} rf_read;

/* What stopped the trace, with its place. */
typedef struct {
    rf_diag_name name;
    rf_range at;
    const char *text;
    rf_range note_at; /* RF_NOWHERE: no note */
    const char *note;
} rf_refusal;

typedef struct {
    unsigned pass; /* index of the top-level statement in the block */
    const rf_loop *axis;
    rf_range at;
} rf_pass;

/* A value that lanes disagree about: none of its uses can be understood. */
typedef struct {
    const rf_val *value;
    rf_diag_name name;
    const char *why; /* or NULL */
} rf_doubt;

/* One value of a merge: what "source" (the RESULT of a lane) has become over
 * the lanes of the left state, the right one, or both. */
typedef enum { RF_SIDE_LEFT, RF_SIDE_RIGHT, RF_SIDE_BOTH } rf_side;
typedef struct {
    const rf_val *source;
    rf_side side;
    const rf_val *value; /* ENTRY */
} rf_merge_part;

/* The claim that "value", over merge parts, is "source" of both states. */
typedef struct {
    const rf_val *source, *value;
    rf_range at;
} rf_merge_claim;

typedef struct rf_trace {
    rf_arena *arena;
    struct rf_vals *vals;
    const rf_unit *unit;
    const rf_func *func;
    const rf_stmt *block;
    RF_ARRAY(rf_loop *) loops;    /* interned */
    RF_ARRAY(rf_red *) reds;      /* in order of completion */
    RF_ARRAY(rf_store) stores;    /* in program order */
    RF_ARRAY(rf_load) loads;      /* in program order */
    RF_ARRAY(rf_binding) finals;  /* scalars assigned in the block */
    RF_ARRAY(rf_binding) names;   /* the author's names for values */
    RF_ARRAY(rf_inlined) inlined; /* helper calls */
    RF_ARRAY(rf_update) updates;  /* in order of completion */
    RF_ARRAY(rf_pass) passes;     /* top-level loops */
    RF_ARRAY(rf_read) reads;      /* of scalars inside loops */
    RF_ARRAY(rf_var *) declared;  /* in the block, at its top level */
    const rf_team *team;          /* of the collectives, or NULL */
    RF_ARRAY(rf_merge_part) merge_parts;
    RF_ARRAY(rf_merge_claim) merges; /* of emitted code */
    RF_ARRAY(rf_doubt) doubts;
    RF_ARRAY(const rf_val *) stops; /* emitted code traps where one holds */
    RF_ARRAY(rf_var *) exchanged;   /* shared memory of the collectives */
    bool refused;
    rf_refusal refusal;
} rf_trace;

/* ---- the table of values ---- */

typedef struct rf_vals rf_vals;
rf_vals *rf_vals_new(rf_arena *arena); /* lives in the arena */

const rf_val *rf_val_const(rf_vals *, const rf_expr *literal);
const rf_val *rf_val_int(rf_vals *, int64_t value, const rf_type *type);
const rf_val *rf_val_entry(rf_vals *, rf_var *var);
const rf_val *rf_val_op(rf_vals *, rf_op op, const rf_type *type, unsigned n,
                        const rf_val *const *args, const rf_expr *at);
const rf_val *rf_val_op2(rf_vals *, rf_op op, const rf_type *type,
                         const rf_val *a, const rf_val *b);
const rf_val *rf_val_select(rf_vals *, const rf_val *c, const rf_val *a,
                            const rf_val *b);
/* NULL stands for true in "a" and "b" and in the result. */
const rf_val *rf_val_and(rf_vals *, const rf_val *a, const rf_val *b);
const rf_val *rf_val_not(rf_vals *, const rf_val *a);
const rf_val *rf_val_cast(rf_vals *, const rf_type *type, const rf_val *a,
                          const rf_expr *at);
/* Any node: hash-cons "proto" (its args are copied). */
const rf_val *rf_val_make(rf_vals *, const rf_val *proto);
const rf_val *rf_val_unknown(rf_vals *, const rf_type *type, const char *why,
                             const rf_expr *at);

bool rf_val_is_int(const rf_val *v, int64_t *value);
/* True if "v" is the literal "n", of an integer or floating-point type. */
bool rf_val_is_number(const rf_val *v, double n);
/* "v" without the conversions around it. */
const rf_val *rf_val_without_casts(const rf_val *v);
/* The same, of conversions from integers to integers that keep 32 bits: those
 * of an index. */
const rf_val *rf_val_without_int_casts(const rf_val *v);
/* True if the integer type "t" has the value "v". */
bool rf_type_has_int(const rf_type *t, int64_t v);
/* val_int.c: what "a op b" of the integer type "type" is the same as, or
 * NULL. */
const rf_val *rf_val_int_simplify(rf_vals *, rf_op op, const rf_type *type,
                                  const rf_val *const *args);
/* Replace from[i] by to[i] everywhere in "v". */
const rf_val *rf_val_subst(rf_vals *, const rf_val *v, unsigned n,
                           const rf_val *const *from, const rf_val *const *to);
/* True if "part" is "v" or a part of it; looks into the reductions whose
 * results "v" uses, but not at the indices that those bind. */
bool rf_val_mentions(const rf_val *v, const rf_val *part);
/* The first load in "v", operands left to right; NULL if there is none. */
const rf_val *rf_val_first_load(const rf_val *v);
/* The first part of "v" for which "test" is true, or NULL. */
const rf_val *rf_val_find(const rf_val *v,
                          bool (*test)(const rf_val *, const void *),
                          const void *data);
void rf_val_print(rf_buf *out, const rf_val *v);

bool rf_type_is_pointer_like(const rf_type *t);
extern const rf_type rf_type_int, rf_type_long, rf_type_long_long, rf_type_bool,
    rf_type_f32, rf_type_f64;

/* ---- tracing ---- */

/* Execute statements "first" to "last" of "block" symbolically. Always
 * returns a trace; a refusal is recorded in it. */
rf_trace *rf_trace_block(rf_arena *arena, const rf_unit *unit,
                         const rf_func *func, const rf_stmt *block,
                         unsigned first, unsigned last);

/* The same for blocks that are to be compared: a trace shares values, loops
 * and reductions with "beside" (those come first), or begins anew (NULL).
 * Recurrences in memory are kept (FOLD) instead of refused, and indices are
 * numbers: arithmetic in them is taken not to wrap. */
rf_trace *rf_trace_beside(rf_arena *arena, const rf_unit *unit,
                          const rf_func *func, const rf_stmt *block,
                          unsigned first, unsigned last,
                          const rf_trace *beside);

/* Make "proto" a reduction of "trace", or find it; returns its RESULT for
 * its own outer and free indices. */
const rf_val *rf_trace_red(rf_trace *trace, const rf_red *proto);

/* The value of "e" (or its truth) where the block begins, or NULL if it cannot
 * be modelled. */
const rf_val *rf_trace_expr(rf_trace *trace, const rf_expr *e, bool as_truth);

/* The pointer that "v" is an offset of, through the declarations of the
 * function: an ENTRY of a parameter, array or global; else "v" itself. */
const rf_val *rf_trace_root(rf_trace *trace, const rf_val *v);

void rf_trace_dump(rf_buf *out, const rf_trace *trace);

#endif
