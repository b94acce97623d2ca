/* Algebra of cascades (THEORY 3, 4, 7, 8, 10): equality, separation,
 * translation closure, rounding bounds, SMT-LIB obligations.
 *
 * An rf_algebra works on the expressions of one rf_syms. All that it returns
 * lives in the arena of that table. Atoms of role ELEMENT are x; the results
 * that a question names are D; all other atoms are constants of the region. */
#ifndef RF_ALGEBRA_ALGEBRA_H
#define RF_ALGEBRA_ALGEBRA_H

#include "algebra/rounding.h"
#include "ir/reduce.h"
#include "ir/sym.h"

typedef struct rf_algebra rf_algebra;

/* Make an algebra over "syms" (not owned). The caller owns it. */
rf_algebra *rf_algebra_new(rf_syms *syms);
void rf_algebra_free(rf_algebra *alg);
rf_syms *rf_algebra_syms(rf_algebra *alg);

/* Take "fact" >= 0 (or > 0 when "strict") as known: assume(C <= 4096). */
void rf_algebra_assume(rf_algebra *alg, const rf_sym *fact, bool strict);

/* The atom for the value that "result" (an atom) had before this step, or on
 * the left part of a merge: m_old beside m. One for each result, with the same
 * sign. */
const rf_sym *rf_algebra_old(rf_algebra *alg, const rf_sym *result);
/* "e" with every results[i] replaced by its old value. */
const rf_sym *rf_algebra_at_old(rf_algebra *alg, const rf_sym *e, unsigned n,
                                const rf_sym *const *results);

/* ---- values and signs ---- */

/* What is proven about the sign of an expression from the signs of its atoms
 * and assumed facts: the set of signs that it may have. */
typedef enum {
    RF_IS_NEGATIVE = 1,
    RF_IS_ZERO = 2,
    RF_IS_POSITIVE = 4,
    RF_IS_NONPOS = 3,
    RF_IS_NONZERO = 5,
    RF_IS_NONNEG = 6,
    RF_IS_ANY = 7
} rf_sign_fact;
rf_sign_fact rf_algebra_sign(rf_algebra *alg, const rf_sym *e);
/* True if "e" is proven to be never zero. */
bool rf_algebra_nonzero(rf_algebra *alg, const rf_sym *e);
/* The sign of init (+) REDUCE f, for rf_sym_atom_signed; "init" NULL: the
 * identity. */
rf_sign rf_algebra_reduce_sign(rf_algebra *alg, rf_reduce_op op,
                               const rf_sym *f, const rf_sym *init);

/* The value of "e" where atom[i] = value[i]; NAN when undefined there or when
 * an atom is missing. Uninterpreted functions take arbitrary fixed values. */
double rf_sym_value(const rf_sym *e, unsigned n, const rf_sym *const *atom,
                    const double *value);

/* ---- equality ---- */

typedef enum { RF_NO, RF_YES, RF_UNKNOWN } rf_truth;

/* A point at which two expressions differ. */
typedef struct {
    unsigned n;
    const rf_sym *const *atom;
    const double *value;
    double left, right;
} rf_witness;

/* Decide a = b for all values of the atoms (where both are defined). YES is
 * by normal form in every case of the order of max, min, abs, comparisons; NO
 * is by a point where intervals around both values are disjoint. */
rf_truth rf_algebra_equal(rf_algebra *alg, const rf_sym *a, const rf_sym *b);
/* The same; after NO, "witness" is filled. */
rf_truth rf_algebra_differ(rf_algebra *alg, const rf_sym *a, const rf_sym *b,
                           rf_witness *witness);
/* "e" in normal form, written out again: common factors cancelled, e^a e^b as
 * one exponential, factors kept as factors. Equal in value to "e". */
const rf_sym *rf_algebra_simplify(rf_algebra *alg, const rf_sym *e);
/* "e" as a sum of products, each in its lowest terms. */
const rf_sym *rf_algebra_expand(rf_algebra *alg, const rf_sym *e);
/* "e" as a product of factors, without the rational one. */
const rf_sym *rf_algebra_primitive(rf_algebra *alg, const rf_sym *e);
/* The derivative of "e" by the atom "by"; NULL if it has none in closed form
 * (max, select, opaque functions of "by"). */
const rf_sym *rf_algebra_derivative(rf_algebra *alg, const rf_sym *e,
                                    const rf_sym *by);

/* ---- class S: separation (T-5, T-6, T-7) ---- */

/* The monoid (x) that distributes over (+). id, name, how a (x) c is written */
#define RF_TIMES(X)                                                            \
    X(NONE, "none", "a") /* F mentions no result */                            \
    X(MUL, "*", "a*c")                                                         \
    X(ADD, "+", "a + c")                                                       \
    X(POW, "power", "a^c")                                                     \
    X(MAP, "monotone map", "f(a)") /* all of D deferred: order reductions */   \
    X(AND, "and", "a && c")                                                    \
    X(OR, "or", "a || c")

typedef enum {
#define X(id, name, form) RF_TIMES_##id,
    RF_TIMES(X)
#undef X
} rf_times;
const char *rf_times_name(rf_times times);

