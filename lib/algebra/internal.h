/* What the phases of algebra/ share; not for other stages. */
#ifndef RF_ALGEBRA_INTERNAL_H
#define RF_ALGEBRA_INTERNAL_H

#include "algebra/algebra.h"

#include "support/array.h"

#include <flint/fmpq_mpoly.h>
#include <flint/fmpq_mpoly_factor.h>

typedef RF_ARRAY(const rf_sym *) rf_nodes;

typedef enum { RF_FACT_NONNEG, RF_FACT_POSITIVE, RF_FACT_NONZERO } rf_fact_kind;
typedef struct {
    const rf_sym *e;
    rf_fact_kind kind;
} rf_fact;

struct rf_algebra {
    rf_syms *syms;
    RF_ARRAY(rf_fact) facts;
    bool in_facts; /* deciding a sign from facts: do not do so again */
    rf_nodes prepared, expanded, factored; /* by id; NULL: not yet */
    RF_ARRAY(unsigned char) signs;         /* by id; 0: not yet */
    bool no_signs; /* facts are changed for a moment: do not remember signs */
    rf_nodes results, olds;
    const rf_sym *count; /* the running count of elements, once asked for */
};

/* ---- normal.c: nodes whose operands are in normal form ---- */

/* "e" with canonical arguments of exp, log, abs, max, roots and opaque
 * functions, so that equal generators are the same node. */
const rf_sym *rf_prepare(rf_algebra *alg, const rf_sym *e);
/* Forget what was remembered of nodes: the known facts changed. */
void rf_prepare_reset(rf_algebra *alg);
/* What is remembered for "e" in "memo", or NULL; and remember it. */
const rf_sym *rf_recall(const rf_nodes *memo, const rf_sym *e);
void rf_remember(rf_nodes *memo, const rf_sym *e, const rf_sym *value);
/* The normal form of "e" as a product of irreducible factors. */
const rf_sym *rf_factored(rf_algebra *alg, const rf_sym *e);

/* ---- ring.c: rational functions over Q in generators ---- */

/* A generator stands for sym^(unit/scale): an atom, an opaque node, an
 * exponential exp(t) of one term t, or the root of a sum ("is_root"), whose
 * power "scale" is again a polynomial. "unit" is 1 but for exponentials, where
 * unit/scale is the common measure of all exponents met. */
typedef struct {
    const rf_sym *sym;
    int64_t unit, scale;
    bool is_root;
} rf_generator;
/* Let the generator be fine enough for sym^(num/den). */
void rf_generator_refine(rf_generator *g, int64_t num, int64_t den);

typedef struct {
    rf_algebra *alg;
    RF_ARRAY(rf_generator)
    gen; /* youngest first: roots before what they root */
    fmpq_mpoly_ctx_t ctx;
    bool overflow; /* an intermediate result was too large: nothing holds */
} rf_ring;

typedef struct {
    fmpq_mpoly_t num, den;
} rf_frac;

/* The ring of all generators of the prepared nodes e[0..n-1]. */
void rf_ring_init(rf_ring *ring, rf_algebra *alg, unsigned n,
                  const rf_sym *const *e);
void rf_ring_clear(rf_ring *ring);
void rf_frac_init(rf_ring *ring, rf_frac *f);
void rf_frac_clear(rf_ring *ring, rf_frac *f);
/* The prepared node "e" as a reduced fraction; false on overflow. */
bool rf_ring_read(rf_ring *ring, rf_frac *out, const rf_sym *e);
/* Append the generators of "e" as nodes. */
void rf_generators(rf_algebra *alg, const rf_sym *e, rf_nodes *out);
/* Reduce "p" by the relations of roots; true if nothing is left. */
bool rf_ring_is_zero(rf_ring *ring, const fmpq_mpoly_t p);
/* A polynomial as a sum, and the power of one generator, as nodes. */
const rf_sym *rf_ring_sum(rf_ring *ring, const fmpq_mpoly_t p);
const rf_sym *rf_ring_power(rf_ring *ring, size_t gen, int64_t exponent);
const rf_sym *rf_ring_constant(rf_ring *ring, const fmpq_t c);

