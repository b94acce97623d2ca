/* The error bounds of a plan as text, for people and for JSON. */
#ifndef RF_PLAN_BOUNDS_H
#define RF_PLAN_BOUNDS_H

#include "plan/plan.h"

typedef struct rf_told_bound {
    const char *name; /* the result */
    rf_rounding_class rounding;
    unsigned bits;                          /* 0: no more is known */
    const char *term;                       /* F, or NULL */
    const char *source, *fused;             /* counts: "4*n + range" */
    const char *source_scale, *fused_scale; /* "exp(x[i] - m)", or NULL */
    bool has_range;
    bool is_within_four;
} rf_told_bound;
typedef RF_ARRAY(rf_told_bound) rf_told_bounds;

/* Append the bounds of the results of "plan"; texts live in "arena". */
void rf_plan_bounds(rf_arena *arena, const rf_plan *plan, rf_told_bounds *out);
/* Append them in Markdown. */
void rf_plan_tell_bounds(rf_buf *out, const rf_plan *plan);

#endif
