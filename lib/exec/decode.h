/* Decoders of single mnemonics, shared by the decode_*.c files. */
#ifndef RF_EXEC_DECODE_H
#define RF_EXEC_DECODE_H

#include "exec/ptx.h"
#include "exec/special.h"

typedef struct {
    const char *mnemonic;
    rf_decoder *decode;
} rf_decoder_row;

/* Ends with a row without mnemonic. */
extern const rf_decoder_row rf_decoders[];

/* The q of p|q, none if there is no q. */
rf_operand rf_operand_pair(rf_reader *r, const rf_statement *s,
                           const rf_arg *arg, rf_type type);
/* The RF_FLAG_... of the modifiers. */
uint16_t rf_flags_of(const rf_statement *s);
/* Mark the function in hand as one whose blocks must run in order. */
void rf_mark_ordered(rf_reader *r);

rf_decoder rf_decode_setp, rf_decode_set, rf_decode_selp, rf_decode_slct,
    rf_decode_testp, rf_decode_mov, rf_decode_cvt, rf_decode_cvta,
    rf_decode_lop3, rf_decode_pred, rf_decode_arithmetic, rf_decode_float,
    rf_decode_load, rf_decode_store, rf_decode_atom, rf_decode_bra,
    rf_decode_brx, rf_decode_call, rf_decode_ret, rf_decode_exit,
    rf_decode_trap, rf_decode_bar, rf_decode_shfl, rf_decode_warp_sync,
    rf_decode_vote, rf_decode_match, rf_decode_redux, rf_decode_elect,
    rf_decode_activemask, rf_decode_fence, rf_decode_hint, rf_decode_yield,
    rf_decode_mapa, rf_decode_getctarank, rf_decode_isspacep,
    rf_decode_mbarrier, rf_decode_cp, rf_decode_alloca, rf_decode_matrix,
    rf_decode_mma, rf_decode_wgmma, rf_decode_st_async, rf_decode_wmma,
    rf_decode_carry, rf_decode_tensormap, rf_decode_x2, rf_decode_video;

#endif
