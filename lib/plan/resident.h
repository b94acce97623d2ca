/* The resident schedule (THEORY 5): a team reads its row once and keeps it in
 * registers, each thread the elements that are dealt to it. The passes of the
 * source follow on the chip, an all-reduce of the team after each, and what
 * the source stores for every element is made from the kept row.
 *
 * No algebra is needed, so cascades that do not merge may have it; rounding is
 * the source's but for the order of the sums. The row must have a bound:
 *
 *     slots = the most elements of a row / threads of the team */
#ifndef RF_PLAN_RESIDENT_H
#define RF_PLAN_RESIDENT_H

#include "plan/plan.h"

/* An element of the row, as the source loads it. */
typedef struct {
    const rf_val *load;
    rf_var *var; /* where a thread keeps it, once emitted */
} rf_kept_load;

typedef struct rf_resident {
    int64_t extent; /* the most elements of a row */
    unsigned words; /* registers an element */
    size_t n;
    rf_kept_load *kept;
    /* Of the widened plan. */
    unsigned slots;         /* elements a thread keeps */
    const rf_loop *loop;    /* over them */
    rf_var *count;          /* their number where it depends on the device */
    const char *count_text; /* what it is, in CUDA */
    const rf_val *first;    /* of the axis, before it was dealt */
    const rf_val *offset;   /* the element in a slot, counted from "first" */
    const rf_val *length;   /* of the row */
} rf_resident;

/* The threads that fold a row. */
typedef struct {
    unsigned lanes, threads, cluster;
} rf_team_size;

/* The team that "mark" asks for in the kernel "f" when its threads keep "words"
 * words of a row (0: none). NULL, or why there is none. */
const char *rf_team_size_for(const rf_mark *mark, const rf_func *f,
                             int64_t words, rf_team_size *out);
/* The elements that each thread of a team of this size keeps; 0: too many. */
unsigned rf_resident_slots(const rf_resident *r, const rf_team_size *size);

#endif
