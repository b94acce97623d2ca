/* What each member carries (T-5, T-6, T-7), and in which pass it can run:
 *
 *     pass(d) = max over the results e that d uses of pass(e) + s(d, e)
 *     s = 0 if F separates in the running e, 1 if it needs the final e
 *
 * which is the least number of passes for these reductions: in any schedule of
 * loops over the axis d cannot run before a loop that carries the e it uses,
 * nor in the loop that ends e where no running form of d was found; by
 * induction along the order of definition pass(d) is a bound from below for
 * each d, and running every d in pass(d) reaches all bounds at once. */
#include "plan/derive.h"
#include "algebra/algebra.h"
#include "ir/math.h"
#include "plan/planning.h"

#include <math.h>

/* ---- reasons ---- */

void rf_derive_explain(rf_deriver *d, rf_diag_name name, rf_range at,
                       const char *reason)
{
    d->trial.reason = reason;
    d->trial.name = name;
    d->trial.at = at;
    d->trial.clause = NULL;
}

void rf_derive_explain_clause(rf_deriver *d, rf_diag_name name,
                              const char *reason, const char *clause)
{
    rf_derive_explain(d, name, RF_NOWHERE, reason);
    d->trial.clause = clause;
}

/* The algebra names the place. */
static void explain(rf_deriver *d, const char *reason)
{
    rf_derive_explain(d, RF_DIAG_ERROR, RF_NOWHERE, reason);
}

bool rf_derive_is_finished_later(const rf_member *m)
{
    return m->later != NULL;
}

void rf_derive_explain_later(rf_deriver *d)
{
    explain(d, "it follows a result that is finished only after the loop, by "
               "a factor or out of several sums");
}

/* ---- atoms for results ---- */

static rf_sign sign_of(rf_deriver *d, const rf_member *m)
{
    if (m->red->op > RF_REDUCE_OR)
        return RF_SIGN_ANY;
    return rf_algebra_reduce_sign(d->alg, m->red->op,
                                  rf_real_of(d->reals, m->red->term),
                                  rf_real_of(d->reals, m->init));
}

static void bind_result(rf_deriver *d, rf_member *m)
{
    rf_buf name = { 0 };
    rf_val_print(&name, m->red->result);
    const rf_sym *atom = rf_sym_atom_signed(
        rf_reals_syms(d->reals), RF_ATOM_RESULT,
        m->red->var ? m->red->var->name
                    : rf_arena_strdup(d->p->arena, rf_buf_text(&name)),
        m->red->result, sign_of(d, m));
    rf_buf_free(&name);
    m->atom = atom;
    rf_reals_bind(d->reals, m->red->result, atom);
    const rf_sym *old = rf_algebra_old(d->alg, atom);
    rf_reals_bind(d->reals, rf_val_entry(d->vals, m->old_var), old);
    rf_derive_image(d, old, rf_val_entry(d->vals, m->old_var));
}

/* ---- translation of symbols back ---- */

/* "e" as a value: old atoms become the old variables, the state atom the
 * state variable. */
const rf_val *rf_derive_val(rf_deriver *d, const rf_member *m, const rf_sym *e,
                            const rf_sym *state)
{
    rf_syms *syms = rf_reals_syms(d->reals);
    size_t n = d->images.len;
    const rf_sym **from = RF_NEW_ARRAY(d->p->arena, n + 1, const rf_sym *);
    const rf_sym **to = RF_NEW_ARRAY(d->p->arena, n + 1, const rf_sym *);
    for (size_t i = 0; i < n; i++) {
        from[i] = d->images.data[i].sym;
        to[i] = d->images.data[i].atom;
    }
    if (state) {
        from[n] = state;
        to[n++] = rf_sym_atom(syms, RF_ATOM_STATE, "state",
                              rf_val_entry(d->vals, m->state_var));
    }
    return rf_real_to_val(
        d->reals, rf_sym_subst(syms, e, (unsigned)n, from, to), m->red->type);
}

