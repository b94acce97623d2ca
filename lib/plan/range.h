/* Intervals of values in the type that C computes them in: what may overflow,
 * vanish or not be a number although the real model says nothing of it. */
#ifndef RF_PLAN_RANGE_H
#define RF_PLAN_RANGE_H

#include "plan/derive.h"

/* All values that "v" takes lie in [lo, hi], or are not a number. */
typedef struct {
    double lo, hi; /* infinite: it may be */
    bool nan;
} rf_interval;

/* Which numbers the program reads. */
typedef enum {
    RF_READS_FINITE, /* no infinities and NaNs */
    RF_READS_ALL
} rf_reads;

/* The interval of "v"; results are those of the source after one step or more.
 */
rf_interval rf_range_of(rf_deriver *d, const rf_val *v, rf_reads reads);
/* The largest finite number of type "t"; infinite if that is not known. */
double rf_range_most(const rf_type *t);
/* The most iterations that a loop makes. */
double rf_range_trips(const rf_loop *loop);

#endif
