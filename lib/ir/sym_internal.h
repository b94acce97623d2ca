/* What the files of symbolic expressions share: the table and exact small
 * rationals. */
#ifndef RF_IR_SYM_INTERNAL_H
#define RF_IR_SYM_INTERNAL_H

#include "ir/sym.h"

#include "support/array.h"

typedef RF_ARRAY(const rf_sym *) rf_sym_list;

/* The node with the contents of "e", made if it is new. */
const rf_sym *rf_sym_intern(rf_syms *s, rf_sym e);
const rf_sym *rf_sym_intern_args(rf_syms *s, rf_sym_kind kind, unsigned n,
                                 const rf_sym *const *args);

typedef struct {
    int64_t num, den;
} rf_rat;

/* The operations return false when the result does not fit. */
bool rf_rat_add(rf_rat *out, rf_rat a, rf_rat b);
bool rf_rat_mul(rf_rat *out, rf_rat a, rf_rat b);
/* b^e, when the value is rational and not 0^e. */
bool rf_rat_pow(rf_rat *out, rf_rat b, rf_rat e);
int rf_rat_cmp(rf_rat a, rf_rat b);
rf_rat rf_rat_of(const rf_sym *e);
const rf_sym *rf_sym_from_rat(rf_syms *s, rf_rat r);

#endif
