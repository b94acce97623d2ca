/* Values as mathematics, for people. */
#ifndef RF_PLAN_FORMULA_H
#define RF_PLAN_FORMULA_H

#include "plan/plan.h"

/* How the results of the cascade are written: by the author's name, with a
 * mark for the moment that is meant. */
typedef struct {
    const rf_plan *plan;
    const rf_member *self; /* whose formula it is, or NULL */
    bool stepping;         /* results of this pass are new: m' */
    const char *before;    /* behind the name of an old value: "" or "_u" */
    const rf_val *element; /* written as x_j, or NULL */
    const rf_val *open;    /* written out although the author has a name */
} rf_formula;

/* Append "v", with the fewest parentheses. Casts are left out. */
void rf_formula_put(rf_buf *out, const rf_formula *f, const rf_val *v);
/* The author's name for "v", a value made of results; NULL: none. */
const char *rf_formula_author_name(const rf_plan *plan, const rf_val *v);
/* Append "max x", "Σ x" or the like: the reduction of "m" over "index". */
void rf_formula_put_reduction(rf_buf *out, const rf_formula *f,
                              const rf_member *m, const rf_val *term);
/* Append the name of the result of "m", with its free indices. */
void rf_formula_put_name(rf_buf *out, const rf_plan *plan, const rf_member *m,
                         const char *mark);
/* Append "a (+) b" for the operator of "m". */
void rf_formula_put_joined(rf_buf *out, rf_reduce_op op, const char *a,
                           const char *b);

#endif
