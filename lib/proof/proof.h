/* Proofs about emitted text.
 *
 * The rewritten file is parsed again and the emitted statements are traced
 * beside the author's: what is proven is what the compiler will read, not the
 * plan it came from. The obligations, for accumulators s with running values
 * s (before a step), s' (after it) and source terms F:
 *
 *     D1      the emitted loop has the counters of the source's loops
 *     T-3     s' = s (x) R (+) t, and init is what the source begins with
 *     T-6     t(y, D) (x) R(D, D') = t(y, D')  for every earlier y
 *     T-5     F(x, D) = t(x, D) (x) c(D)
 *     T-7     infinities, NaN, empty axes: both programs run on short axes of
 *             such values and agree (CHECKED, not PROVEN)
 *     T-4     what is stored and what lives on has the source's value
 *     D3 D4   no store is lost, added or moved across a load it may meet
 *
 * The first two give, by induction over the elements, s = REDUCE t(x, D) with
 * the final D, whatever plan/ derived. */
#ifndef RF_PROOF_PROOF_H
#define RF_PROOF_PROOF_H

#include "front/front.h"
#include "support/buf.h"

typedef enum {
    RF_PROVEN,
    RF_CHECKED,  /* held in every run: no proof for all values */
    RF_REFUTED,  /* false: there is a point at which it fails */
    RF_UNDECIDED /* nothing is known */
} rf_verdict;

/* One obligation. */
typedef struct {
    const char *equation; /* "T-6" */
    const char *text;     /* "exp(m_old - m) moves l from m_old to m" */
    rf_range at;          /* in the source file */
    rf_verdict verdict;
    const char *smt; /* SMT-LIB2, or NULL: not algebraic or not wanted */
} rf_proof_item;

typedef struct {
    RF_ARRAY(rf_proof_item) items;
    size_t n_proven, n_checked;
    const rf_proof_item *failed; /* the first that does not hold, or NULL */
} rf_proof;

/* Source bytes [begin, end) and the emitted bytes that replace them, as
 * offsets in the rewritten file. */
typedef struct {
    rf_range source, emitted;
    bool has_two_versions; /* "emitted" is the first branch of an if */
} rf_proof_window;

typedef struct {
    const rf_unit *source;
    const rf_region *region; /* of "source" */
    const char *bytes;       /* the rewritten file, without guards */
    size_t size;
    size_t n_windows;
    const rf_proof_window *windows;
    const rf_front_options *front;
    bool wants_smt; /* fill the items' "smt" */
} rf_proof_task;

/* Prove that the emitted windows do what the source's do. Items are freed with
 * rf_proof_free; their texts live in "arena". */
void rf_prove(rf_arena *arena, const rf_proof_task *task, rf_proof *out);
void rf_proof_free(rf_proof *proof);

const char *rf_verdict_name(rf_verdict verdict);
void rf_proof_dump(rf_buf *out, const rf_proof *proof);

#endif
