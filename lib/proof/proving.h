/* Inside proof/: the state of one proof. */
#ifndef RF_PROOF_PROVING_H
#define RF_PROOF_PROVING_H

#include "ir/sym.h"
#include "ir/val.h"
#include "plan/planning.h"
#include "plan/real.h"
#include "proof/proof.h"

/* Statements block->list[first..last] of func. */
typedef struct {
    const rf_unit *unit;
    const rf_func *func;
    const rf_stmt *block;
    unsigned first, last;
    rf_range at;
} rf_span;

/* An accumulator of the emitted code. */
typedef struct {
    const rf_update *update;
    const rf_red *red;
    const rf_loop *loop; /* the fused axis */
    const char *name;
    const rf_val *guard; /* NULL: every iteration updates it */
    const rf_val *next;  /* the update under "guard" */
    bool is_flag;        /* becomes "next", a constant, in the first update */
    bool is_source;      /* is the very reduction of the source */
    bool is_same;        /* the source's own recurrence, step for step */
    bool is_done;
    const rf_sym *final, *old, *new; /* atoms D, D_old, D' */
    rf_var *old_var, *new_var;
    const rf_sym *moved; /* D' as a function of old values and x */
    const rf_sym *lift;  /* t(x, D) */
    const rf_sym *ratio; /* R(D_old, D'), NULL: identity */
    bool is_moment;      /* no factor takes it along: see moments.c */
    const rf_sym *step;  /* the update over old and new atoms */
    const rf_sym *of_moments;
    const rf_val *holds; /* the source value that it carries */
} rf_accumulator;

/* Update "source" of the author's code is done by "emitted". */
typedef struct {
    const rf_update *source, *emitted;
} rf_counterpart;

/* How the axis runs: at least one element contributes, or none. */
typedef enum { RF_SCENE_FULL, RF_SCENE_EMPTY } rf_scene;

/* Memory that the emitted kernel touches outside its statements. */
typedef struct {
    const rf_var *of; /* NULL: not known */
    bool is_store;    /* by one lane of the team */
    bool by_leader;   /* a load of that lane alone */
    bool is_after;    /* the statements */
} rf_outside;

/* Objects that have no element in common. */
typedef struct {
    const rf_val *a, *b;
} rf_two_roots;

typedef struct {
    rf_arena *arena;
    const rf_proof_task *task;
    rf_proof *proof;
    rf_span source, emitted;
    rf_trace *trace; /* both: the source's lists first, then the emitted's */
    size_t n_stores, n_loads, n_updates, n_finals; /* of the source */
    unsigned n_reds;                               /* of the source */
    const rf_team *team;                           /* of both, or NULL */
    const rf_trace *lanes; /* has merges; NULL: there is no team */
    bool is_widened;       /* one thread's rows are folded by a team */
    bool has_other_row;    /* ... and the row is not blockIdx.x */
    RF_ARRAY(rf_outside) outside;
    RF_ARRAY(const rf_var *) slots; /* arrays that hold a row: see slots.c */
    const rf_expr *condition; /* of the fused version, or NULL: the only one */
    RF_ARRAY(rf_two_roots) apart; /* where it holds */
    size_t n_own;
    rf_var *const *own; /* what the emitted statements declare on top */
    rf_syms *syms;
    rf_reals *reals;
    struct rf_algebra *alg;
    RF_ARRAY(rf_accumulator) acc;
    RF_ARRAY(rf_counterpart) counterparts;
    rf_scene scene;
    bool stopped; /* an obligation failed */
} rf_prover;