/* One irreducible factor of a fraction; exponent < 0: of the denominator. */
typedef struct {
    const rf_sym *sym; /* the base as a node: a generator or a sum */
    int64_t exponent;  /* of the base, which is sym^(unit/scale) */
    int64_t unit, scale;
    bool is_generator;
} rf_factor;
typedef struct {
    const rf_sym *constant;
    RF_ARRAY(rf_factor) list;
} rf_factors;
/* Factor the normal form of "e" over Q; false on overflow. The list is to be
 * freed with RF_CLEAR. */
bool rf_factor_sym(rf_algebra *alg, const rf_sym *e, rf_factors *out);
/* The factor as a node: sym^(exponent*unit/scale). */
const rf_sym *rf_factor_power(rf_algebra *alg, const rf_factor *f);

/* The summands of an exponent: c * t with c rational. */
void rf_split_term(rf_syms *syms, const rf_sym *e, const rf_sym **coefficient,
                   const rf_sym **term);
/* The product with all exponentials of one base joined into one. */
const rf_sym *rf_product(rf_algebra *alg, unsigned n, const rf_sym *const *f);

/* ---- order.c ---- */

/* Distinct nodes, operands first. */
typedef struct {
    rf_nodes nodes;
    unsigned *slot; /* hash table of indices + 1 */
    size_t cap;
} rf_order;
void rf_order_init(rf_order *o);
void rf_order_clear(rf_order *o);
/* Append what "e" has that is not there yet. */
void rf_order_add(rf_order *o, const rf_sym *e);
/* The place of "e", which was added. */
unsigned rf_order_index(const rf_order *o, const rf_sym *e);

/* ---- value.c, ball.c ---- */

/* The value of the last node of "o". */
double rf_order_value(const rf_order *o, unsigned n, const rf_sym *const *atom,
                      const double *value);
/* "v" rounded to the format "name". */
double rf_round_value(const char *name, double v);
/* True if intervals around the values of "x" and "y" at the point prove them
 * different. */
bool rf_values_differ(const rf_sym *x, const rf_sym *y, unsigned n,
                      const rf_sym *const *atom, const double *value);

/* ---- point.c: points at which to look ---- */

typedef struct {
    rf_nodes atoms;
    double *value;
    uint64_t random;
} rf_point;

/* Points over the atoms of e[0..n-1]; freed with rf_point_clear. */
void rf_point_init(rf_point *p, unsigned n, const rf_sym *const *e);
void rf_point_clear(rf_point *p);
/* Choose the next value for every atom: small whole numbers, halves and
 * others, within their signs. */
void rf_point_next(rf_point *p);
double rf_point_draw(rf_point *p, const rf_atom *atom);
/* True if the assumed facts hold at the point. */
bool rf_point_allowed(const rf_algebra *alg, const rf_point *p);

/* ---- separate.c, order.c, counter.c: one question ---- */

typedef struct {
    rf_algebra *alg;
    rf_reduce_op op;
    const rf_sym *f;
    unsigned n;
    const rf_sym *const *results;
} rf_question;

/* What a node depends on: bits. */
enum { RF_ON_X = 1, RF_ON_D = 2, RF_MIXED = 3 };
int rf_depends(const rf_question *q, const rf_sym *e);

/* F = G * H_now * H_later (T-5); "mixed" is an irreducible factor that has
 * both x and D, when false. */
typedef struct {
    const rf_sym *g, *h_now, *h_later, *lift, *mixed;
} rf_product_parts;
bool rf_split_product(const rf_question *q, const rf_sym *f,
                      rf_product_parts *out);
/* e = G(x) + H(D) */
bool rf_split_sum(const rf_question *q, const rf_sym *e, const rf_sym **g,
                  const rf_sym **h);

/* e = map(g), "map" monotone in "hole" for every D: rising or falling. */
typedef struct {
    const rf_sym *g, *map;
    bool falling, strict;
} rf_transport;
bool rf_transport_find(const rf_question *q, const rf_sym *e,
                       const rf_sym *hole, rf_transport *out);

