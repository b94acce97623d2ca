/* From a marked region to a plan: which block is a cascade, what each of its
 * reductions carries, and in how many passes over the axis.
 *
 *     members    the reductions over one axis, each with its pass
 *     state      = (state * ratio) (+) term      every step        (T-6)
 *     result     = later(state)                  after the pass    (T-7)
 *     stores     what stays visible, after the passes it depends on
 *
 * A plan is about values (ir/val.h); emit/ writes it as code. */
#ifndef RF_PLAN_PLAN_H
#define RF_PLAN_PLAN_H

#include "algebra/rounding.h"
#include "ir/val.h"

/* What rounding does to a result (THEORY 8): the computed value differs from
 * the exact one by gamma(count) * SUM scale at most, over the elements, where
 * gamma(k) = k*u/(1 - k*u) and u = 2^-bits. Counts are formulas in n, the
 * number of elements, and "range", the largest |argument| of an exponential.
 * In scales, size_of_d is the sum of |terms| of the result d. */
typedef struct {
    rf_rounding_class rounding;
    unsigned bits;                     /* 0: what follows is not known */
    const char *source, *fused;        /* counts */
    const rf_val *scale, *fused_scale; /* NULL: there is no way to write it */
    bool has_range;
    bool is_within_four; /* the fused bound is at most 4 times the source's */
} rf_error_bound;

/* A reduction of the cascade. */
typedef struct rf_member {
    const rf_red *red;
    unsigned pass;      /* 0: the first loop over the axis */
    bool depends;       /* its term uses another result of the axis */
    const rf_val *term; /* what a step adds; results are running values */
    const rf_val *guard;
    const rf_val *init;  /* the state before the first step */
    const rf_val *ratio; /* factor when the shift moves, over RESULT values
                          * (new) and "old" entries; NULL: none */
    const rf_val *later; /* result over "state" entry and RESULT values; NULL:
                          * the state is the result */
    const rf_val *init_later; /* joins the result after "later"; NULL: none */
    bool later_needs_steps;   /* later(init) is not init: skip it when no step
                               * contributed */
    unsigned n_shifts;
    struct rf_member **shifts; /* members that "ratio" is about */
    bool is_shift;             /* another member's ratio is about it */
    const struct rf_sym *atom; /* the result in the algebra, while planning */
    rf_var *state_var;         /* stands for the state in "later" */
    rf_var *old_var;           /* stands for the value before the step */
    /* The shift may still be infinite when a term is added: terms of this
     * value contribute nothing then (T-7: never -inf - -inf). */
    const rf_val *dead_when; /* the shifted value, or NULL */
    bool dead_at_plus;       /* it is dead at +inf (a minimum) */
    /* For people: F = g (times) h, NULL where F does not separate or there is
     * no way to write it; "holds": what a derived state is. */
    const rf_val *g, *h, *holds;
    const char *times;
    /* Class M (T-8): the state after a step, over the state before it, "old"
     * entries and RESULT values of members updated before; NULL: class S. */
    const rf_val *step;
    const rf_val *counted_step; /* the same over the count so far */
    bool is_derived; /* no state of its own: "later" over other states */
    /* The state of two parts (T-9): as "step", with "right" entries, those of
     * the second part, in place of an element; NULL: not known. */
    const rf_val *merge;
    rf_var *right_var;  /* stands for the state of the second part */
    const char *wish;   /* a name for a state that the author has not */
    const rf_val *sums; /* class M: the state is the sum of this; or NULL */
    const rf_error_bound *bound; /* NULL: no result of the source */
    int64_t most; /* of results, where the author bounds their number; 0 */
} rf_member;

/* What is in the way of a pass less, and the clause that says it is not. */
typedef struct {
    const char *reason,
        *clause; /* "...; assume(finite) unblocks this", "finite"
                  */
    rf_range at;
} rf_missed;

/* A type that a template leaves open must be a floating-point type or, with
 * "holds", hold all values of that type. */
typedef struct {
    const rf_type *type, *holds;
} rf_need;

/* Why an object that is written and another one, whose accesses change their
 * order, have no element in common (D4). */
typedef enum {
    RF_APART_OBJECTS,  /* they are different objects */
    RF_APART_RESTRICT, /* one of them is __restrict__ */
    RF_APART_ASSUMED,  /* assume(noalias) */
    RF_APART_TESTED    /* the emitted code asks, and else runs the source */
} rf_apart_why;