/* proof.c: record obligations. */
void rf_oblige(rf_prover *p, const char *equation, rf_range at,
               rf_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* a = b under "n" hypotheses, decided by algebra/. True if proven. */
bool rf_oblige_equal(rf_prover *p, const char *equation, rf_range at,
                     const rf_sym *a, const rf_sym *b, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* words.c: "v", or "e", as people read it; lives in the arena. */
const char *rf_words(rf_prover *p, const rf_val *v);
const char *rf_words_of(rf_prover *p, const rf_sym *e);

/* Where the source updates the variable "name" last, or another one, or its
 * mark. */
rf_range rf_source_place(const rf_prover *p, const char *name);
/* team.c: both programs have the same team and run with the same blocks. From
 * here on updates end with what the team makes of them. */
bool rf_match_teams(rf_prover *p, rf_trace *source, rf_trace *emitted);
/* Is "team" what the lanes together make of their parts "lane"? */
bool rf_is_for_team(const rf_red *lane, const rf_red *team);
/* Does "block" stand in a loop of "s"? */
bool rf_stands_in_loop(const rf_stmt *s, const rf_stmt *block);

/* share.c: the shares of the lanes of "emitted" are the axis; from here on it
 * is the trace of one thread. */
void rf_share_axis(rf_prover *p, rf_trace *emitted);
/* a op b of integers; false: it has no value. */
bool rf_lane_compute(rf_op op, int64_t a, int64_t b, int64_t *n);
/* around.c: the kernel around the statements is the source's, with a team of
 * "team" for each thread. */
void rf_match_around(rf_prover *p, const rf_team *team);

/* launch.c: the launches have a team for each thread of the source's. */
void rf_prove_launches(rf_prover *p, const rf_team *team);
/* Does every launch of "kernel", of which there is one, have one block? */
bool rf_has_one_block(const rf_unit *unit, const char *kernel);

/* T-3 and T-6 for two states. */
void rf_prove_merges(rf_prover *p);

/* readback.c */
bool rf_read_back(rf_prover *p, rf_unit **emitted);
bool rf_find_span(rf_span *span, const rf_unit *unit, const rf_func *func,
                  rf_range at);
/* Make the emitted code name the source's variables. */
bool rf_share_variables(rf_prover *p);

/* domain.c (isl): loops with the same counters become one loop. */
void rf_unify_domains(rf_prover *p);
/* Loads of "trace" that see a store of a loop over another range are what was
 * stored there. */
void rf_forward_stores(rf_prover *p, rf_trace *trace);
/* Whether "condition" holds: 1 yes, 0 no, -1 unknown; "loop" runs or not. */
int rf_condition_holds(rf_prover *p, const rf_val *condition,
                       const rf_loop *loop, bool loop_runs);
/* Emitted code stops (`if (...) __trap();`) only where an assumption of the
 * author is wrong. */
void rf_prove_stops(rf_prover *p);
/* Does "condition" hold wherever the emitted code has not stopped, whatever the
 * author assumed? */
bool rf_holds_unless_stopped(rf_prover *p, const rf_val *condition);
/* True if "loop" runs for all parameter values. */
bool rf_axis_runs(rf_prover *p, const rf_loop *loop);
/* What the author assumes about signs holds for p->reals from now on. */
void rf_take_assumptions(rf_prover *p);
/* The constant with which a local variable comes in, or "v" itself. */
const rf_val *rf_entry_value(rf_prover *p, const rf_val *v);
/* "v" with constants replaced by what they were declared as. */
const rf_val *rf_declared_value(rf_prover *p, const rf_val *v);
bool rf_may_overlap(rf_prover *p, const rf_val *base_a, const rf_val *base_b);
/* Whether stores "a" and "b" to one object may write one element: never, in
 * corresponding iterations only, or anywhere. */
typedef enum { RF_MEET_NEVER, RF_MEET_IN_STEP, RF_MEET_ANYWHERE } rf_meeting;
rf_meeting rf_stores_meet(rf_prover *p, const rf_store *a, const rf_store *b);

/* What holds where the author's statements begin; the caller frees it. */
struct rf_depend *rf_source_facts(rf_prover *p);
/* A planner for the source's statements with "plan". */
rf_planner rf_planner_of(const rf_prover *p, rf_plan *plan);

/* overlap.c: the emitted statements are the first of two versions, of which
 * the second is the author's text. */
bool rf_open_versions(rf_prover *p);
/* Which objects the condition of the first version keeps apart. */
void rf_prove_versions(rf_prover *p);

/* index.c: the integer "v" as a polynomial in one fixed form. */
const rf_val *rf_index_form(rf_vals *vals, const rf_val *v);

/* scene.c: "v" where elements are finite and the axis is full or empty. */
const rf_val *rf_in_scene(rf_prover *p, const rf_val *v);

/* monotone.c */
typedef enum { RF_CONSTANT, RF_RISES, RF_FALLS, RF_NO_TREND } rf_trend;
/* How "e" changes with the atom "x", for all values of its other atoms. */
rf_trend rf_trend_of(rf_prover *p, const rf_sym *e, const rf_sym *x);

/* step.c: what each accumulator holds, by induction. */
void rf_list_accumulators(rf_prover *p);
/* recur.c: recurrences that the source has too. */
void rf_match_recurrences(rf_prover *p);
void rf_prove_steps(rf_prover *p);
/* moments.c: T-9, for what prove_steps left. */
void rf_prove_moments(rf_prover *p);

/* The last value of base[index], merged over all stores to it. */
typedef struct {
    const rf_store *last;
    const rf_val *value, *guard;
    bool is_matched;
} rf_cell;
typedef RF_ARRAY(rf_cell) rf_cells;

/* finish.c: source reductions, stores and live scalars. */
void rf_match_reductions(rf_prover *p);
void rf_prove_effects(rf_prover *p);
/* The visible stores of both programs, one entry for each element. */
void rf_list_cells(rf_prover *p, rf_cells *source, rf_cells *emitted);
bool rf_same_nest(rf_vals *vals, const rf_store *a, const rf_store *b);
const char *rf_base_name(rf_prover *p, const rf_val *base);
const char *rf_store_name(rf_prover *p, const rf_store *s);
/* May the variable "var" of the source be read after the span? */
bool rf_is_live(const rf_prover *p, const rf_var *var);
/* The emitted value of source variable "var": the last one of that name, or,
 * when it is declared around both, of that variable; NULL: there is none. */
const rf_val *rf_emitted_final(const rf_prover *p, const rf_var *var);
/* Does an emitted store or a live scalar mention "part"? */
bool rf_is_needed(const rf_prover *p, const rf_val *part);

/* order.c: loads and stores that may meet. */
void rf_prove_order(rf_prover *p);

/* bounds.c: elements that local arrays have (D7). */
void rf_prove_bounds(rf_prover *p);

/* edge.c: T-7. */
void rf_prove_edges(rf_prover *p);

#endif
