/* Shifts that are infinite for a while (T-7): in
 *
 *     s = s * exp(m_old - m) + exp(x - m)
 *
 * m may still be -inf, where m_old - m and x - m are no numbers; and what runs
 * beyond its last value, as sums do, makes exp overflow or vanish. */
#include "plan/derive.h"

#include "ir/math.h"

#include <math.h>

bool rf_derive_may_be_infinite(const rf_member *m)
{
    const rf_val *v = m->init;
    if (m->red->type->kind != RF_TYPE_FLOAT &&
        m->red->type->kind != RF_TYPE_DEPENDENT)
        return false;
    if (v->kind == RF_VAL_OP && v->op == RF_OP_NEG)
        v = v->arg[0];
    v = rf_val_without_casts(v);
    return v->kind != RF_VAL_CONST || v->expr->op == RF_OP_OPAQUE ||
           (v->expr->op == RF_OP_FLOAT && !isfinite(v->expr->value.f));
}

static const rf_sym *first_exp_with(const rf_sym *e, const rf_sym *atom)
{
    if (e->kind == RF_SYM_EXP && rf_sym_mentions(e, atom))
        return e;
    for (unsigned i = 0; i < e->n; i++) {
        const rf_sym *found = first_exp_with(e->arg[i], atom);
        if (found)
            return found;
    }
    return NULL;
}

/* The exponent is c*(t - d) + r, r free of x and d. */
static bool is_shift_of(rf_deriver *d, const rf_sym *exponent, const rf_sym *c,
                        const rf_sym *t, const rf_sym *atom)
{
    rf_syms *syms = rf_reals_syms(d->reals);
    const rf_sym *rest = rf_algebra_simplify(
        d->alg, rf_sym_sub(syms, exponent,
                           rf_sym_mul(syms, c, rf_sym_sub(syms, t, atom))));
    return !rf_sym_mentions(rest, atom) &&
           !rf_sym_has_role(rest, RF_ATOM_ELEMENT);
}

/* The exponent is c*(t - d) + r with d the maximum of t, or of several t in
 * each step, c > 0 and r free of x and d: then t = -inf makes the term vanish.
 */
bool rf_derive_is_shifted(rf_deriver *d, const rf_sym *exponent,
                          const rf_member *shift, bool *usable)
{
    rf_syms *syms = rf_reals_syms(d->reals);
    const rf_sym *atom = shift->atom;
    const rf_sym *slope = rf_algebra_derivative(d->alg, exponent, atom);
    if (!slope)
        return false;
    const rf_sym *c = rf_algebra_simplify(d->alg, rf_sym_neg(syms, slope));
    rf_sign_fact sign = rf_algebra_sign(d->alg, c);
    bool max = shift->red->op == RF_REDUCE_MAX;
    *usable = sign == (max ? RF_IS_POSITIVE : RF_IS_NEGATIVE);
    const rf_sym *t = rf_real_of(
        d->reals,
        rf_derive_may_be_infinite(shift)
            ? shift->red->term
            : rf_val_without_casts(shift->red->term)); /* (int)x, nearly x */
    bool found = *usable && is_shift_of(d, exponent, c, t, atom);
    bool several = t->kind == (max ? RF_SYM_MAX : RF_SYM_MIN) &&
                   !rf_derive_may_be_infinite(shift);
    for (unsigned i = 0; *usable && several && i < t->n && !found; i++)
        found = is_shift_of(d, exponent, c, t->arg[i], atom);
    return found;
}

typedef struct {
    const rf_val *a, *b;
} difference;

static bool is_difference(const rf_val *v, const void *data)
{
    const difference *q = data;
    if (v->kind != RF_VAL_OP || v->op != RF_OP_SUB)
        return false;
    const rf_val *a = rf_val_without_casts(v->arg[0]),
                 *b = rf_val_without_casts(v->arg[1]);
    return (a == q->a && b == q->b) || (a == q->b && b == q->a);
}

bool rf_derive_is_one_difference(rf_deriver *d, const rf_member *m,
                                 const rf_member *shift)
{
    difference q = { rf_val_entry(d->vals, shift->old_var),
                     shift->red->result };
    return rf_val_find(m->ratio, is_difference, &q) != NULL;
}

