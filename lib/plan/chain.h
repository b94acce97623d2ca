/* Chains of matrix products: found in a trace by what is computed. */
#ifndef RF_PLAN_CHAIN_H
#define RF_PLAN_CHAIN_H

#include "ir/chain.h"

/* Find the chain of "region"; it lives in "arena" but for its lists
 * (rf_chain_clear). NULL: refused, with name and place in "diags". */
rf_chain *rf_chain_find(rf_arena *arena, const rf_unit *unit,
                        const rf_region *region, rf_diags *diags);

void rf_chain_dump(rf_buf *out, const rf_chain *chain);

#endif