typedef struct {
    const rf_val *a, *b; /* roots; "b" is written */
    rf_apart_why why;
    rf_range load, store; /* a first clash */
} rf_apart;

/* The name of the object that "root" is. */
const char *rf_plan_object_name(const rf_val *root);
/* Why two objects are apart, as in "... do not overlap: %s". */
const char *rf_apart_words(rf_apart_why why);

/* Elements base[low] to base[high - 1], low + more and high + more being
 * written with a constant of their own. */
typedef struct {
    const rf_val *base, *low, *high; /* "low", "high" NULL: 0 */
    int64_t low_more, high_more;
    bool is_stored;
} rf_extent;

/* "a" and "b" must not overlap. */
typedef struct {
    rf_extent a, b;
} rf_overlap_test;

typedef struct {
    unsigned id; /* of the store in the trace */
    const rf_store *store;
    unsigned pass; /* runs after so many passes, or inside pass when equal */
    bool in_pass;  /* inside the loop of pass "pass" */
} rf_placed_store;

typedef struct {
    const rf_func *func;
    const rf_stmt *block;
    unsigned first, last; /* statements of block->list that are replaced */
    rf_trace *trace;
    const rf_loop *axis;
    RF_ARRAY(rf_member *) members; /* in the order of their updates */
    RF_ARRAY(rf_placed_store) stores;
    bool ends_with_barrier; /* others read what the team stored */
    unsigned barriers_before, barriers_after; /* of a block, when it runs */
    unsigned passes_before, passes_after;     /* over the axis, map loops too */
    unsigned n_loops;           /* fused loops among passes_after */
    const char *formula;        /* "max -> sum -> sum" */
    rf_rounding_class rounding; /* of the member that rounds most */
    RF_ARRAY(rf_missed) missed;
    RF_ARRAY(rf_need) needs;
    RF_ARRAY(rf_apart) apart;
    RF_ARRAY(rf_overlap_test) tests; /* empty: no two versions are needed */
    RF_ARRAY(const rf_val *) signs;  /* conditions under which they are right */
    const char *array; /* read most often over the axis, or NULL */
    unsigned reads_before, reads_after; /* passes that read it */
    /* Of memory traffic for each element of the axis, as formulas and as
     * numbers: the most that is known, a loop of unknown length counted once.
     */
    const char *moved_before, *moved_after;
    double bytes_before, bytes_after;
    double bytes_least; /* each place loaded once for all passes */
    /* Class M: the elements so far, and those of the second part in merges;
     * NULL: none. */
    rf_var *count_var, *count_right_var;
    int64_t extent; /* the most elements of the axis; 0: not known */
    const rf_mark *mark;
    struct rf_widening *wide;     /* a team folds a row (widen.h), or NULL */
    struct rf_resident *resident; /* the team keeps the row (resident.h) */
} rf_plan;

typedef RF_ARRAY(rf_plan *) rf_plans;

/* Find the cascades of "region" and plan their fusion. Refusals and findings
 * go to "diags" (with severity warning; NULL: nobody asks why), plans to "out"
 * in file order. */
void rf_plan_region(rf_arena *arena, const rf_unit *unit,
                    const rf_region *region, rf_plans *out, rf_diags *diags);

/* True if "v" needs no loop of the region but through results; "ready": one
 * more than the last pass whose results it uses, 0 if it uses none. */
bool rf_plan_value_ready(const rf_plan *plan, const rf_val *v, unsigned *ready);
/* True if "var" may be read in block->list[from..] before it is assigned. */
bool rf_block_needs(const rf_stmt *block, unsigned from, const rf_var *var);
/* The same of all that may run after block->list[last], anywhere in "func". */
bool rf_needed_after(const rf_func *func, const rf_stmt *block, unsigned last,
                     const rf_var *var);
/* ... after the window of "plan". */
bool rf_plan_needs(const rf_plan *plan, const rf_var *var);

/* The member whose result "v" is, or NULL. */
rf_member *rf_plan_member_of(const rf_plan *plan, const rf_val *v);

void rf_plan_dump(rf_buf *out, const rf_plan *plan);

#endif