/* From now on "sym" is written as "val". */
void rf_derive_image(rf_deriver *d, const rf_sym *sym, const rf_val *val)
{
    const rf_sym *atom =
        rf_sym_atom(rf_reals_syms(d->reals), RF_ATOM_STATE, "image", val);
    RF_PUSH(d->images, (rf_image){ .sym = sym, .atom = atom });
}

/* ---- the term without its deferred factors ---- */

static bool is_deferrable(rf_deriver *d, const rf_val *v, unsigned pass)
{
    const rf_sym *s = rf_real_of(d->reals, v);
    return !rf_sym_has_role(s, RF_ATOM_ELEMENT) &&
           rf_plan_result_in(d->p->plan, v, pass) != NULL;
}

/* v without factors that only results and parameters make, which "later"
 * takes over:  (a * h) * b -> a * b,  a / h -> a. */
static const rf_val *without_factors(rf_deriver *d, const rf_val *v,
                                     unsigned pass, const rf_val **later)
{
    if (v->kind == RF_VAL_CAST && v->type->kind == RF_TYPE_FLOAT)
        return rf_val_cast(d->vals, v->type,
                           without_factors(d, v->arg[0], pass, later), v->expr);
    if (v->kind == RF_VAL_OP && v->op == RF_OP_NEG) {
        const rf_val *a = without_factors(d, v->arg[0], pass, later);
        return rf_val_op(d->vals, RF_OP_NEG, v->type, 1, &a, v->expr);
    }
    if (v->kind != RF_VAL_OP || (v->op != RF_OP_MUL && v->op != RF_OP_DIV))
        return v;
    const rf_val *a = v->arg[0], *b = v->arg[1];
    if (is_deferrable(d, b, pass)) {
        *later = rf_val_op2(d->vals, v->op, v->type, *later, b);
        return without_factors(d, a, pass, later);
    }
    if (v->op == RF_OP_MUL && is_deferrable(d, a, pass)) {
        *later = rf_val_op2(d->vals, RF_OP_MUL, v->type, *later, a);
        return without_factors(d, b, pass, later);
    }
    const rf_val *left = without_factors(d, a, pass, later);
    if (v->op == RF_OP_MUL)
        b = without_factors(d, b, pass, later);
    return rf_val_op(d->vals, v->op, v->type, 2, (const rf_val *[]){ left, b },
                     v->expr);
}

static bool is_real(rf_deriver *d, const rf_val *v, const rf_sym *s)
{
    return rf_algebra_equal(d->alg, rf_real_of(d->reals, v), s) == RF_YES;
}

/* True if "v" uses a result that is infinite when no step was made. */
static bool has_infinite(rf_deriver *d, const rf_val *v)
{
    rf_plan *plan = d->p->plan;
    for (size_t i = 0; v && i < plan->members.len; i++)
        if (rf_derive_may_be_infinite(plan->members.data[i]) &&
            rf_val_mentions(v, plan->members.data[i]->red->result))
            return true;
    return false;
}

/* "v" uses a result of pass "pass" that "e", which it is in the reals, does
 * not: it cancels. */
static bool uses_cancelled(const rf_deriver *d, const rf_val *v,
                           const rf_sym *e, unsigned pass)
{
    const rf_plan *plan = d->p->plan;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *o = plan->members.data[i];
        if (o->atom && o->pass == pass && rf_val_mentions(v, o->red->result) &&
            !rf_sym_mentions(e, o->atom))
            return true;
    }
    return false;
}

/* The element term and the deferred factors in C: the author's expressions
 * where they serve, else written anew from the algebra. */
static bool write_term(rf_deriver *d, rf_member *m, const rf_separation *s,
                       unsigned pass)
{
    bool has_later = s->later && s->later != s->state;
    const rf_val *state = rf_val_entry(d->vals, m->state_var), *later = state;
    if (s->state)
        rf_reals_bind(d->reals, state, s->state);
    m->term = m->red->term;
    if (!is_real(d, m->term, s->lift))
        m->term = without_factors(d, m->red->term, pass, &later);
    if (!is_real(d, m->term, s->lift) ||
        uses_cancelled(d, m->term, s->lift, pass))
        m->term = rf_derive_val(d, m, s->lift, NULL);
    if (!has_later)
        return m->term != NULL;
    m->later = is_real(d, later, s->later)
                   ? later
                   : rf_derive_val(d, m, s->later, s->state);
    if (m->later && m->init_later)
        m->later = rf_val_op2(d->vals, RF_OP_ADD, m->red->type, m->init_later,
                              m->later);
    /* -INFINITY, where a maximum begins: - 3*a may be an infinity, too */
    bool may_cancel = rf_reduce_is_extremum(m->red->op) &&
                      rf_plan_result_in(d->p->plan, m->later, 0);
    m->later_needs_steps =
        !s->later_keeps_identity || may_cancel || has_infinite(d, m->later);
    return m->term && m->later;
}

