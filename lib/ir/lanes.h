/* Inside the execution of collectives: values of lanes, worlds, shared
 * memory. Private to lib/ir. */
#ifndef RF_IR_LANES_H
#define RF_IR_LANES_H

#include "ir/collective.h"

/* ---- values ---- */

typedef enum {
    RF_LANE_UNDEF, /* why */
    RF_LANE_NUM,   /* num */
    RF_LANE_SAME,  /* val, one expression for all lanes */
    RF_LANE_OWN,   /* val as lane "lane" holds it */
    RF_LANE_SET,   /* set */
    RF_LANE_PLACE, /* a pointer into shared memory */
    RF_LANE_ORDER, /* a comparison of two values that are no numbers */
    RF_LANE_TERM,  /* an operation on what several lanes hold (proofs) */
    RF_LANE_MIXED  /* defined, but of no use: why */
} rf_lane_kind;

/* (+) over lanes of "source", and "extra" if not NULL. */
typedef struct {
    rf_reduce_op op;
    const rf_val *source, *extra;
    unsigned n; /* lanes */
    bool twice; /* some lane counts more than once */
    uint64_t bits[RF_LARGEST_BLOCK / 64];
} rf_lane_set;

typedef struct {
    rf_var *var;
    const rf_type *type; /* of what it points to */
    int64_t at;          /* in scalars from the begin of "var" */
} rf_lane_place;

typedef struct rf_lane_order rf_lane_order;
typedef struct rf_lane_term rf_lane_term;

typedef struct {
    rf_lane_kind kind;
    uint32_t lane;
    union {
        int64_t num;
        const rf_val *val;
        const rf_lane_set *set;
        const rf_lane_place *place;
        const rf_lane_order *order;
        const rf_lane_term *term;
        const char *why;
    };
} rf_lane;

struct rf_lane_order {
    rf_op op; /* LT, LE, GT, GE */
    rf_lane a, b;
};

struct rf_lane_term {
    rf_op op; /* CALL, CAST, SELECT, an operator */
    const rf_type *type;
    const rf_expr *call;
    unsigned size; /* nodes, as a tree */
    unsigned n;
    rf_lane arg[3];
};

/* ---- shared memory ---- */

typedef struct {
    rf_lane value;
    bool written;
    unsigned write_epoch, write_warp_epoch, writer;
    unsigned first_epoch, first_writer;
    bool is_atomic; /* the writes of this epoch are atomic */
    unsigned read_epoch, read_warp_epoch, reader;
    bool many_readers, many_warps;
    unsigned write_gather, read_gather; /* the last ones */
} rf_slot_state;

typedef struct {
    rf_var *var;
    RF_ARRAY(rf_slot_state) slots;
} rf_shared;

/* ---- a world: one block size ---- */

typedef struct {
    rf_var *var;
    rf_lane *lanes;
    bool assigned;
    rf_range at;
} rf_lane_var;

typedef struct {
    rf_lane a, b, r;
    int op;
} rf_lane_memo;

enum { RF_MEMO = 512 };

typedef struct {
    unsigned size;
    unsigned x;    /* threads in a row of the block */
    bool optional; /* not a number of warps: may fail without harm */
    bool failed;
    rf_arena *arena;
    RF_ARRAY(rf_shared) shared;
    RF_ARRAY(rf_lane_var) vars; /* while a statement runs */
    unsigned epoch;             /* barriers passed, plus one */
    unsigned gathered; /* values of all threads that thread 0 has waited for */
    unsigned warp_epoch[RF_LARGEST_BLOCK / RF_WARP];
    unsigned barriers;
    unsigned shuffles;
    rf_lane_memo memo[RF_MEMO];
} rf_world;

/* Lanes hold different things in a variable: a marker stands for them. */
typedef struct {
    const rf_val *marker;
    rf_lane **lanes;   /* by world */
    const char *blame; /* why it is not one value */
    rf_diag_name blame_name;
} rf_marked;