bool rf_derive_is_exp(const rf_val *v, const void *data)
{
    (void)data;
    rf_math meaning = v->math;
    return meaning >= RF_MATH_EXP && meaning <= RF_MATH_EXP10;
}

/* True if the term in C has the exponential that vanishes with t - m, and not
 * its reciprocal. */
static bool term_has_shift(rf_deriver *d, const rf_member *m,
                           const rf_member *shift)
{
    const rf_val *e = rf_val_find(m->term, rf_derive_is_exp, NULL);
    bool usable;
    return e && rf_derive_is_shifted(d, rf_real_of(d->reals, e->arg[0]), shift,
                                     &usable);
}

/* Every exponential of "f" with a running value has no exponent above a
 * constant: with the final value in its place it may be finite where a running
 * one overflows. */
static bool is_bounded(rf_deriver *d, const rf_sym *f, const rf_member *shift)
{
    bool usable;
    if (f->kind == RF_SYM_EXP && rf_sym_mentions(f, shift->atom))
        return shift->red->op > RF_REDUCE_OR || /* the proof runs these */
               (rf_reduce_is_extremum(shift->red->op) &&
                rf_derive_is_shifted(d, f->arg[0], shift, &usable));
    for (unsigned i = 0; i < f->n; i++)
        if (!is_bounded(d, f->arg[i], shift))
            return false;
    return true;
}

/* True if "part" is one of the conditions that make up "all". */
static bool has_condition(const rf_val *all, const rf_val *part)
{
    return all == part ||
           (all && all->kind == RF_VAL_OP && all->op == RF_OP_AND &&
            (has_condition(all->arg[0], part) ||
             has_condition(all->arg[1], part)));
}

/* True if "v" uses the result of "shift" only where the guard of "shift" is one
 * of the conditions: c ? exp(x - m) : 0. */
static bool uses_under_guard(const rf_val *v, const rf_member *shift)
{
    if (v == shift->red->result)
        return false;
    if (!rf_val_mentions(v, shift->red->result))
        return true;
    bool selects = v->kind == RF_VAL_OP && v->op == RF_OP_SELECT &&
                   has_condition(v->arg[0], shift->red->guard);
    for (unsigned i = 0; i < v->n; i++)
        if (!(selects && i == 1) && !uses_under_guard(v->arg[i], shift))
            return false;
    return true;
}

static bool implies(const rf_val *all, const rf_val *guard)
{
    return !guard || has_condition(all, guard) ||
           (guard->kind == RF_VAL_OP && guard->op == RF_OP_AND &&
            implies(all, guard->arg[0]) && implies(all, guard->arg[1]));
}

/* True if every element that "m" shifts is one of "shift". */
static bool shifts_all(const rf_member *m, const rf_member *shift)
{
    return implies(m->red->guard, shift->red->guard) ||
           uses_under_guard(m->red->term, shift);
}

/* The only parameter in "e" beside numbers, or NULL. */
static const rf_sym *lone_parameter(const rf_sym *e)
{
    const rf_sym *found = NULL;
    if (e->kind == RF_SYM_ATOM)
        return e->atom->role == RF_ATOM_PARAM ? e : NULL;
    for (unsigned i = 0; i < e->n; i++) {
        const rf_sym *inner = lone_parameter(e->arg[i]);
        if (found && inner && inner != found)
            return NULL;
        found = found ? found : inner;
    }
    return found;
}

/* True if "shift" is the extremum of several numbers of each step, which may
 * all be infinite so far: then t - d is no number. */
static bool is_infinite_among_several(rf_deriver *d, const rf_member *shift)
{
    if (!rf_reduce_is_extremum(shift->red->op) ||
        !rf_derive_may_be_infinite(shift))
        return false;
    rf_sym_kind kind =
        shift->red->op == RF_REDUCE_MAX ? RF_SYM_MAX : RF_SYM_MIN;
    return rf_real_of(d->reals, shift->red->term)->kind == kind;
}

/* Why an exponential of "f" with the running "shift" may overflow, and what
 * would unblock it. */