/* ---- infinite shifts (T-7) ---- */

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

/* c * (m_old - m), and not c * m_old - c * m, which may be inf - inf. */
static bool is_one_difference(rf_deriver *d, const rf_member *m,
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
        explain(d, "the shift leaves out elements; assume(finite) and a finite "
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
        explain(d, rf_arena_printf(
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

static bool check_shift(rf_deriver *d, rf_member *m, const rf_separation *s,
                        rf_member *shift)
{
    if (!rf_derive_may_be_infinite(shift))
        return true;
    if (!shifts_all(m, shift)) {
        explain(d, "the shift leaves out elements and may be infinite; a "
                   "finite first value unblocks this");
        return false;
    }
    if (d->p->mark->finite)
        return true;
    if (!rf_reduce_is_extremum(shift->red->op)) {
        explain(d, "the shift may be infinite while the terms are finite");
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
    if (m->red->op != RF_REDUCE_SUM || !is_one_difference(d, m, shift)) {
        explain(d, "the shift may be infinite");
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

/* ---- one member ---- */

static rf_range blame_place(const rf_deriver *d, const rf_blame *b)
{
    const rf_val *v = b->value;
    if (b->at.begin != UINT32_MAX)
        return b->at;
    while (v && v->kind == RF_VAL_OP && v->op == RF_OP_AND)
        v = v->arg[1];
    return rf_plan_place_of(d->p, v, b->member->red->at);
}

/* What a clause unblocks is told only if nothing else is in the way. */
static void record(rf_deriver *d)
{
    if (d->trial.clause)
        RF_PUSH(d->p->plan->missed,
                (rf_missed){ .reason = d->trial.reason,
                             .clause = d->trial.clause,
                             .at = blame_place(d, &d->trial) });
    bool was_soft = d->told.name == RF_DIAG_ROUNDING;
    bool is_soft = d->trial.name == RF_DIAG_ROUNDING;
    if (!d->told.member || (was_soft && !is_soft))
        d->told = d->trial;
}

static void record_blame(rf_deriver *d, const rf_member *m,
                         const rf_separation *s, unsigned n,
                         const rf_sym *const *results)
{
    bool runs = s->verdict == RF_YES && s->ratio && s->later == s->state;
    d->trial.ratio = runs ? s->ratio : NULL;
    d->trial.member = m;
    d->trial.value = rf_derive_blame(d, m->red->op, m->red->term, n, results);
    if (!d->trial.reason)
        d->trial.reason = s->reason;
    record(d);
}

/* What "m" does depends on a finished result: a predicate, a recurrence. */
static void record_other_blame(rf_deriver *d, const rf_member *m,
                               const rf_val *guard)
{
    if (guard)
        explain(d, "a condition on a finished result selects the elements");
    else
        rf_derive_blame_fold(d, m);
    d->trial.ratio = NULL;
    d->trial.clause = NULL;
    d->trial.member = m;
    d->trial.value = guard;
    record(d);
}

static const rf_val *float_constant(rf_deriver *d, const rf_type *type,
                                    const char *spelling, double value)
{
    rf_expr *e = rf_expr_new(d->p->arena, RF_OP_FLOAT, type, 0, NULL);
    e->spelling = spelling;
    e->value.f = value;
    return rf_val_const(d->vals, e);
}

static const rf_val *identity_of(rf_deriver *d, rf_reduce_op op,
                                 const rf_type *type)
{
    bool is_float = type->kind == RF_TYPE_FLOAT && type->format <= RF_F64;
    if (op == RF_REDUCE_SUM || op == RF_REDUCE_PRODUCT) {
        double value = op == RF_REDUCE_PRODUCT;
        return is_float ? float_constant(d, type, NULL, value)
                        : rf_val_int(d->vals, (int64_t)value, type);
    }
    if (!is_float || !rf_reduce_is_extremum(op))
        return NULL;
    const rf_val *inf = float_constant(d, type, "INFINITY", (double)INFINITY);
    return op == RF_REDUCE_MIN
               ? inf
               : rf_val_op(d->vals, RF_OP_NEG, type, 1, &inf, NULL);
}

bool rf_derive_is_zero(const rf_val *v)
{
    return rf_val_is_number(rf_val_without_casts(v), 0);
}

static bool is_identity(rf_deriver *d, const rf_member *m)
{
    const rf_val *v = m->init;
    const rf_val *identity = identity_of(d, m->red->op, m->red->type);
    if (identity && v == identity)
        return true;
    if (m->red->op == RF_REDUCE_SUM)
        return rf_derive_is_zero(v);
    return m->red->op == RF_REDUCE_PRODUCT &&
           rf_val_is_number(rf_val_without_casts(v), 1);
}

static const rf_val *extremum_of(rf_deriver *d, const rf_member *m,
                                 const rf_val *a, const rf_val *b)
{
    const char *name =
        rf_math_extremum(m->red->op == RF_REDUCE_MAX, m->red->type);
    return rf_val_make(d->vals, &(rf_val){ .kind = RF_VAL_CALL,
                                           .type = m->red->type,
                                           .name = name,
                                           .n = 2,
                                           .arg = (const rf_val *[]){ a, b } });
}

/* d = init (+) later(state): the state begins with the identity and the
 * author's first value joins at the end. */
static bool split_init(rf_deriver *d, rf_member *m)
{
    const rf_val *identity = identity_of(d, m->red->op, m->red->type);
    if (!identity)
        return false;
    const rf_val *state = rf_val_entry(d->vals, m->state_var);
    const rf_val *later = m->later ? m->later : state;
    m->init_later = m->init;
    m->init = identity;
    if (m->red->op == RF_REDUCE_SUM || m->red->op == RF_REDUCE_PRODUCT)
        m->later = rf_val_op2(
            d->vals, m->red->op == RF_REDUCE_SUM ? RF_OP_ADD : RF_OP_MUL,
            m->red->type, m->init_later, later);
    else
        m->later = extremum_of(d, m, m->init_later, later);
    return true;
}

/* The shifts of "ratio": members whose old value it names. */
static bool set_shifts(rf_deriver *d, rf_member *m, const rf_separation *s)
{
    rf_plan *plan = d->p->plan;
    m->shifts = RF_NEW_ARRAY(d->p->arena, plan->members.len, rf_member *);
    for (size_t i = 0; i < plan->members.len; i++) {
        rf_member *o = plan->members.data[i];
        if (!rf_val_mentions(m->ratio, rf_val_entry(d->vals, o->old_var)))
            continue;
        if (rf_derive_is_finished_later(o)) {
            rf_derive_explain_later(d);
            return false;
        }
        if (!check_shift(d, m, s, o))
            return false;
        m->shifts[m->n_shifts++] = o;
    }
    return true;
}

/* The ratio in the author's own form: exp(c * (t - m)) with the old m for t is
 * exp(c * (m_old - m)), which an infinite m_old makes 0 and not NaN. */
static const rf_val *write_ratio(rf_deriver *d, rf_member *m,
                                 const rf_separation *s)
{
    const rf_val *e = rf_val_find(m->term, rf_derive_is_exp, NULL);
    for (size_t i = 0; e && i < d->p->plan->members.len; i++) {
        const rf_member *o = d->p->plan->members.data[i];
        if (!o->atom || !rf_val_mentions(e, o->red->result))
            continue;
        const rf_val *t = o->red->term;
        const rf_val *old = rf_val_entry(d->vals, o->old_var);
        const rf_val *ratio = rf_val_subst(d->vals, e, 1, &t, &old);
        if (is_real(d, ratio, s->ratio))
            return ratio;
    }
    return rf_derive_val(d, m, s->ratio, NULL);
}

/* True if no shift that may be infinite stands apart from its old value. */
static bool keeps_one_difference(rf_deriver *d, const rf_member *m)
{
    for (size_t i = 0; i < d->p->plan->members.len; i++) {
        const rf_member *o = d->p->plan->members.data[i];
        if (o->atom && rf_derive_may_be_infinite(o) &&
            rf_val_mentions(m->ratio, rf_val_entry(d->vals, o->old_var)) &&
            !is_one_difference(d, m, o))
            return false;
    }
    return true;
}

/* exp(c*m_old - c*m) as exp(c * (m_old - m)), if "ratio" is the call of an
 * exponential of such a difference; else "ratio". */
static const rf_val *factor_ratio(rf_deriver *d, rf_member *m,
                                  const rf_separation *s, const rf_val *ratio)
{
    if (!ratio || ratio->kind != RF_VAL_CALL || !rf_derive_is_exp(ratio, NULL))
        return ratio;
    for (size_t i = 0; i < d->p->plan->members.len; i++) {
        const rf_member *o = d->p->plan->members.data[i];
        const rf_val *old = rf_val_entry(d->vals, o->old_var);
        if (!o->atom || !rf_val_mentions(ratio, old) ||
            !rf_derive_may_be_infinite(o))
            continue;
        const rf_sym *c = rf_algebra_derivative(
            d->alg, rf_real_of(d->reals, ratio->arg[0]), o->atom);
        c = c ? rf_algebra_simplify(d->alg,
                                    rf_sym_neg(rf_reals_syms(d->reals), c))
              : NULL;
        const rf_val *scale = c ? rf_derive_val(d, m, c, NULL) : NULL;
        const rf_type *t = m->red->type;
        const rf_val *by =
            rf_val_op2(d->vals, RF_OP_SUB, t, old, o->red->result);
        const rf_val *arg =
            scale ? rf_val_op2(d->vals, RF_OP_MUL, t, scale, by) : NULL;
        rf_val proto = *ratio;
        proto.arg = &arg;
        const rf_val *made = arg ? rf_val_make(d->vals, &proto) : NULL;
        if (made && is_real(d, made, s->ratio))
            return made;
    }
    return ratio;
}

static bool accept(rf_deriver *d, rf_member *m, const rf_separation *s,
                   unsigned pass)
{
    bool has_later = s->later && s->later != s->state;
    if (s->reduce != m->red->op || !write_term(d, m, s, pass))
        return false;
    if (rf_reduce_is_extremum(m->red->op) && has_infinite(d, m->later) &&
        !d->p->mark->finite) {
        rf_derive_explain_clause(
            d, RF_DIAG_ERROR,
            "a result that may be infinite is added to a maximum; "
            "assume(finite) unblocks this",
            "finite");
        return false;
    }
    if ((has_later || s->ratio) && !is_identity(d, m) && !split_init(d, m)) {
        explain(d, "the accumulator begins with a value that a factor of the "
                   "terms would scale");
        return false;
    }
    if (!s->ratio)
        return true;
    if (!rf_derive_is_bounded(d, m, s->lift))
        return false;
    m->ratio = s->times == RF_TIMES_MUL ? write_ratio(d, m, s) : NULL;
    if (m->ratio && !keeps_one_difference(d, m))
        m->ratio = factor_ratio(d, m, s, m->ratio);
    m->ratio = m->ratio ? rf_derive_widen(d, m->ratio) : NULL;
    return m->ratio && set_shifts(d, m, s);
}

/* Results of pass "pass" that the term of "m" uses. */
static unsigned running_results(rf_deriver *d, const rf_member *m,
                                unsigned pass, const rf_sym **out)
{
    rf_plan *plan = d->p->plan;
    unsigned n = 0;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *o = plan->members.data[i];
        if (o != m && o->atom && o->pass == pass &&
            rf_val_mentions(m->red->term, o->red->result))
            out[n++] = o->atom;
    }
    return n;
}

static unsigned latest_use(rf_deriver *d, const rf_member *m, const rf_val *v)
{
    rf_plan *plan = d->p->plan;
    unsigned latest = 0;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *o = plan->members.data[i];
        if (o == m)
            break;
        if (v && rf_val_mentions(v, o->red->result) && o->pass >= latest)
            latest = o->pass + 1;
    }
    return latest; /* 0: uses none */
}

static bool has_extremum(const rf_deriver *d, const rf_sym *e)
{
    const rf_plan *plan = d->p->plan;
    for (size_t i = 0; i < plan->members.len; i++)
        if (plan->members.data[i]->atom == e)
            return rf_reduce_is_order(plan->members.data[i]->red->op);
    for (unsigned i = 0; i < e->n; i++)
        if (has_extremum(d, e->arg[i]))
            return true;
    return false;
}

/* True if a maximum to the power of "power", or a higher one, divides in "e".
 */
static bool divides(const rf_deriver *d, const rf_sym *e, int64_t power)
{
    bool is_power = e->kind == RF_SYM_POW && e->arg[1]->kind == RF_SYM_RAT;
    int64_t n = is_power ? e->arg[1]->num / e->arg[1]->den : 1;
    if (n <= -power && has_extremum(d, e->arg[0]))
        return true;
    if (n >= 2)
        power = 1;
    for (unsigned i = 0; i < e->n; i++)
        if (divides(d, e->arg[i], power))
            return true;
    return false;
}

/* Sum (x / m)^2 with the maximum m: without the division the squares of large
 * or small elements leave the range of the type. */
static bool keeps_range(rf_deriver *d, const rf_sym *f)
{
    if (d->p->mark->finite || d->p->mark->rounding || !divides(d, f, 2))
        return true;
    rf_derive_explain_clause(
        d, RF_DIAG_ROUNDING,
        "without the division, powers of the elements may leave the range of "
        "their type; assume(finite) unblocks this",
        "finite");
    return false;
}

static bool divides_by_zero(const rf_sym *e)
{
    if (e->kind == RF_SYM_POW && rf_sym_is_int(e->arg[0], 0))
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (divides_by_zero(e->arg[i]))
            return true;
    return false;
}

/* a - a is 0 for a number a, but not for infinity. */
static bool cancels_safely(rf_deriver *d, const rf_member *m, const rf_sym *f,
                           unsigned pass)
{
    if (divides_by_zero(f)) {
        rf_derive_explain(d, RF_DIAG_ROUNDING, RF_NOWHERE,
                          "a divisor of this term is always zero");
        return false;
    }
    if (d->p->mark->finite || !uses_cancelled(d, m->red->term, f, pass))
        return true;
    rf_derive_explain_clause(d, RF_DIAG_ROUNDING,
                             "an earlier result cancels out of this term, but "
                             "not where it is infinite; assume(finite) "
                             "unblocks this",
                             "finite");
    return false;
}

/* Results that are final when "m" runs are parameters of its term. */
static bool try_separate(rf_deriver *d, rf_member *m, unsigned pass)
{
    const rf_sym **results =
        RF_NEW_ARRAY(d->p->arena, d->p->plan->members.len, const rf_sym *);
    unsigned n = running_results(d, m, pass, results);
    if (!n)
        return true;
    if (m->red->op > RF_REDUCE_OR) {
        record_other_blame(d, m, NULL);
        return false;
    }
    rf_separation s = { 0 };
    const rf_sym *f = rf_real_of(d->reals, m->red->term);
    explain(d, NULL);
    bool in_range = keeps_range(d, f) &&
                    cancels_safely(d, m, rf_algebra_simplify(d->alg, f), pass);
    bool ok = in_range &&
              rf_separate(d->alg, m->red->op, f, n, results, &s) == RF_YES &&
              accept(d, m, &s, pass);
    in_range = in_range && (!ok || rf_derive_keeps_range(d, m));
    if (ok && in_range) {
        m->g = s.g ? rf_derive_val(d, m, s.g, NULL) : NULL;
        m->h = s.h ? rf_derive_val(d, m, s.h, NULL) : NULL;
        m->times = rf_times_name(s.times);
        rf_derive_rounding(d, m, &s);
        return true;
    }
    if (m->red->op == RF_REDUCE_SUM && in_range) {
        m->later = NULL;
        if (rf_derive_closure(d, m, pass, n, results)) {
            rf_derive_moving(d, m, n, results);
            return true;
        }
    }
    record_blame(d, m, &s, n, results);
    m->term = m->red->term;
    m->ratio = m->later = NULL;
    if (m->init_later)
        m->init = m->init_later;
    m->init_later = NULL;
    if (latest_use(d, m, m->init))
        split_init(d, m);
    m->n_shifts = 0;
    m->dead_when = NULL;
    return false;
}

static void derive_member(rf_deriver *d, rf_member *m)
{
    if (latest_use(d, m, m->init) && m->red->op == RF_REDUCE_SUM)
        split_init(d, m); /* a first term of its own joins at the end */
    unsigned term = latest_use(d, m, m->red->term);
    unsigned fixed = latest_use(d, m, m->red->guard);
    unsigned init = latest_use(d, m, m->init);
    fixed = init > fixed ? init : fixed;
    m->pass = term ? term - 1 : 0;
    if (latest_use(d, m, m->red->guard) > m->pass)
        record_other_blame(d, m, m->red->guard);
    if (fixed > m->pass)
        m->pass = fixed;
    if (term && !try_separate(d, m, m->pass))
        m->pass++;
    if (!m->bound)
        rf_derive_rounding(d, m, NULL);
    bind_result(d, m);
}

/* A recurrence runs beside the accumulators whose running values it reads: in
 * the latest of their passes. */
static bool join_companions(rf_deriver *d, rf_member *m)
{
    const rf_plan *plan = d->p->plan;
    unsigned latest = m->pass;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *o = plan->members.data[i];
        if (m->red->op == RF_REDUCE_FOLD && o->red->phi &&
            (o->red->pass == m->red->pass || o->red->is_shared) &&
            o->pass > latest && rf_val_mentions(m->red->next, o->red->phi))
            latest = o->pass;
    }
    if (latest == m->pass)
        return false;
    record_other_blame(d, m, NULL);
    m->pass = latest;
    return true;
}

/* Members in the order of their definition; class M inserts further ones. */
static void derive_members(rf_deriver *d)
{
    rf_plan *plan = d->p->plan;
    size_t n = plan->members.len;
    rf_member **list = RF_NEW_ARRAY(d->p->arena, n + 1, rf_member *);
    for (size_t i = 0; i < n; i++)
        list[i] = plan->members.data[i];
    for (size_t i = 0; i < n; i++)
        derive_member(d, list[i]);
    for (size_t i = 0; i < n; i++)
        if (join_companions(d, list[i]))
            i = (size_t)-1;
}

/* ---- members that nothing needs any more ---- */

/* True if "v" itself uses the result of "m", not only through other members.
 */
static bool uses(const rf_plan *plan, const rf_val *v, const rf_member *m)
{
    if (!v)
        return false;
    const rf_member *o = rf_plan_member_of(plan, v);
    if (o)
        return o == m;
    for (unsigned i = 0; i < v->n; i++)
        if (uses(plan, v->arg[i], m))
            return true;
    if (v->kind == RF_VAL_ENTRY)
        return v->var == m->state_var || v->var == m->old_var;
    return v->kind == RF_VAL_RESULT &&
           (uses(plan, v->red->term, m) || uses(plan, v->red->init, m) ||
            uses(plan, v->red->guard, m));
}

static bool is_needed(rf_planner *p, const rf_member *m)
{
    const rf_plan *plan = p->plan;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *o = plan->members.data[i];
        const rf_val *term = o->is_derived ? NULL : o->term; /* no step */
        const rf_val *parts[] = { term,     o->guard,      o->ratio,
                                  o->later, o->init_later, o->dead_when };
        for (size_t k = 0; k < RF_COUNTOF(parts) && o != m; k++)
            if (uses(plan, parts[k], m))
                return true;
    }
    for (size_t i = 0; i < p->trace->stores.len; i++) {
        const rf_store *s = &p->trace->stores.data[i];
        if (uses(plan, s->value, m) || uses(plan, s->guard, m) ||
            uses(plan, s->index, m))
            return true;
    }
    for (size_t i = 0; i < p->trace->finals.len; i++)
        if (uses(plan, p->trace->finals.data[i].value, m) &&
            rf_plan_is_live(p, &p->trace->finals.data[i]))
            return true;
    return false;
}

static void prune_members(rf_planner *p)
{
    rf_plan *plan = p->plan;
    for (size_t i = plan->members.len; i-- > 0;) {
        if (is_needed(p, plan->members.data[i]))
            continue;
        for (size_t k = i; k + 1 < plan->members.len; k++)
            plan->members.data[k] = plan->members.data[k + 1];
        plan->members.len--;
        i = plan->members.len;
    }
}

/* ---- the whole ---- */

static bool rounds(const rf_sym *s)
{
    if (s->kind == RF_SYM_ROUND)
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (rounds(s->arg[i]))
            return true;
    return false;
}

/* The loops of the source that compute the members. */
static size_t count_source_passes(const rf_plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->members.len; i++) {
        bool known = false;
        for (size_t k = 0; k < i; k++)
            known |= plan->members.data[k]->red->pass ==
                     plan->members.data[i]->red->pass;
        n += !known;
    }
    return n;
}

static void tell_counterexample(rf_deriver *d)
{
    const char *text = d->p->is_silent ? NULL : rf_derive_counterexample(d);
    if (text)
        rf_plan_note(d->p, blame_place(d, &d->told), "%s", text);
}

/* Fewer loops over the axis than in the source, or say what is in the way. */
static bool check_gain(rf_deriver *d, size_t before)
{
    rf_plan *plan = d->p->plan;
    unsigned last = 0;
    for (size_t i = 0; i < plan->members.len; i++)
        if (plan->members.data[i]->pass > last)
            last = plan->members.data[i]->pass;
    plan->n_loops = last + 1;
    if (plan->n_loops < before)
        return true;
    if (!d->told.member) {
        rf_plan_refuse(d->p, RF_DIAG_DONE, plan->members.data[0]->red->at,
                       "one loop computes these reductions already");
        return false;
    }
    bool rounding = rounds(rf_real_of(d->reals, d->told.member->red->term));
    rf_diag_name name = d->told.name ? d->told.name
                        : rounding   ? RF_DIAG_ROUNDING
                                     : RF_DIAG_NOT_DECOMPOSABLE;
    if (rounding && !d->told.name)
        d->told.reason = "a value is rounded to fewer bits between the passes";
    rf_plan_refuse(d->p, name, blame_place(d, &d->told), "not fused: %s",
                   d->told.reason ? d->told.reason
                                  : "no merge of partial results exists");
    if (name == RF_DIAG_NOT_DECOMPOSABLE)
        tell_counterexample(d);
    return false;
}

/* The class of the member that rounds most. */
static void name_rounding(rf_plan *plan)
{
    plan->rounding = RF_ROUNDING_EXACT;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *m = plan->members.data[i];
        if (m->bound && m->bound->rounding > plan->rounding)
            plan->rounding = m->bound->rounding;
    }
}

bool rf_plan_derive(rf_planner *p)
{
    rf_syms *syms = rf_syms_new(p->arena);
    rf_deriver d = { .p = p,
                     .vals = p->trace->vals,
                     .reals = rf_reals_new(p->arena, syms, p->trace->vals,
                                           p->mark->rounding),
                     .alg = rf_algebra_new(syms),
                     .trial.at = RF_NOWHERE };
    rf_plan *plan = p->plan;

    rf_reals_set_axis(d.reals, plan->axis);
    rf_plan_assume(p, d.reals);
    derive_members(&d);
    size_t before = count_source_passes(plan);
    prune_members(p);
    for (size_t i = 0; i < plan->members.len; i++)
        for (unsigned k = 0; k < plan->members.data[i]->n_shifts; k++)
            plan->members.data[i]->shifts[k]->is_shift = true;
    bool ok = check_gain(&d, before);
    name_rounding(plan);
    RF_CLEAR(d.images);
    rf_algebra_free(d.alg);
    rf_syms_free(syms);
    return ok;
}
