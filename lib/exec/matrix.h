/* What the decoders and steps of matrix instructions share. */
#ifndef RF_EXEC_MATRIX_H
#define RF_EXEC_MATRIX_H

#include "exec/mma.h"
#include "exec/ptx.h"

/* Find "m16n8k16" among the parts of "s". */
bool rf_shape_of(const rf_statement *s, rf_mma_shape *shape);
/* decode_quad.c: mma.m8n8k4 on f16. */
rf_decoder rf_decode_quad;
/* The columns of the registers "v". */
void rf_columns_of(const rf_warp *w, rf_operands v, uint64_t **out);
/* Fault unless every lane takes part. */
void rf_need_full_warp(rf_warp *w, const rf_instr *in, uint32_t mask);

#endif
