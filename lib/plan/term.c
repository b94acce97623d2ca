/* What a step adds, once the factors that all elements have in common are taken
 * out (T-5, T-7):
 *
 *     F(x, D) = G(x) * H_now(D) * H_later(D)      the step adds G * H_now
 */
#include "plan/derive.h"

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

bool rf_derive_is_real(rf_deriver *d, const rf_val *v, const rf_sym *s)
{
    return rf_algebra_equal(d->alg, rf_real_of(d->reals, v), s) == RF_YES;
}

bool rf_derive_has_infinite(rf_deriver *d, const rf_val *v)
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
bool rf_derive_uses_cancelled(const rf_deriver *d, const rf_val *v,
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
bool rf_derive_write_term(rf_deriver *d, rf_member *m, const rf_separation *s,
                          unsigned pass)
{
    bool has_later = s->later && s->later != s->state;
    const rf_val *state = rf_val_entry(d->vals, m->state_var), *later = state;
    if (s->state)
        rf_reals_bind(d->reals, state, s->state);
    m->term = m->red->term;
    if (!rf_derive_is_real(d, m->term, s->lift))
        m->term = without_factors(d, m->red->term, pass, &later);
    if (!rf_derive_is_real(d, m->term, s->lift) ||
        rf_derive_uses_cancelled(d, m->term, s->lift, pass))
        m->term = rf_derive_val(d, m, s->lift, NULL);
    if (!has_later)
        return m->term != NULL;
    m->later = rf_derive_is_real(d, later, s->later)
                   ? later
                   : rf_derive_val(d, m, s->later, s->state);
    if (m->later && m->init_later)
        m->later = rf_val_op2(d->vals, RF_OP_ADD, m->red->type, m->init_later,
                              m->later);
    /* -INFINITY, where a maximum begins: - 3*a may be an infinity, too */
    bool may_cancel = rf_reduce_is_extremum(m->red->op) &&
                      rf_plan_result_in(d->p->plan, m->later, 0);
    m->later_needs_steps = !s->later_keeps_identity || may_cancel ||
                           rf_derive_has_infinite(d, m->later);
    return m->term && m->later;
}
