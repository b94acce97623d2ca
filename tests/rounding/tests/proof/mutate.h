/* Single mutations of generated code: every place, one change. */
#ifndef RF_TESTS_PROOF_MUTATE_H
#define RF_TESTS_PROOF_MUTATE_H

#include "support/arena.h"
#include "support/array.h"

typedef struct {
    const char *kind; /* "operator", "statement", ... */
    const char *what; /* "expf(m_old - m) -> expf(m_old + m)", one line */
    const char *text;
} mutant;

typedef struct {
    RF_ARRAY(mutant) list;
} mutants;

/* Append all mutants of "text"; they live in "arena". */
void mutate(rf_arena *arena, const char *text, mutants *out);

#endif
