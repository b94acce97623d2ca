/* Inside real.c and real_to_val.c. */
#ifndef RF_PLAN_REALS_H
#define RF_PLAN_REALS_H

#include "plan/real.h"

typedef struct rf_real_pair {
    const rf_val *val;
    const rf_sym *sym;
    bool is_derived; /* from the parts of "val": void once one is bound anew */
    struct rf_real_pair *next;
} rf_real_pair;

typedef struct rf_real_sign {
    const rf_var *var;
    rf_sign sign;
    struct rf_real_sign *next;
} rf_real_sign;

struct rf_reals {
    rf_arena *arena;
    rf_syms *syms;
    rf_vals *vals;
    bool assume_rounding;
    const rf_loop *axis;
    rf_real_pair *pairs; /* newest first: a new binding hides an old one */
    rf_real_sign *signs;
    const rf_val *exp_call[3]; /* the first exp, exp2, exp10 that was read */
};

#endif