/* Fill in that "times" carries the reduction. */
void rf_accept(const rf_question *q, rf_separation *out, rf_times times,
               const rf_sym *later);
/* and, or */
void rf_separate_logic(const rf_question *q, rf_separation *out);

/* A smallest node to blame for rf_split_product, and why. */
const rf_sym *rf_blame_product(const rf_question *q, const rf_sym *e);
const char *rf_reason_mixed(const rf_question *q, const rf_sym *e);

/* Look for two inputs that no merge can tell apart. */
bool rf_counterexample_find(const rf_question *q, rf_counterexample *out);

/* x (+) y */
double rf_fold_value(rf_reduce_op op, double x, double y);

/* ---- linear.c: linear algebra over the constants ---- */

/* e = sum of coef * key: the keys are products of what depends on x, the
 * coefficients are free of x. */
typedef struct {
    const rf_sym *key, *coef;
} rf_term;
typedef RF_ARRAY(rf_term) rf_form;
/* False if the denominator mixes; the form is freed with RF_CLEAR. */
bool rf_form_of(rf_algebra *alg, const rf_sym *e, rf_form *out);
/* Find c with SUM c[k] * rows[k] = target for every x; false if there is none.
 */
bool rf_combine(rf_algebra *alg, size_t n, const rf_sym *const *rows,
                const rf_sym *target, const rf_sym **c);
/* The derivative of the normal form of "e" by the generator "gen" (a node of
 * e), all other generators being held; NULL if "gen" is in the denominator. */
const rf_sym *rf_generator_derivative(rf_algebra *alg, const rf_sym *e,
                                      const rf_sym *gen);

/* ---- equal.c, cases.c ---- */

/* True if the normal form of "e" is 0. */
bool rf_is_zero_form(rf_algebra *alg, const rf_sym *e);
/* The same in every case of its max, abs, <, select ... */
bool rf_is_zero_in_all_cases(rf_algebra *alg, const rf_sym *e);
/* The innermost node of "e" that has cases. */
const rf_sym *rf_choice_of(const rf_sym *e);
/* "e" with every select on "c" replaced by its first (second) branch. */
const rf_sym *rf_choose(rf_algebra *alg, const rf_sym *e, const rf_sym *c,
                        bool truth);
/* Add a fact and what follows by adding an earlier one, where terms cancel:
 * a >= b and b >= c give a >= c. */
void rf_push_fact(rf_algebra *alg, const rf_sym *e, rf_fact_kind kind);
/* The value of the atom "v" by e = 0, linear in v; NULL if it is not. */
const rf_sym *rf_solve_for(rf_algebra *alg, const rf_sym *e, const rf_sym *v);

/* ---- post.c ---- */

/* A list of replacements, all made at once. */
typedef struct {
    rf_nodes from, to;
} rf_bindings;
void rf_bindings_add(rf_bindings *b, const rf_sym *from, const rf_sym *to);
void rf_bindings_clear(rf_bindings *b);
const rf_sym *rf_bind(rf_algebra *alg, const rf_bindings *b, const rf_sym *e);

/* "e" with "count" for the length. */
const rf_sym *rf_at_count(rf_syms *s, const rf_definitions *defs,
                          const rf_sym *e, const rf_sym *count);
/* The definition k < i of a sum S in which the post step i is a*S + b; -1 if
 * there is none. */
int rf_inner_sum(rf_algebra *alg, const rf_definitions *defs, unsigned i,
                 const rf_sym **a, const rf_sym **b);

/* ---- questions ---- */

bool rf_has_exponential(const rf_sym *e);
bool rf_mentions_any(const rf_sym *e, unsigned n, const rf_sym *const *nodes);
/* True if evaluating "e" is proven never to divide by 0 or leave the domain of
 * a function. */
bool rf_is_defined(rf_algebra *alg, const rf_sym *e);
/* Append the atoms of "e" to "out", each once, oldest first. */
void rf_collect_atoms(rf_nodes *out, const rf_sym *e);

#endif
