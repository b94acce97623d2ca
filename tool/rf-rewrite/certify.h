/* From emitted parts to a certificate: build the rewritten file, have proof/
 * read it back, and leave the obligations in a folder when asked to. */
#ifndef RF_TOOL_CERTIFY_H
#define RF_TOOL_CERTIFY_H

#include "emit/emit.h"
#include "front/front.h"
#include "proof/proof.h"

typedef struct {
    const rf_unit *unit;
    const rf_region *region;
    const rf_emitted *parts; /* sorted; what is gone has no text */
    size_t n;
    const char *text; /* of the whole region, as it will be written */
    /* Of rows that were widened: the whole file and the one window in it; NULL:
     * "parts" say it. */
    const char *bytes;
    const rf_proof_window *window;
    const rf_front_options *front;
    const char *folder; /* --proof=DIR, or NULL */
    const struct rf_told_bound *bounds;
    size_t n_bounds;
    size_t n_items;    /* set: obligations that are proven */
    bool is_refuted;   /* set: the first failure is known to be false */
    rf_diag_name name; /* set: the kind of the first failure */
    uint32_t at;       /* set: where the first failure is, in the source */
    const char *dump;  /* set: the obligations for people */
    const char *table; /* set: the same in Markdown */
} rf_certificate;

/* NULL when every obligation holds, else what does not. */
const char *rf_certify(rf_arena *arena, rf_certificate *c);

#endif