static void explain_unbounded(rf_deriver *d, const rf_member *m,
                              const rf_sym *f, const rf_member *shift)
{
    const rf_sym *e = first_exp_with(f, shift->atom);
    const rf_sym *slope =
        e ? rf_algebra_derivative(d->alg, e->arg[0], shift->atom) : NULL;
    const rf_sym *sign = slope ? lone_parameter(slope) : NULL;
    if (rf_derive_may_be_infinite(shift) && !shifts_all(m, shift)) {
        rf_derive_give_reason(
            d, "the shift leaves out elements; assume(finite) and a finite "
               "first value unblock this");
        return;
    }
    if (is_infinite_among_several(d, shift)) {
        rf_derive_explain_clause(
            d, RF_DIAG_ERROR,
            "of several elements a step all may be infinite so far; "
            "assume(finite) or a finite first value unblocks this",
            "finite");
        return;
    }
    if (sign && rf_algebra_sign(d->alg, sign) & RF_IS_NEGATIVE &&
        slope->roles == 1u << RF_ATOM_PARAM)
        rf_derive_explain_clause(
            d, RF_DIAG_ERROR,
            rf_arena_printf(d->p->arena,
                            "the exponential may overflow while the shift is "
                            "not final, as the sign of '%s' is not known; "
                            "assume(%s > 0) unblocks this",
                            sign->atom->name, sign->atom->name),
            rf_arena_printf(d->p->arena, "%s > 0", sign->atom->name));
    else
        rf_derive_explain_clause(
            d, RF_DIAG_ERROR,
            "the exponential may overflow while the shift is not final; "
            "assume(finite) unblocks this",
            "finite");
}

/* Running sums and products pass beyond what they end with, and exp of that
 * overflows or vanishes although no result does: no promise about results
 * helps. */
static bool has_wandering_shift(rf_deriver *d, const rf_member *m,
                                const rf_sym *f)
{
    const rf_plan *plan = d->p->plan;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *o = plan->members.data[i];
        if (o == m || !o->atom || o->red->op > RF_REDUCE_OR ||
            rf_reduce_is_extremum(o->red->op) || !first_exp_with(f, o->atom))
            continue;
        rf_derive_give_reason(
            d, rf_arena_printf(
                   d->p->arena,
                   "'%s' may pass beyond its last value while it runs, "
                   "where the exponential overflows or vanishes",
                   o->red->var ? o->red->var->name : "a result"));
        return true;
    }
    return false;
}

bool rf_derive_is_bounded(rf_deriver *d, const rf_member *m, const rf_sym *f)
{
    const rf_plan *plan = d->p->plan;
    if (has_wandering_shift(d, m, f))
        return false;
    for (size_t i = 0; i < plan->members.len && !d->p->mark->finite; i++) {
        const rf_member *o = plan->members.data[i];
        if (o == m || !o->atom ||
            (is_bounded(d, f, o) &&
             (shifts_all(m, o) || !first_exp_with(f, o->atom))))
            continue;
        explain_unbounded(d, m, f, o);
        return false;
    }
    return true;
}

bool rf_derive_check_shift(rf_deriver *d, rf_member *m, const rf_separation *s,
                           rf_member *shift)
{
    if (!rf_derive_may_be_infinite(shift))
        return true;
    if (!shifts_all(m, shift)) {
        rf_derive_give_reason(
            d, "the shift leaves out elements and may be infinite; a "
               "finite first value unblocks this");
        return false;
    }
    if (d->p->mark->finite)
        return true;
    if (!rf_reduce_is_extremum(shift->red->op)) {
        rf_derive_give_reason(
            d, "the shift may be infinite while the terms are finite");
        return false;
    }
    const rf_sym *atom = shift->atom;
    const rf_sym *e = first_exp_with(s->lift, atom);
    bool usable = false;
    if (!e || !rf_derive_is_shifted(d, e->arg[0], shift, &usable)) {
        rf_derive_explain_clause(
            d, RF_DIAG_ERROR,
            "the shift may be infinite while the term is finite; "
            "assume(finite) or a finite first value unblocks this",
            "finite");
        return false;
    }
    if (m->red->op != RF_REDUCE_SUM ||
        !rf_derive_is_one_difference(d, m, shift)) {
        rf_derive_give_reason(d, "the shift may be infinite");
        return false;
    }
    if (!term_has_shift(d, m, shift)) {
        const rf_val *plain = rf_derive_val(d, m, s->lift, NULL);
        m->term = plain ? plain : m->term;
    }
    m->dead_when = shift->red->term;
    m->dead_at_plus = shift->red->op == RF_REDUCE_MIN;
    return true;
}