/* Why no merge exists. Two inputs "a" and "b" of the same length: with the old
 * results their partial values are equal, with the new ones they are not, so
 * no function of the partial value can bring it from old to new. */
typedef struct {
    bool found;
    unsigned length;     /* elements in each input */
    unsigned n_elements; /* atoms of one element */
    unsigned n_results;  /* results, then the other atoms of F */
    const rf_sym *const *element, *const *result;
    const double *a, *b;                 /* [length * n_elements] */
    const double *old_value, *new_value; /* [n_results] */
    double partial;                      /* REDUCE F(a, old) = same for b */
    double new_a, new_b;                 /* REDUCE F(a, new), F(b, new) */
    const char
        *text; /* "x = [1, 2] and x = [0, 3] both give 3 at m = 1, ..." */
} rf_counterexample;

/* How REDUCE F(x, D) is carried while D runs (T-6, T-7):
 *
 *     each step    state = (state (x) ratio) (+) lift(x, D)
 *     at the end   d = later(state, D)
 *
 * "ratio" is over results (new) and rf_algebra_old(result) (old). */
typedef struct {
    rf_truth verdict; /* YES: what follows holds; else see "blame" */
    rf_times times;
    rf_reduce_op reduce; /* (+) of the carried state; the source's, but min for
                          * the max of a decreasing map, and so on */
    const rf_sym *g;     /* G(x) */
    const rf_sym *h;     /* H(D) = h_now (x) h_later */
    const rf_sym *h_now; /* the exponential shift that stability needs */
    const rf_sym *h_later; /* deferred factors */
    const rf_sym *lift;    /* G (x) H_now */
    const rf_sym *ratio;   /* H_now(D_old)^-1 (x) H_now(D); NULL: identity */
    const rf_sym *state;   /* the STATE atom of "later" */
    const rf_sym *later;   /* state (x) H_later; state itself: nothing to do */
    bool later_keeps_identity; /* later(identity) = identity: an empty axis
                                * needs no guard */
    /* the conditions under which it holds, for the record: "x > 0" */
    const char *condition;

    const rf_sym *blame; /* smallest node of F that mixes x and D */
    const char *reason;  /* "the factor x - d mixes x and d" */
    rf_counterexample counterexample;
} rf_separation;

/* Separate REDUCE_l F(x_l, D), D = results[0..n-1]. Always fills "out"; returns
 * its verdict. A F free of results is YES with RF_TIMES_NONE. */
rf_truth rf_separate(rf_algebra *alg, rf_reduce_op op, const rf_sym *f,
                     unsigned n, const rf_sym *const *results,
                     rf_separation *out);

/* ---- class M: closure under translation (T-8, T-9) ---- */

/* What is known of a result that F mentions: it is a reduction over the same
 * axis, or a post step. */
typedef struct {
    const rf_sym *result;  /* its atom */
    rf_reduce_op op;       /* of a reduction */
    const rf_sym *element; /* the reduction's F_i; NULL: a post step */
    const rf_sym *post;    /* the post step's value over earlier results and
                            * the length; NULL: a reduction */
} rf_definition;

typedef struct {
    unsigned n;
    const rf_definition *def; /* in the order of the cascade */
    const rf_sym *length;     /* the atom of the trip count, or NULL */
} rf_definitions;

/* SUM F(x, D) as a sum of several accumulators
 *
 *     b(x, D) = transfer(D_old, D) b(x, D_old)                           (T-8)
 *     B       = transfer(D_u, D) B_u + transfer(D_v, D) B_v              (T-9)
 *     SUM F   = later(B, D)
 *
 * where B[k] = SUM basis[k]. Some sums follow from the definitions: known[k]
 * is then their value over results and "count", and they are not carried
 * (SUM (x - mean) = 0, SUM 1 = n). D_old may be any reference value; with
 * post steps it is their value for the count so far. */
typedef struct {
    rf_truth verdict;
    unsigned rank;
    const rf_sym *const *basis;
    const rf_sym *const *transfer; /* [rank * rank], row by row */
    const rf_sym *const *known;    /* NULL: carried */
    const rf_sym *const *state;    /* STATE atoms; NULL where known */
    /* transfer(D_old, D) B_old as one expression for each carried k, over
     * state[], old and new results and count; NULL where known */
    const rf_sym *const *moved;
    const rf_sym *count; /* PARAM atom: elements so far, as a value */
    const rf_sym *later; /* over state[], results and the length */
    bool later_keeps_identity;
    unsigned n_results;
    const rf_sym *const *results; /* the D of the question */
    const rf_sym *blame;
    const char *reason;
    rf_counterexample counterexample;
} rf_closure;

/* Close SUM_l F(x_l, D) under translation of D = results[0..n-1]. "defs" may be
 * NULL. Always fills "out"; returns its verdict: YES after every identity was
 * proven exactly. */
rf_truth rf_closure_find(rf_algebra *alg, const rf_sym *f, unsigned n,
                         const rf_sym *const *results,
                         const rf_definitions *defs, rf_closure *out);

