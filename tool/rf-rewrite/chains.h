/* `#pragma rf gemm_chain`: one region through the stages. */
#ifndef RF_TOOL_CHAINS_H
#define RF_TOOL_CHAINS_H

#include "front/front.h"
#include "pipeline.h"

/* Analyse "region" and fill "outcome" (status, title, edit, finding). */
void rf_chain_region(const rf_options *options, const rf_unit *unit,
                     const rf_region *region, const rf_front_options *front,
                     rf_outcomes *out, rf_outcome *outcome, rf_diags *diags);

#endif
