/* Symbolic real expressions: the mathematics of a cascade, free of C.
 *
 * Nodes are immutable and hash-consed in an rf_syms: equal trees are the same
 * pointer. The constructors only put nodes into a canonical shape (flattened
 * and sorted sums and products, folded rationals, e^0 = 1); every real
 * decision (equality, separation, closure) is made in algebra/.
 *
 * The value of a node is a real number (or truth value, for the relations).
 * Rounding is not modelled but for RF_SYM_ROUND, an opaque function. */
#ifndef RF_IR_SYM_H
#define RF_IR_SYM_H

#include "support/arena.h"
#include "support/buf.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    RF_SYM_RAT,  /* num / den, den > 0, reduced */
    RF_SYM_ATOM, /* see rf_atom */
    RF_SYM_ADD,  /* n-ary */
    RF_SYM_MUL,  /* n-ary */
    RF_SYM_POW,  /* base ^ exponent; x / y is x * y^-1, sqrt(x) is x^(1/2) */
    RF_SYM_EXP,  /* base "base" (0: e, 2 or 10) to the power of arg[0] */
    RF_SYM_LOG,  /* natural logarithm */
    RF_SYM_ABS,
    RF_SYM_MAX,    /* n-ary */
    RF_SYM_MIN,    /* n-ary */
    RF_SYM_SELECT, /* arg[0] ? arg[1] : arg[2] */
    RF_SYM_LT,
    RF_SYM_LE,
    RF_SYM_EQ,
    RF_SYM_NOT,
    RF_SYM_AND,   /* n-ary */
    RF_SYM_OR,    /* n-ary */
    RF_SYM_ROUND, /* arg[0] rounded to the format "name" */
    RF_SYM_CALL   /* uninterpreted function "name" of its arguments */
} rf_sym_kind;

/* What an atom depends on. */
typedef enum {
    RF_ATOM_PARAM,   /* the same for the whole region: sizes, scales */
    RF_ATOM_ELEMENT, /* a value read or computed at step l: x_l */
    RF_ATOM_RESULT,  /* d_i, the running or final result of a reduction */
    RF_ATOM_STATE    /* an accumulator of the fused loop (proofs) */
} rf_atom_role;

typedef enum {
    RF_SIGN_ANY,
    RF_SIGN_NONNEG,  /* >= 0 */
    RF_SIGN_POSITIVE /* > 0 */
} rf_sign;

typedef struct {
    rf_atom_role role;
    rf_sign sign;
    bool is_integer;
    unsigned index;   /* results: i of d_i; others: order of creation */
    const char *name; /* for people; need not be unique */
    const void *key;  /* what it stands for, for the caller */
} rf_atom;

typedef struct rf_sym {
    rf_sym_kind kind;
    unsigned id;    /* creation order: operands are older than their node */
    unsigned roles; /* bit 1 << role for every role of atom mentioned */
    unsigned base;  /* EXP */
    int64_t num, den;
    const rf_atom *atom;
    const char *name;
    unsigned n;
    const struct rf_sym *const *arg;
} rf_sym;

typedef struct rf_syms rf_syms;

/* Make an empty table whose nodes live in "arena" (not owned). */
rf_syms *rf_syms_new(rf_arena *arena);
void rf_syms_free(rf_syms *syms); /* the table; nodes stay in the arena */
rf_arena *rf_syms_arena(rf_syms *syms);

/* A new atom: never equal to another one. */
const rf_sym *rf_sym_atom(rf_syms *, rf_atom_role role, const char *name,
                          const void *key);
const rf_sym *rf_sym_atom_signed(rf_syms *, rf_atom_role role, const char *name,
                                 const void *key, rf_sign sign);
const rf_sym *rf_sym_int(rf_syms *, int64_t value);
/* num / den; den != 0. */
const rf_sym *rf_sym_rat(rf_syms *, int64_t num, int64_t den);
/* The finite number "value": a rational where num and den fit, else a CALL
 * without arguments, named by its decimal spelling. */
const rf_sym *rf_sym_real(rf_syms *, double value);
/* The general constructor; canonicalises. EXP takes its base in "base". */
const rf_sym *rf_sym_make(rf_syms *, rf_sym_kind kind, unsigned n,
                          const rf_sym *const *args);
const rf_sym *rf_sym_exp(rf_syms *, unsigned base, const rf_sym *a);
const rf_sym *rf_sym_named(rf_syms *, rf_sym_kind kind, const char *name,
                           unsigned n, const rf_sym *const *args);
const rf_sym *rf_sym_add(rf_syms *, const rf_sym *a, const rf_sym *b);
const rf_sym *rf_sym_sub(rf_syms *, const rf_sym *a, const rf_sym *b);
const rf_sym *rf_sym_mul(rf_syms *, const rf_sym *a, const rf_sym *b);
const rf_sym *rf_sym_div(rf_syms *, const rf_sym *a, const rf_sym *b);
const rf_sym *rf_sym_neg(rf_syms *, const rf_sym *a);
const rf_sym *rf_sym_pow(rf_syms *, const rf_sym *a, const rf_sym *b);
const rf_sym *rf_sym_max(rf_syms *, const rf_sym *a, const rf_sym *b);
const rf_sym *rf_sym_min(rf_syms *, const rf_sym *a, const rf_sym *b);
const rf_sym *rf_sym_abs(rf_syms *, const rf_sym *a);
const rf_sym *rf_sym_log(rf_syms *, const rf_sym *a);
const rf_sym *rf_sym_sqrt(rf_syms *, const rf_sym *a);
const rf_sym *rf_sym_select(rf_syms *, const rf_sym *c, const rf_sym *a,
                            const rf_sym *b);
const rf_sym *rf_sym_lt(rf_syms *, const rf_sym *a, const rf_sym *b);
const rf_sym *rf_sym_le(rf_syms *, const rf_sym *a, const rf_sym *b);
const rf_sym *rf_sym_eq(rf_syms *, const rf_sym *a, const rf_sym *b);
const rf_sym *rf_sym_not(rf_syms *, const rf_sym *a);

/* True if "e" is the rational num / 1. */
bool rf_sym_is_int(const rf_sym *e, int64_t num);
/* The node "e" with its operands replaced by "args" (same number). */
const rf_sym *rf_sym_rebuild(rf_syms *, const rf_sym *e,
                             const rf_sym *const *args);
/* The number of nodes made so far: every id is below it. */
unsigned rf_syms_count(const rf_syms *syms);

/* Replace every "from[i]" (any node) in "e" by "to[i]", all at once. */
const rf_sym *rf_sym_subst(rf_syms *, const rf_sym *e, unsigned n,
                           const rf_sym *const *from, const rf_sym *const *to);
/* True if "e" mentions an atom of "role" (or, below, this very node). */
bool rf_sym_has_role(const rf_sym *e, rf_atom_role role);
bool rf_sym_mentions(const rf_sym *e, const rf_sym *node);

/* Print in mathematical notation: "exp(x - m)*v". */
void rf_sym_print(rf_buf *out, const rf_sym *e);
/* The same text, in "arena". */
const char *rf_sym_text(rf_arena *arena, const rf_sym *e);

#endif