typedef struct rf_team_run {
    rf_tracer *tr;
    rf_team *team;
    const rf_team *of_results; /* what team reductions name */
    bool width_known;
    bool is_tentative;  /* a value is looked at, not used: decide nothing */
    bool y_known;       /* launches say how many rows a block has */
    bool sizes_assumed; /* all numbers of warps: the code may admit fewer */
    RF_ARRAY(rf_world *) worlds;
    RF_ARRAY(rf_marked) marked;
    RF_ARRAY(signed char) varies; /* by value id: 0 unknown, 1 no, 2 yes */
    rf_world *w;                  /* the one that runs */
    size_t index;                 /* of "w" */
    unsigned depth, steps;
    RF_ARRAY(const rf_var *) assumed; /* uniform, while that is checked */
    /* The first reason why the value in question is not the team's. */
    rf_diag_name blame_name;
    const char *blame;
} rf_team_run;

/* The statement cannot be executed in this world: it stops there. */
void rf_lane_fail(rf_team_run *, rf_diag_name name, rf_range at,
                  const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The code does not admit this block size: the world ends, unless it is the
 * last one or the size is known to occur. */
void rf_lane_drop(rf_team_run *, rf_diag_name name, rf_range at,
                  const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void rf_lane_blame(rf_team_run *, rf_diag_name name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* lane_value.c */
rf_lane rf_lane_num(int64_t value);
rf_lane rf_lane_undef(const char *why);
rf_lane rf_lane_mixed(const char *why);
bool rf_lane_equal(rf_lane a, rf_lane b);
/* a op b, as the lane "t" computes it. */
rf_lane rf_lane_binary(rf_team_run *, unsigned t, rf_op op, const rf_type *type,
                       rf_lane a, rf_lane b);
rf_lane rf_lane_unary(rf_team_run *, unsigned t, rf_op op, const rf_type *type,
                      rf_lane a);
/* a (+) b; false if it is no union of contributions. */
bool rf_lane_combine(rf_team_run *, rf_reduce_op op, rf_lane a, rf_lane b,
                     rf_lane *out);
rf_lane rf_lane_cast(rf_team_run *, unsigned t, const rf_type *type, rf_lane a);
rf_lane rf_lane_select(rf_team_run *, unsigned t, rf_lane c, rf_lane a,
                       rf_lane b);
rf_lane rf_lane_call(rf_team_run *, unsigned t, const rf_expr *e,
                     const rf_lane *args);
/* "a" as a value of lane "t"; NULL: it is none. "own": it varies by lane. */
const rf_val *rf_lane_to_val(rf_team_run *, unsigned t, rf_lane a, bool *own);

/* lane_term.c: states that a step rescales, merged by emitted code. */
/* True if "a" is to stay an operation on lanes: what is emitted is proven, and
 * it holds more than lane "t" makes of its own part. */
bool rf_lane_is_open(const rf_team_run *, unsigned t, rf_lane a);
rf_lane rf_lane_term_new(rf_team_run *, rf_op op, const rf_type *type,
                         const rf_expr *call, unsigned n, const rf_lane *args);
bool rf_lane_term_equal(const rf_lane_term *a, const rf_lane_term *b);
/* The same as a value of lane "t", where all parts are; NULL: they are not. */
const rf_val *rf_lane_term_val(rf_team_run *, unsigned t,
                               const rf_lane_term *term, bool *own);
/* True if "sum", an addition, joins the states of two sets of lanes: the trace
 * then lists the claim that it is the state of both. */
bool rf_lane_merge(rf_team_run *, const rf_lane_term *sum, rf_lane *out);

/* lane_import.c: values of the trace as values of lanes. */
bool rf_lane_varies(rf_team_run *, const rf_val *v);
/* What launches of this block give the template parameter "name". */
bool rf_lane_template_value(rf_team_run *r, const char *name, int64_t *n);
/* True if all lanes of a team hold the same "v" though lanes of different teams
 * may not. */
bool rf_lane_is_shared(rf_team_run *, const rf_val *v);
/* True if the lanes of each aligned group of "width" (0: the block) hold the
 * same "v" in every world. */
bool rf_lane_is_uniform(rf_team_run *, const rf_val *v, unsigned width);
rf_lane rf_lane_of(rf_team_run *, unsigned t, const rf_val *v);
/* False only if lane "t" does not get here. */
bool rf_lane_is_active(rf_team_run *, unsigned t);
/* The same; "known": whether lane "t" gets here is known. */
bool rf_lane_is_here(rf_team_run *, unsigned t, bool *known);

/* lane_team.c: complete sets. */
/* The team whose lanes "set" holds, seen from lane "t": its result, or NULL. */
const rf_val *rf_lane_result(rf_team_run *, unsigned t, const rf_lane_set *set,
                             bool *own);
/* One value of the trace for all (active) lanes and worlds, or NULL. */
const rf_val *rf_lane_export(rf_team_run *, rf_lane *const *lanes,
                             bool all_lanes);

/* lane_uniform.c: refuse guards and early exits around the traced statements,
 * from "first" on, in which the threads of a team may differ. */
/* True if all assignments in the function give "var" the same value in the
 * lanes of each group. */
bool rf_var_is_uniform(rf_team_run *, const rf_var *var, unsigned width);
void rf_lane_check_uniform(rf_team_run *, unsigned first);

/* lane_memory.c */
rf_lane rf_lane_load(rf_team_run *, unsigned t, const rf_lane_place *place,
                     rf_range at);
void rf_lane_store(rf_team_run *, unsigned t, const rf_lane_place *place,
                   rf_lane value, rf_range at);
void rf_lane_atomic(rf_team_run *, unsigned t, const rf_lane_place *place,
                    rf_reduce_op op, rf_lane value, rf_range at);
rf_shared *rf_lane_shared(rf_world *, rf_var *var, bool make);
/* Where "p"[i] is. */
rf_lane rf_lane_element(rf_team_run *, rf_lane p, rf_lane i);

/* lane_run.c */
typedef struct rf_lane_loop {
    struct rf_lane_loop *outer;
    unsigned char *broke, *continued;
} rf_lane_loop;

typedef struct rf_lane_call_frame {
    struct rf_lane_call_frame *outer;
    unsigned char *returned;
    rf_lane *value;
    rf_lane_loop *loop;
} rf_lane_frame;

/* Who executes: lanes with mask[t] != 0; "when": under this unknown condition
 * (negated if "unless"), or NULL. */
typedef struct {
    unsigned char *mask;
    const rf_lane *when;
    bool unless;
    rf_lane_frame *frame;
} rf_lanes;

void rf_lanes_run(rf_team_run *, rf_lanes *, const rf_stmt *s);
rf_lane *rf_lanes_eval(rf_team_run *, rf_lanes *, const rf_expr *e);
rf_lane *rf_lanes_new(rf_team_run *);
/* The variable "var" of this world, imported where it is not known yet. */
rf_lane_var *rf_lanes_var(rf_team_run *, rf_var *var);

/* lane_sync.c: barriers, shuffles, collectives of libraries. */
typedef enum {
    RF_SYNC_NONE,
    RF_SYNC_BARRIER,
    RF_SYNC_WARP,
    RF_SYNC_FENCE,
    RF_SYNC_ACTIVE,
    RF_SYNC_SHUFFLE,
    RF_SYNC_REDUCE,
    RF_SYNC_VOTE,
    RF_SYNC_ATOMIC,
    RF_SYNC_CUB,
    RF_SYNC_GROUP /* a method or function of cooperative groups */
} rf_sync;

rf_sync rf_sync_of(const rf_expr *call);

rf_lane *rf_lanes_sync(rf_team_run *, rf_lanes *, const rf_expr *call);

#endif
