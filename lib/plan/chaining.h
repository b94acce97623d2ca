/* Inside plan/: the state of looking for one chain of products. */
#ifndef RF_PLAN_CHAINING_H
#define RF_PLAN_CHAINING_H

#include "plan/chain.h"

typedef struct {
    rf_arena *arena;
    const rf_unit *unit;
    const rf_region *region;
    rf_trace *trace;
    rf_chain *chain;
    rf_refusal refusal;
    bool refused;
} rf_chaining;

/* Record the first refusal; always returns false. */
bool rf_chain_refuse(rf_chaining *c, rf_diag_name name, rf_range at,
                     const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void rf_chain_note(rf_chaining *c, rf_range at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* chain_rows.c: what part of the function is the chain, and its rows. */
bool rf_chain_window(rf_chaining *c);
bool rf_chain_rows(rf_chaining *c);

/* chain_products.c: the reductions, their roles and loops. */
bool rf_chain_products(rf_chaining *c);
/* The first result in "v" that a first product of the chain gives. */
const rf_val *rf_chain_result_in(const rf_chain *chain, const rf_val *v);

/* chain_stores.c: which stores remain, when, and what they may overlap. */
bool rf_chain_stores(rf_chaining *c);

#endif
