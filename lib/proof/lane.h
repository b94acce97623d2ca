/* Integers as the lanes of a team compute them. Private to lib/proof. */
#ifndef RF_PROOF_LANE_H
#define RF_PROOF_LANE_H

#include "proof/proving.h"

typedef struct {
    unsigned x, threads; /* of a block */
    unsigned lanes;      /* of a team */
    unsigned t;          /* the lane */
    const rf_loop *loop; /* in this turn; NULL: in no loop */
    int64_t turn;
} rf_place_in_team;

/* Lane "t" in the block size number "size" of those that "team" admits. */
rf_place_in_team rf_lane_at(const rf_team *team, unsigned size, unsigned t);
/* The number that "v" is there; false: it is none that is known. */
bool rf_lane_number(const rf_val *v, const rf_place_in_team *at, int64_t *n);
bool rf_mentions_lane(const rf_val *v);
/* Does "condition" hold in exactly one lane of each team? */
bool rf_selects_one_lane(const rf_team *team, const rf_val *condition);
/* Is "v" threadIdx, ...? */
bool rf_is_builtin(const rf_val *v, const char *record);

/* slots.c: loops over the registers in which the lanes of "emitted" keep a row
 * become loops over the row, appended to its loops from *first on. */
void rf_open_slots(rf_prover *p, rf_trace *emitted, size_t *first);

#endif
