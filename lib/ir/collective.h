/* Collectives by what they compute.
 *
 * The statements between the loops of a team (barriers, shuffles, trees in
 * shared memory, helpers) are executed for all lanes of a block at once, for
 * every size that the block may have. Numbers are numbers; what a lane brings
 * with it stays a symbol; sums and maxima of symbols are sets of lanes:
 *
 *     lane t of v                  { t }
 *     a (+) b                      A u B, A n B empty unless (+) is idempotent
 *     a full set in lane t         the result of the team in lane t
 *
 * so that a halving tree, a shuffle loop and a serial finish by one thread all
 * become  RESULT(red over the axis, for the team), and a wrong one is refused
 * with the lane and the block size for which it fails. */
#ifndef RF_IR_COLLECTIVE_H
#define RF_IR_COLLECTIVE_H

#include "ir/tracing.h"

/* True if "s" is to be executed for all lanes at once: it synchronises lanes,
 * moves values between them or writes shared memory outside a loop of the
 * thread. */
bool rf_team_owns(rf_tracer *, const rf_stmt *s);
void rf_team_execute(rf_tracer *, const rf_stmt *s);
/* The value of the return statement "s", which rf_team_owns. */
const rf_val *rf_team_eval(rf_tracer *, const rf_stmt *s);

/* True if "s" assigns to shared memory. */
bool rf_team_writes_shared(rf_tracer *, const rf_stmt *s);

/* The value of base[index] in shared "var" here, or NULL: memory of the usual
 * kind. */
const rf_val *rf_team_load(rf_tracer *, rf_var *var, const rf_val *base,
                           const rf_val *index, const rf_type *type,
                           rf_range at);
/* "v" as it is for the lanes that reach this point; "v" itself where they
 * hold different things. */
const rf_val *rf_team_read(rf_tracer *, const rf_val *v);
/* The same for "v" in "var", where a loop uses it. */
const rf_val *rf_team_read_var(rf_tracer *, rf_var *var, const rf_val *v);

/* True if "call" asks a group for its rank (*rank = 1) or size (0). */
bool rf_group_query(const rf_expr *call, int *rank);
/* The value of group.thread_rank(), group.size(); NULL: "call" is neither. */
const rf_val *rf_team_query(rf_tracer *, const rf_expr *call);

/* The variables of the environment become those of the team where they can. */
void rf_team_settle(rf_tracer *);

/* Record the team in the trace; free what the execution needed. "first" is the
 * first traced statement of the block. */
void rf_team_end(rf_tracer *, unsigned first);

/* True if "s" holds a barrier, a shuffle or a collective of a library,
 * directly or through the helpers that it calls. */
bool rf_stmt_is_collective(const rf_stmt *s);

/* ---- sizes ---- */

enum { RF_WARP = 32, RF_LARGEST_BLOCK = 1024 };

/* A block of "threads" threads, "x" in a row. */
typedef struct {
    unsigned x, threads;
} rf_shape;
typedef RF_ARRAY(rf_shape) rf_shapes;

/* The shapes that a block of "func" may have: those of visible launches and of
 * assume(blockDim.x == n), else whole warps up to the launch bound. */
typedef struct {
    rf_shapes whole;
    rf_shapes partial; /* no number of warps, to be tried as well */
    bool assumed;      /* the code may admit fewer */
    bool launched;     /* launches say so: y is known too */
    bool followed;     /* false: a launch of a shape that is not followed */
} rf_blocks;
rf_blocks rf_blocks_of(const rf_unit *unit, const rf_func *func);
/* The value of the template parameter "name" of "func" in all launches with
 * blocks of this shape; false: they differ, or there is no such parameter. */
bool rf_launched_value(const rf_unit *unit, const rf_func *func,
                       const char *name, rf_shape shape, int64_t *value);

#endif
