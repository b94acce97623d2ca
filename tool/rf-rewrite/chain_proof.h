/* The proof about the emitted kernel of a chain. */
#ifndef RF_CHAIN_PROOF_H
#define RF_CHAIN_PROOF_H

#include "edit/edit.h"
#include "plan/chain.h"
#include "proof/chain.h"

typedef struct {
    const rf_unit *unit;
    const rf_chain *chain;
    const rf_chain_tiles *tiles;
    const rf_edit_part *parts; /* what the rewrite replaces, in any order */
    size_t n_parts;
    const char *functions; /* those that an earlier rewrite brings */
    const rf_front_options *front;
} rf_chain_certificate;

/* Apply the parts, read the kernel back and execute it beside the source's. */
rf_chain_verdict rf_chain_certify(rf_arena *arena,
                                  const rf_chain_certificate *c);

#endif
