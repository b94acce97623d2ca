/* A plan of one thread a row becomes one of a team a row (T-2, T-3).
 *
 * The axis is dealt to the lanes of the team, lane k taking the elements k,
 * k + lanes, k + 2 lanes ...; every lane folds its part by the steps that were
 * derived for the thread, and one combine of the whole state follows each pass
 * (emit/team.c). Loops that only store are dealt as well; what else is stored
 * is stored by lane 0. The rest of the kernel runs in every lane: with a row
 * index that the lanes share, all of them hold the same values there. */
#ifndef RF_PLAN_WIDEN_H
#define RF_PLAN_WIDEN_H

#include "plan/plan.h"

/* Bytes of the kernel outside the plan's statements that change. */
typedef struct {
    rf_range at;
    const char *text, *words;
} rf_row_edit;

/* How a row is folded by more than one thread. */
typedef struct rf_widening {
    rf_level level;
    unsigned lanes;         /* threads a row */
    unsigned threads;       /* of a block; 0: a multiple of 32 */
    unsigned cluster;       /* blocks a row */
    bool is_grid;           /* ... that meet between launches */
    const char *grid_team;  /* the name of the kernel's added parameter */
    rf_var *turn;           /* the launch, 0-based */
    const char *fields;     /* of the state of a block, once it is emitted */
    bool one_thread_blocks; /* the source's row is blockIdx.x */
    bool one_block;         /* ... or threadIdx.x */
    rf_var *lane;           /* its place in the team, 0-based */
    const char *lane_text;  /* what it is, in CUDA */
    rf_var *count;          /* of lanes, where clusters may be missing */
    const char *count_text;
    RF_ARRAY(rf_row_edit) edits;
    /* Uses of the row's index in the plan's statements, and what they are now;
     * "place" is its value in the trace, or NULL. */
    RF_ARRAY(const rf_expr *) inside;
    const rf_val *place;
    const char *place_text;
} rf_widening;

/* Widen "plan", whose region is "region", to the level of its mark. False with
 * "refusal" filled when that is not possible; the plan is then unusable. */
bool rf_plan_widen(rf_arena *arena, const rf_unit *unit,
                   const rf_region *region, rf_plan *plan, rf_refusal *refusal);

#endif
