/* A fusible file with its plans and emitted parts, ready to be proven with
 * this or that text. */
#ifndef RF_TESTS_PROOF_SUBJECT_H
#define RF_TESTS_PROOF_SUBJECT_H

#include "emit/emit.h"
#include "proof/proof.h"

typedef struct {
    rf_arena *arena;
    rf_diags *diags;
    rf_unit *unit;
    const rf_region *region;
    rf_plans plans;
    rf_emitted part; /* of the first plan */
    bool is_fused;
    /* Of rows that a team folds: the other changes of the file, sorted. */
    RF_ARRAY(rf_emitted) edits;
} subject;

/* Read, plan and emit "path", relative to the repository. */
void subject_open(subject *s, const char *path);
void subject_close(subject *s);
/* Append the file with "text" in place of the emitted part; returns where it
 * begins. */
uint32_t subject_file(const subject *s, const char *text, rf_buf *file);
/* Prove that "text" may stand where the emitted part stands. The proof's texts
 * live in "arena". */
void subject_prove(const subject *s, rf_arena *arena, const char *text,
                   rf_proof *proof);

#endif
