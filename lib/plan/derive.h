/* Inside derive.c, closure.c and their like: translating members to algebra and
 * back. */
#ifndef RF_PLAN_DERIVE_H
#define RF_PLAN_DERIVE_H

#include "algebra/algebra.h"
#include "plan/planning.h"

/* How a symbol of the algebra is written in C. */
typedef struct {
    const rf_sym *sym, *atom; /* the atom's key is the value */
} rf_image;

/* Why a member cannot join the pass of what it uses. */
typedef struct {
    const rf_member *member;
    const rf_val *value; /* what has no merge, or NULL */
    const char *reason;  /* NULL: by the algebra */
    rf_diag_name name;   /* RF_DIAG_ERROR: by the algebra */
    rf_range at;         /* RF_NOWHERE: where "value" was written */
    const char *clause; /* what unblocks it: "finite", "mass > 0"; NULL: none */
    const rf_sym *ratio; /* F separates, but what runs may leave the range of
                          * the type; or NULL */

} rf_blame;

typedef struct {
    rf_planner *p;
    rf_reals *reals;
    rf_algebra *alg;
    rf_vals *vals;

    RF_ARRAY(rf_image) images;
    rf_blame trial; /* of the member that is tried */
    rf_blame told;  /* the first, or the first that no clause unblocks */
} rf_deriver;

/* blame.c: the innermost part of "v" that has no merge under "op", or NULL. */
const rf_val *rf_derive_blame(rf_deriver *d, rf_reduce_op op, const rf_val *v,
                              unsigned n, const rf_sym *const *results);
/* Blame recurrence "m", which uses a result of its own pass. */
void rf_derive_blame_fold(rf_deriver *d, const rf_member *m);

/* "e" as a value of the type of "m"; "state" is the state of "m". */
const rf_val *rf_derive_val(rf_deriver *d, const rf_member *m, const rf_sym *e,
                            const rf_sym *state);
void rf_derive_image(rf_deriver *d, const rf_sym *sym, const rf_val *val);

/* True if the result may be infinite while the loop runs although no element
 * is: a maximum that begins with -INFINITY or with the first element. */
bool rf_derive_may_be_infinite(const rf_member *m);

/* True if no exponential in "f", a term of "m", overflows with a running value
 * where it does not with the final one; else sets the reason. */
bool rf_derive_is_bounded(rf_deriver *d, const rf_member *m, const rf_sym *f);

/* exp, exp2 or exp10 of something; a test for rf_val_find. */
bool rf_derive_is_exp(const rf_val *v, const void *data);
/* The constant 0, also cast. */
bool rf_derive_is_zero(const rf_val *v);

/* shift.c: the least value of "red", a sum of exponentials that their maximum
 * shifts, where it is not 0 and some exponential is not; 0: it is no such sum.
 */
double rf_derive_least_weight_sum(rf_deriver *d, const rf_red *red);
/* shift.c: "v" has an exponential that is at most about 1: exp(c * (t - m)), m
 * the maximum of t. */
bool rf_derive_has_weight(rf_deriver *d, const rf_val *v);
/* The exponent is c*(t - d) + r with d the maximum of t, c > 0 and r free of
 * x and d. */
bool rf_derive_is_shifted(rf_deriver *d, const rf_sym *exponent,
                          const rf_member *shift, bool *usable);

/* defer.c: what "m" does once at the end has the range of what the source does
 * in every step; else sets the reason. */
bool rf_derive_keeps_range(rf_deriver *d, rf_member *m);
/* Give the reason for which the member that is tried cannot join its pass. */
void rf_derive_explain(rf_deriver *d, rf_diag_name name, rf_range at,
                       const char *reason);

/* The result of "m" is made of its state, or of others, after the loop: it has
 * no old value in a step. */
bool rf_derive_is_finished_later(const rf_member *m);
/* Give that as the reason. */
void rf_derive_explain_later(rf_deriver *d);

/* The same; assume("clause") unblocks it. */
void rf_derive_explain_clause(rf_deriver *d, rf_diag_name name,
                              const char *reason, const char *clause);

/* counterexample.c: numbers for which a running form of the member that is
 * blamed would differ, as text; NULL: none were found. */
const char *rf_derive_counterexample(rf_deriver *d);

/* overflow.c: "v", a ratio, with the integer arithmetic on old values in a type
 * that holds every result; NULL if there is none. */
const rf_val *rf_derive_widen(rf_deriver *d, const rf_val *v);

/* rounding.c: set the bound of "m", which "s" carries (NULL: it uses no running
 * result), or which a step carries that moves with the results. */
void rf_derive_rounding(rf_deriver *d, rf_member *m, const rf_separation *s);
void rf_derive_moving(rf_deriver *d, rf_member *m, unsigned n,
                      const rf_sym *const *results);

/* The same as rf_derive_explain() where the algebra names the place. */
void rf_derive_give_reason(rf_deriver *d, const char *reason);

/* term.c: set what a step of "m" adds in pass "pass"; false: it can't be
 * written. */
bool rf_derive_write_term(rf_deriver *d, rf_member *m, const rf_separation *s,
                          unsigned pass);
/* Some result of pass "pass" in "v" cancels out of "f", which is "v"
 * simplified.
 */
bool rf_derive_uses_cancelled(const rf_deriver *d, const rf_val *v,
                              const rf_sym *f, unsigned pass);
/* "v" means "s". */
bool rf_derive_is_real(rf_deriver *d, const rf_val *v, const rf_sym *s);
/* "v" uses a result that is infinite when no step was made. */
bool rf_derive_has_infinite(rf_deriver *d, const rf_val *v);
/* infinite.c: the ratio of "m" has c * (m_old - m), and not c * m_old - c * m,
 * which may be inf - inf. */
bool rf_derive_is_one_difference(rf_deriver *d, const rf_member *m,
                                 const rf_member *shift);
/* "m", shifted by the running "shift", does without values that are
 * no numbers while it is infinite; else sets the reason. */
bool rf_derive_check_shift(rf_deriver *d, rf_member *m, const rf_separation *s,
                           rf_member *shift);
/* needed.c: take out members that nothing uses. */
void rf_derive_prune(rf_planner *p);

/* closure.c: class M (T-8, T-9). Try to carry SUM F of "m" in pass "pass" by
 * running results results[0..n-1]; adds the states that it needs before "m".
 */
bool rf_derive_closure(rf_deriver *d, rf_member *m, unsigned pass, unsigned n,
                       const rf_sym *const *results);

#endif
