/* Inside depend/: from values to integer sets.
 *
 *   form.c     a value as a polynomial in symbols            rf_form
 *   symbol.c   symbols, their ranges, what products imply    rf_symbol
 *   affine.c   forms as piecewise affine functions
 *   domain.c   conditions and loops as sets                  rf_scope
 *
 * Everything is a parameter to isl: sizes, and also the counters of the
 * loops, so that a set has no dimensions and a question is whether it is
 * empty. The counters of the two sides of a comparison are told apart by a
 * tag; tag 0 is what both sides share. */
#ifndef RF_DEPEND_INSIDE_H
#define RF_DEPEND_INSIDE_H

#include "depend/depend.h"

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

enum { RF_MAX_FACTORS = 4, RF_TAGS = 3 };

/* A leaf value, or a product of symbols that stands for itself. */
typedef struct rf_symbol {
    unsigned id;
    unsigned tag;
    const rf_val *val;   /* leaf */
    const char *builtin; /* leaf: "blockDim.x", or NULL */
    unsigned n;          /* product: number of factors */
    const struct rf_symbol *factor[RF_MAX_FACTORS];
    isl_id *isl; /* owned */
} rf_symbol;

typedef struct {
    isl_set *set; /* owned */
    bool loose;   /* larger than the truth */
} rf_facts;

struct rf_depend {
    rf_arena *arena;
    isl_ctx *ctx;
    RF_ARRAY(rf_symbol *) symbols;
    /* The conjunction of the facts after each rf_depend_fact or _enter. */
    RF_ARRAY(rf_facts) facts;
    bool no_wrap;
};

/* coef * product of factors, which are sorted by id */
typedef struct {
    int64_t coef;
    unsigned n;
    const rf_symbol *factor[RF_MAX_FACTORS];
} rf_term;

/* A value v of an integer type: v = sum of terms if "exact", else only
 * v = sum of terms (mod 2^bits). */
typedef struct {
    bool ok; /* false: not a polynomial that fits */
    bool exact;
    unsigned bits;
    unsigned n;
    rf_term *term; /* in the scope's arena; distinct, nonzero */
} rf_form;

/* One question: what is known, and the loops of either side. */
typedef struct {
    rf_depend *depend;
    rf_arena *arena;
    isl_set *set; /* facts, domains, guards */
    rf_nest side[RF_TAGS];
    bool loose[RF_TAGS]; /* the domain of this side is larger than the truth */
    bool wraps[RF_TAGS]; /* a counter may wrap and repeat its values */
} rf_scope;

/* ---- symbol.c ---- */

/* The symbol of "v", a leaf on side "tag". */
const rf_symbol *rf_symbol_of(rf_scope *scope, unsigned tag, const rf_val *v);
const rf_symbol *rf_symbol_product(rf_scope *scope, const rf_term *term);
/* True if "v" can differ between iterations of "nest". */
bool rf_varies_in(const rf_val *v, const rf_nest *nest);
/* The parameter of "s". */
isl_pw_aff *rf_symbol_parameter(rf_scope *scope, const rf_symbol *s);
/* Add to "set" (taken) what is known about all its parameters. */
isl_set *rf_symbols_bound(rf_scope *scope, isl_set *set);
/* True if all parameters of "set" are free integers, so that each point is a
 * true counterexample. */
bool rf_symbols_plain(isl_set *set);
/* A point of "set" as text, in the arena of the depend; NULL if none. */
const char *rf_symbols_witness(rf_scope *scope, isl_set *set);

/* ---- form.c ---- */

rf_form rf_depend_form_of(rf_scope *scope, unsigned tag, const rf_val *v);
/* Likewise, but always exact: a value that may have wrapped is a symbol. */
rf_form rf_form_exact(rf_scope *scope, unsigned tag, const rf_val *v);
rf_form rf_form_constant(rf_scope *scope, int64_t value);
/* a + factor * b */
rf_form rf_form_add(rf_scope *scope, rf_form a, rf_form b, int64_t factor);
rf_form rf_form_multiply(rf_scope *scope, rf_form a, rf_form b);
/* True if some product in "form" has a factor that varies. */
bool rf_form_is_nonlinear(const rf_form *form);

/* ---- affine.c ---- */

isl_pw_aff *rf_affine_constant(rf_scope *scope, int64_t value);
isl_pw_aff *rf_affine_of(rf_scope *scope, const rf_form *form);
/* The value "v" exactly. */
isl_pw_aff *rf_affine_value(rf_scope *scope, unsigned tag, const rf_val *v);
/* Where "value" (taken) is a value of "type". */
isl_set *rf_affine_in_type(rf_scope *scope, isl_pw_aff *value,
                           const rf_type *type);
bool rf_type_is_integer(const rf_type *type);
unsigned rf_type_bits(const rf_type *type);
/* 2^n */
isl_val *rf_power_of_two(isl_ctx *ctx, unsigned n);

/* ---- domain.c ---- */

rf_scope rf_scope_open(rf_depend *depend);
void rf_scope_close(rf_scope *scope);
/* Make "nest" side "tag": its counters become symbols in their ranges. */
void rf_scope_enter(rf_scope *scope, unsigned tag, const rf_nest *nest);
/* The counters of "loop" as a condition on the symbol of its index. */
isl_set *rf_domain_of(rf_scope *scope, unsigned tag, const rf_loop *loop);
/* Where the test before the first iteration succeeds; NULL: cannot say. */
isl_set *rf_first_test(rf_scope *scope, unsigned tag, const rf_loop *loop);
/* Where "condition" holds, or with "negate" does not. */
isl_set *rf_condition_set(rf_scope *scope, unsigned tag,
                          const rf_val *condition, bool negate);
bool rf_op_is_relation(rf_op op);
/* True if "claim" (taken) holds wherever the scope's set does. */
bool rf_scope_implies(rf_scope *scope, isl_set *claim);
/* The answer to a claim that fails exactly on "bad" (taken): YES if that is
 * empty within the scope, NO if it has a true counterexample. */
rf_answer rf_scope_judge(rf_scope *scope, isl_set *bad, const char **why);

#endif
