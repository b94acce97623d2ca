/* Dependence: what indices and loops have in common, for all parameter
 * values (T-D1 to T-D4). Every question is answered yes, no or maybe by exact
 * integer sets; "maybe" is the answer whenever a step cannot be proven.
 *
 * What is taken for granted: signed arithmetic does not overflow and the
 * program has no undefined behaviour; loops end; an index of 64 bits that is
 * a product of sizes does not wrap (no object is that large). Unsigned
 * arithmetic of up to 32 bits wraps, and a counter that may wrap is never
 * proven to visit its values once. */
#ifndef RF_DEPEND_DEPEND_H
#define RF_DEPEND_DEPEND_H

#include "ir/val.h"

typedef struct rf_depend rf_depend;

typedef enum { RF_NO, RF_MAYBE, RF_YES } rf_answer;

/* Counters for which something happens: all iterations of "loops", outermost
 * first, in which "guard" holds (NULL: always). Loops further out are not
 * listed: their counters are parameters, the same on both sides. */
typedef struct {
    unsigned n;
    const rf_loop *const *loops;
    const rf_val *guard;
} rf_nest;

/* base[index] in every iteration of "nest". */
typedef struct {
    rf_nest nest;
    const rf_val *base, *index;
} rf_access;

/* Make an empty set of facts; texts of witnesses live in "arena". */
rf_depend *rf_depend_new(rf_arena *arena);
void rf_depend_free(rf_depend *depend);

/* From now on "condition" holds: a guard around the region, a predicate that
 * the author assumes. What it says beyond linear integer arithmetic is not
 * used. */
void rf_depend_fact(rf_depend *depend, const rf_val *condition);
/* From now on "loop" is inside one iteration: its counter is a parameter in
 * its range. */
void rf_depend_enter(rf_depend *depend, const rf_loop *loop);
/* Forget the facts and loops since the matching mark. */
size_t rf_depend_mark(const rf_depend *depend);
void rf_depend_reset(rf_depend *depend, size_t mark);
/* The author vouches that unsigned arithmetic does not wrap. */
void rf_depend_assume_no_wrap(rf_depend *depend);

/* In the functions below "why", unless NULL, receives values for which the
 * claim fails or could not be proven ("n = 0, j = 1"), or NULL. */

/* ---- conditions and loops ---- */

/* Does "condition" hold (for all parameter values)? */
rf_answer rf_depend_holds(rf_depend *depend, const rf_val *condition,
                          const char **why);
/* Does "loop" run at least once? */
rf_answer rf_loop_nonempty(rf_depend *depend, const rf_loop *loop,
                           const char **why);
/* Is "v" the same in all iterations of "loop"? */
rf_answer rf_loop_invariant(rf_depend *depend, const rf_val *v,
                            const rf_loop *loop);

/* How the counters of loop b relate to those of loop a. */
typedef enum {
    RF_AXIS_SAME,     /* the same set */
    RF_AXIS_SHIFTED,  /* the same set plus "shift" */
    RF_AXIS_SUFFIX,   /* b lacks counters at the low end of a */
    RF_AXIS_PREFIX,   /* b lacks counters at the high end of a */
    RF_AXIS_SUBSET,   /* b lacks other counters of a */
    RF_AXIS_DISJOINT, /* no counter in common */
    RF_AXIS_OTHER     /* none of these could be proven */
} rf_axis_relation;

typedef struct {
    rf_answer same_set;   /* the same counters, in whatever order */
    rf_answer same_order; /* and visited in the same order */
    rf_axis_relation relation;
    int64_t shift;
    unsigned missing; /* SUFFIX, PREFIX: at most so many; 0: any number */
    const char *why;  /* for same_set */
} rf_axis_match;

rf_axis_match rf_loop_compare(rf_depend *depend, const rf_loop *a,
                              const rf_loop *b);

/* ---- elements ---- */

typedef enum {
    RF_INDEX_NEVER,  /* no element in common */
    RF_INDEX_SAME,   /* the same element exactly in corresponding iterations */
    RF_INDEX_ALWAYS, /* one and the same element in all iterations */
    RF_INDEX_MAYBE
} rf_index_relation;

/* Compare the elements of "a" and "b", whose bases have one root. Iterations
 * correspond if the counters of the first min(a.nest.n, b.nest.n) loops are
 * equal. */
rf_index_relation rf_access_compare(rf_depend *depend, const rf_access *a,
                                    const rf_access *b, const char **why);
/* Do different iterations of its nest use different elements? */
rf_answer rf_access_injective(rf_depend *depend, const rf_access *a,
                              const char **why);
/* Is every element of "load" an element of "store", whose bases have one
 * root? */
rf_answer rf_access_covers(rf_depend *depend, const rf_access *store,
                           const rf_access *load, const char **why);

/* ---- pointers ---- */

/* Strip casts and offsets from the pointer "base": an ENTRY, or whatever else
 * the address comes from. */
const rf_val *rf_base_root(const rf_val *base);
/* May objects reached through two roots overlap? YES: they are one object.
 * "noalias": the author vouches for distinct pointers. */
rf_answer rf_base_overlap(const rf_val *root_a, const rf_val *root_b,
                          bool noalias);

#endif
