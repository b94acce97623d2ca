/* Steps and decoders that several files use. */
#ifndef RF_EXEC_STEPS_H
#define RF_EXEC_STEPS_H

#include "exec/ptx.h"

rf_step rf_step_offset, rf_step_param_address, rf_step_local_address,
    rf_step_clock, rf_step_unknown, rf_step_lop3, rf_step_carry,
    rf_step_mad_carry, rf_step_nop;

/* The saturating s32 form of add, sub, mad.hi. */
rf_step *rf_step_saturated(const char *mnemonic);

/* The step of min.relu.s32 and max.relu.s32, else NULL. */
rf_step *rf_step_relu(const rf_statement *s);

/* The float format of a type (of a half, if it is packed). */
bool rf_ftype_of(rf_type type, rf_ftype *f);

#endif
