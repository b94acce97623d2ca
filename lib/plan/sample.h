/* The cascade of a plan on concrete numbers.
 *
 * Arrays have one element for each step of the axis; the reductions are run as
 * the source runs them, update by update. Floating point is evaluated in
 * double, with the range of the type; integers wrap as in C. */
#ifndef RF_PLAN_SAMPLE_H
#define RF_PLAN_SAMPLE_H

#include "plan/planning.h"

enum { RF_SAMPLE_ARRAYS = 3, RF_SAMPLE_PARAMS = 8, RF_SAMPLE_STEPS = 8 };

enum { RF_SAMPLE_MOST_WORK = 40000000 };

typedef struct {
    const rf_red *red;
    unsigned step;
    double value;
} rf_sample_memo;

typedef struct {
    const rf_planner *p;
    const rf_var *size; /* the trip count of the axis */
    unsigned n_arrays, n_params;
    const rf_var *array[RF_SAMPLE_ARRAYS], *param[RF_SAMPLE_PARAMS];
    const rf_type *type[RF_SAMPLE_ARRAYS]; /* of an element */
    const double *x;                       /* [step * n_arrays + array] */
    double value[RF_SAMPLE_PARAMS];
    unsigned count;    /* the value of "size" */
    unsigned length;   /* steps that were made */
    unsigned step;     /* the step that is evaluated */
    const double *old; /* by member: before that step, or NULL */
    unsigned pass;
    unsigned work; /* values taken so far; from some number on all fail */
    bool failed;   /* something that has no value here */
    RF_ARRAY(const rf_red *) reds; /* that the reduction of interest uses */
    RF_ARRAY(rf_sample_memo) memo;
} rf_sample;

/* Collect what "red" uses into "s"; "red" itself comes last in reds. False if
 * the axis or a value is of a kind that cannot be sampled. */
bool rf_sample_init(rf_sample *s, const rf_planner *p, const rf_red *red);
void rf_sample_clear(rf_sample *s);
/* Let "x" be the elements of "length" steps. */
void rf_sample_set(rf_sample *s, const double *x, unsigned length);
/* The value of "red" after the steps; sets "failed" if it has none. */
double rf_sample_result(rf_sample *s, const rf_red *red);
/* "v" in step "step", with results after s->length steps. */
double rf_sample_value(rf_sample *s, const rf_val *v, unsigned step);
/* "v" with the range of "type". */
double rf_sample_convert(rf_sample *s, double v, const rf_type *type);

#endif
