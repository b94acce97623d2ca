/* Chains of matrix products: found in a trace by what is computed. */
#ifndef RF_PLAN_CHAIN_H
#define RF_PLAN_CHAIN_H

#include "ir/chain.h"
#include "plan/gemm.h"

/* Find the chain of "region"; it lives in "arena" but for its lists
 * (rf_chain_clear). NULL: refused, with name and place in "diags". */
rf_chain *rf_chain_find(rf_arena *arena, const rf_unit *unit,
                        const rf_region *region, rf_diags *diags);

/* A sum over several loops is a sum of sums: the next level, or NULL; the
 * innermost one, whose term is summed. */
const rf_red *rf_chain_inner(const rf_red *red);
const rf_red *rf_chain_leaf(const rf_red *red);

/* Can the elements of the result hold the running sums of E? They have E's
 * type, every one is stored, and nothing reads what the caller left there but
 * the start of the sum. */
bool rf_chain_sums_fit_result(const rf_chain *chain);

/* Bytes of static shared memory that the tiles take. */
int64_t rf_chain_shared_bytes(const rf_chain *chain,
                              const rf_chain_tiles *tiles);
/* Bytes of traffic for each element of the intermediates. */
double rf_chain_bytes_before(const rf_chain *chain);
double rf_chain_bytes_after(const rf_chain *chain);
/* The chain's sizes, if all of them are constants. */
bool rf_chain_shape(const rf_chain *chain, rf_gemm_shape *out);
/* The dataflow as a picture, and bytes where the sizes are known. */
void rf_chain_explain(rf_buf *out, const rf_chain *chain,
                      const rf_chain_tiles *tiles, const rf_device *device);
void rf_chain_dump(rf_buf *out, const rf_chain *chain);

#endif
