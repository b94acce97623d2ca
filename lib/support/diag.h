/* Diagnostics: what the tool says about a place in a source file.
 *
 * A diagnostic has one name (DESIGN: rf-alias, rf-escape, ...), a place given
 * as a byte offset in the file on disk, and notes. Stages append to an
 * rf_diags; the tool sorts and prints them, report/ exports them. */
#ifndef RF_SUPPORT_DIAG_H
#define RF_SUPPORT_DIAG_H

#include "support/arena.h"
#include "support/array.h"

#include <stdint.h>

/* name, spelling, one line for --list-checks */
#define RF_DIAG_NAMES(X)                                                       \
    X(ERROR, "rf-error", "the file could not be read, parsed or written")      \
    X(CASCADE, "rf-cascade", "a cascade of reductions that fuses")             \
    X(GEMM_CHAIN, "rf-gemm-chain", "a chain of matrix products that fuses")    \
    X(CANDIDATE, "rf-candidate", "an unmarked nest that would fuse")           \
    X(STALE, "rf-stale", "a fused region that is out of date or edited")       \
    X(PRAGMA, "rf-pragma", "a mark that is misspelled or misplaced")           \
    X(NOT_DECOMPOSABLE, "rf-not-decomposable", "no merge of partial results")  \
    X(LOOP_MISMATCH, "rf-loop-mismatch", "the loops run over different axes")  \
    X(CARRIED, "rf-carried", "an iteration depends on an earlier one")         \
    X(ALIAS, "rf-alias", "two pointers may overlap and one is written")        \
    X(ESCAPE, "rf-escape", "an intermediate value is used elsewhere")          \
    X(SIDE_EFFECT, "rf-side-effect", "an effect that must not be moved")       \
    X(CONTROL, "rf-control", "control leaves the loop early")                  \
    X(ORDER, "rf-order", "the result depends on the order of the axis")        \
    X(ROUNDING, "rf-rounding", "an intermediate is rounded to fewer bits")     \
    X(STRICT, "rf-strict", "strict allows only bit-identical rewrites")        \
    X(RACE, "rf-race", "the source has a data race or an undefined read")      \
    X(UNIFORM, "rf-uniform", "a barrier not all threads of the team reach")    \
    X(MACRO, "rf-macro", "the structure comes from a macro or an #if")         \
    X(LAUNCH, "rf-launch", "a launch that cannot be seen or rewritten")        \
    X(CAPACITY, "rf-capacity", "the state does not fit on the chip")           \
    X(UNPROFITABLE, "rf-unprofitable", "legal, but it would not pay")          \
    X(DONE, "rf-done", "already fused: nothing is left to save")               \
    X(UNSUPPORTED, "rf-unsupported", "a construct the tool does not read yet")

typedef enum {
#define X(id, spelling, help) RF_DIAG_##id,
    RF_DIAG_NAMES(X)
#undef X
        RF_DIAG_COUNT
} rf_diag_name;

typedef enum { RF_NOTE, RF_REMARK, RF_WARNING, RF_ERROR } rf_severity;

typedef struct {
    const char *file;      /* path as shown; NULL: the tool itself */
    uint32_t offset;       /* 0-based byte offset on disk */
    uint32_t line, column; /* 1-based; column in bytes; 0: no position */
} rf_place;

typedef struct {
    rf_place at;
    const char *text;
} rf_diag_note;

typedef struct {
    rf_diag_name name;
    rf_severity severity;
    rf_place at;
    const char *text;
    RF_ARRAY(rf_diag_note) notes;
} rf_diag;

/* The diagnostics of one run; texts live in "arena". */
typedef struct {
    rf_arena *arena;
    RF_ARRAY(rf_diag) list;
} rf_diags;

rf_diags *rf_diags_new(void);
void rf_diags_free(rf_diags *diags);

/* Append a diagnostic. "at" is copied with its file name. */
void rf_diag_add(rf_diags *diags, rf_severity severity, rf_diag_name name,
                 rf_place at, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Append a note to the diagnostic added last. */
void rf_diag_note_add(rf_diags *diags, rf_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Append to diagnostic "i" that its place is expanded from macro "name", which
 * is defined at "definition"; such notes are told by their first words. */
#define RF_EXPANDED "expanded from macro"
void rf_diag_note_macro(rf_diags *diags, size_t i, rf_place definition,
                        const char *name);

/* "rf-alias" and its one-line help. */
const char *rf_diag_spelling(rf_diag_name name);
const char *rf_diag_help(rf_diag_name name);
/* The name whose spelling is "text", or RF_DIAG_COUNT. */
rf_diag_name rf_diag_find(const char *text);
const char *rf_severity_spelling(rf_severity severity);
int rf_diags_count(const rf_diags *diags, rf_severity at_least);

#endif