/* One element more: the values after it, over old results (rf_algebra_old),
 * new results (the plain atoms), states, "count" (elements before it) and x.
 *
 *     mean' = mean + (x - mean)/(n + 1)
 *     M2'   = M2 + (x - mean)*(x - mean')                    (Welford)
 *
 * In w*(x - t)/W the quotient w/W is to be emitted first: it is exactly 1 on
 * the first element, where t starts at 0. */
typedef struct {
    /* [defs->n] the next value of each definition, in an order in which each
     * uses new values of earlier ones only; NULL: not of a form that steps */
    const rf_sym *const *result;
    /* [defs->n] false: a sum that only a post step needs. The post step then
     * steps by itself (the mean without its sum). */
    const bool *carried;
    const rf_sym *const *next; /* [closure->rank]; NULL where known */
} rf_step;
void rf_closure_step(rf_algebra *alg, const rf_closure *closure,
                     const rf_definitions *defs, rf_step *out);

/* Two states into one: left values are old results, states and "count" (as in
 * a step), right values have atoms of their own, new results the plain ones.
 * For warps, blocks and clusters. */
typedef struct {
    const rf_sym *const *result; /* [defs->n], as in rf_step */
    const rf_sym *const *next;   /* [rank] */
    /* atoms: of the definitions, then of the closure's other results */
    const rf_sym *const *right_result;
    const rf_sym *const *right_state; /* [rank] */
    const rf_sym *right_count;
} rf_merge;
void rf_closure_merge(rf_algebra *alg, const rf_closure *closure,
                      const rf_definitions *defs, rf_merge *out);

/* Name what F computes from results and the length alone: (x - S/L)^2 becomes
 * (x - t)^2 with the post step t = S/L, so that the running form can put the
 * count for the length. The new definitions come back in "def"; "f" is F over
 * them. */
typedef struct {
    const rf_sym *f;
    unsigned n;
    const rf_definition *def;
} rf_lifted;
void rf_closure_lift(rf_algebra *alg, const rf_sym *f, unsigned n,
                     const rf_sym *const *results, const rf_sym *length,
                     rf_lifted *out);

/* ---- rounding (THEORY 8) ---- */

/* gamma_k = k*u / (1 - k*u), u = 2^-bits, exact; "k" may be symbolic. */
const rf_sym *rf_gamma(rf_syms *syms, const rf_sym *k, unsigned bits);

/* A reduction and its fused form. "path" counts the combines on the longest
 * path from an element to the result: n for a loop, n/32 + 5 for a warp. */
typedef struct {
    rf_reduce_op op;
    unsigned bits; /* 24 for float, 53 for double */
    const rf_sym *f;
    const rf_separation *separation;
    const rf_sym *source_path, *fused_path;
    bool shift_is_monotone; /* the shift is a running max or min */
    bool reorders;          /* threads add their parts */
    /* Class M, "separation" being NULL: the longest update of a state, F's
     * results and for each the sum of |terms| that its errors are relative to.
     */
    const rf_sym *step;
    unsigned n_results;
    const rf_sym *const *results, *const *sizes;
} rf_rounding_question;

/* |computed - exact| <= bound * SUM scale, to first order in what the results
 * D themselves carry, which is the same for both forms. In class M the fused
 * scale is taken at the D of each element's moment. */
typedef struct {
    rf_rounding_class rounding;
    const rf_sym *source_count, *fused_count; /* roundings on the path */
    const rf_sym *source, *fused;             /* gamma of them */
    const rf_sym *scale; /* |F| without cancellation, for one element */
    const rf_sym *fused_scale;
    bool is_within_four; /* the fused bound is at most 4 times the source's, to
                          * first order in u */
    const rf_sym *range; /* PARAM atom in the counts: the largest |argument| of
                          * an exponential; NULL: there is none */
    const char *text;    /* "rescaled: gamma(4*n + range + 6), source
                          * gamma(n + range + 3)" */
} rf_rounding;
void rf_rounding_find(rf_algebra *alg, const rf_rounding_question *q,
                      rf_rounding *out);

/* ---- obligations (THEORY 10) ---- */

/* hypothesis[0] and ... imply goal, for all values of the atoms. All are
 * truth values: relations joined by and, or, not. */
typedef struct {
    const char *name;    /* "T-6, the step of s" */
    const char *comment; /* further lines for the file, or NULL */
    unsigned n;
    const rf_sym *const *hypothesis;
    const rf_sym *goal;
} rf_obligation;

/* Decide in-process: equations among the hypotheses are solved for a state (or
 * another atom that they are linear in) and put in; the other hypotheses are
 * facts; then rf_algebra_equal. NO only with a point as proof. */
rf_truth rf_obligation_decide(rf_algebra *alg, const rf_obligation *ob);

/* Write the negated obligation as SMT-LIB2 with one check-sat, to be answered
 * unsat. exp is eliminated (one positive variable for exp of each term,
 * products for sums), max, min, abs and select are split into cases outside
 * of all arithmetic, denominators are cleared. Returns the number of cases; 0
 * if there are too many. */
unsigned rf_smt_print(rf_algebra *alg, rf_buf *out, const rf_obligation *ob);

#endif
