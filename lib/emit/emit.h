/* From plans to CUDA text.
 *
 * emit/ builds the fused program as statements (ir/ast.h) in the author's
 * names and types, and prints them in the author's style. */
#ifndef RF_EMIT_EMIT_H
#define RF_EMIT_EMIT_H

#include "plan/plan.h"

/* Bytes [begin, end) of the file become "text". Where that holds two versions,
 * the fused one is its part [inner_begin, inner_end). */
typedef struct {
    uint32_t begin, end;
    const char *text;
    size_t inner_begin, inner_end; /* 0, 0: one version */
} rf_emitted;
typedef RF_ARRAY(rf_emitted) rf_emitted_list;

/* Write "plan" as code: add the replacement of its statements to "out". Before
 * it, declarations of "region" that are left without a use become "" there;
 * with NULL they stay. Returns 0, or -1 with "refusal" filled when a value
 * cannot be written down. */
int rf_emit_plan(rf_arena *arena, const rf_unit *unit, const rf_region *region,
                 const rf_plan *plan, rf_emitted_list *out,
                 rf_refusal *refusal);

/* Device functions for teams of several blocks; written once a file, before
 * the first kernel that needs them. */
const char *rf_emit_team_functions(void);
/* What rows that the blocks of a grid share need, host functions too. */
const char *rf_emit_grid_functions(void);
/* Macros for kernels that only clusters may run. */
const char *rf_emit_team_dimensions(void);
/* The host function rf_team_launch, which asks for clusters where the device
 * has room for them; and a template that it and launches over a grid use. */
const char *rf_emit_team_launch(void);
const char *rf_emit_as_it_is(void);
/* The host function rf_team_grid for clusters of more than 8 blocks. */
const char *rf_emit_team_consent(void);

/* In the order of the file. */
void rf_emitted_sort(rf_emitted *parts, size_t n);

/* The bytes of the region's statement with all "parts" (sorted) replaced. */
const char *rf_emit_region(rf_arena *arena, const rf_unit *unit,
                           const rf_region *region, const rf_emitted *parts,
                           size_t n);

#endif
