/* Certificates on disk: one SMT-LIB file for each algebraic obligation of a
 * region and a manifest that lists all of them; and their check by z3 and
 * cvc5. */
#ifndef RF_TOOL_MANIFEST_H
#define RF_TOOL_MANIFEST_H

#include "plan/bounds.h"
#include "proof/proof.h"

#include <jansson.h>

/* The bounds of a region as a JSON array. */
json_t *rf_bounds_json(const rf_told_bound *bounds, size_t n);

/* What a manifest tells of. */
typedef struct {
    const rf_unit *unit;
    const rf_region *region;
    const char *text; /* emitted */
    const rf_proof *proof;
    const rf_told_bound *bounds;
    size_t n_bounds;
} rf_manifest;

/* Write the obligations of a region to "folder" (made if it is missing):
 * NAME_LINE.json and NAME_LINE_01.smt2, ... Returns 0, or -1 with a message
 * at "*why". */
int rf_manifest_write(rf_arena *arena, const char *folder,
                      const rf_manifest *manifest, const char **why);

/* Have every solver that is installed decide the files of all manifests in
 * "folder"; each must answer unsat. Prints what it finds; returns 0 when all
 * agree, 1 when one does not, -1 when nothing could be checked. */
int rf_manifest_check(rf_arena *arena, const char *folder);

#endif
