/* Between C and mathematics: values as real expressions and back.
 *
 * The real model forgets what the pragma permits to forget: the order and
 * rounding of float and double arithmetic. What rounds to fewer bits (half,
 * bfloat16, fp8, integers) stays an opaque function, ROUND or a call, unless
 * the author assumes it away. */
#ifndef RF_PLAN_REAL_H
#define RF_PLAN_REAL_H

#include "ir/sym.h"
#include "ir/val.h"

typedef struct rf_reals rf_reals;

/* "assume_rounding": casts to narrower floats are the identity. */
rf_reals *rf_reals_new(rf_arena *arena, rf_syms *syms, rf_vals *vals,
                       bool assume_rounding);
rf_syms *rf_reals_syms(rf_reals *reals);
/* Values that vary with "axis" become ELEMENT atoms, others PARAM atoms. */
void rf_reals_set_axis(rf_reals *reals, const rf_loop *axis);
/* From now on "v" is this expression: a result, a state variable, an atom. */
void rf_reals_bind(rf_reals *reals, const rf_val *v, const rf_sym *sym);
/* The sign of the entry value of "var", from an assumption of the author. */
void rf_reals_set_sign(rf_reals *reals, const rf_var *var, rf_sign sign);
rf_sign rf_reals_sign(const rf_reals *reals, const rf_var *var);

const rf_sym *rf_real_of(rf_reals *reals, const rf_val *v);
/* Write "e" in C with type "type"; atoms become the values they stand for.
 * Functions keep the names they had where they were read. NULL: an atom
 * stands for nothing. */
const rf_val *rf_real_to_val(rf_reals *reals, const rf_sym *e,
                             const rf_type *type);
/* The value that the smallest part of "v" with real expression "e" has, for
 * diagnostics; NULL if there is none. */
const rf_val *rf_real_find(rf_reals *reals, const rf_val *v, const rf_sym *e);

#endif
