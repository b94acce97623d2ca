/* Traces as programs: evaluate values on numbers, infinities and NaN with the
 * semantics of C, loops included. Private to lib/proof. */
#ifndef RF_PROOF_RUN_H
#define RF_PROOF_RUN_H

#include "proof/proving.h"

/* Which numbers the arrays hold. */
typedef enum {
    RF_DATA_FINITE,
    RF_DATA_ZEROS,      /* finite, and many are 0 */
    RF_DATA_LARGE,      /* finite, but the exponential is not */
    RF_DATA_SOME_MINUS, /* now and then -inf */
    RF_DATA_ALL_MINUS,
    RF_DATA_SOME_PLUS,
    RF_DATA_ALL_PLUS,
    RF_DATA_SOME_NAN,
    RF_DATA_ONE_MINUS, /* one -inf in a longer row, often at its end */
    RF_DATA_ONE_PLUS,
    RF_DATA_SOME_HUGE, /* finite, and so are their sums; some products are not
                        */
    RF_DATA_KINDS
} rf_data;

typedef struct rf_run rf_run;

/* A run with parameters and data drawn from "seed". */
rf_run *rf_run_new(rf_prover *p, rf_data data, unsigned seed);
void rf_run_free(rf_run *run);
/* The value of "v"; integers and truth values as doubles. */
double rf_run_value(rf_run *run, const rf_val *v);
/* Call "visit" in every iteration of the "n" loops. */
void rf_run_loops(rf_run *run, unsigned n, const rf_loop *const *loops,
                  void (*visit)(rf_run *, void *), void *data);
/* True if the run took too many steps or met what it cannot evaluate: it says
 * nothing then. */
bool rf_run_failed(const rf_run *run);

#endif
