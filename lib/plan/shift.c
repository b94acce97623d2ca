/* Softmax weights: w = exp(c * (t - m)) with m = MAX t is at most 1, and one of
 * them is 1, so that 1 <= SUM w <= n. Where the maximum begins with a number
 * that no element reaches the weights may all vanish; then everything that they
 * multiply does. */
#include "plan/derive.h"

#include "ir/math.h"

#include <float.h>
#include <math.h>

/* The exponential that "v" is, or is unless it is 0; else NULL. */
static const rf_val *weight_in(const rf_val *v)
{
    while (v->kind == RF_VAL_CAST && v->type->kind != RF_TYPE_INT)
        v = v->arg[0];
    if (v->kind == RF_VAL_OP && v->op == RF_OP_SELECT)
        return rf_derive_is_zero(v->arg[1])   ? weight_in(v->arg[2])
               : rf_derive_is_zero(v->arg[2]) ? weight_in(v->arg[1])
                                              : NULL;
    return rf_derive_is_exp(v, NULL) ? v : NULL;
}

/* The maximum that shifts exponential "e", or NULL. */
static const rf_member *shift_of(rf_deriver *d, const rf_val *e)
{
    const rf_plan *plan = d->p->plan;
    bool usable;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *o = plan->members.data[i];
        if (o->atom && rf_reduce_is_extremum(o->red->op) &&
            rf_val_mentions(e, o->red->result) &&
            rf_derive_is_shifted(d, rf_real_of(d->reals, e->arg[0]), o,
                                 &usable))
            return o;
    }
    return NULL;
}

bool rf_derive_has_weight(rf_deriver *d, const rf_val *v)
{
    const rf_val *e = rf_val_find(v, rf_derive_is_exp, NULL);
    return e && shift_of(d, e);
}

/* The exponent is c*(t - m) and nothing else; c is then at m = 0, t = 1. */
static bool is_plain_shift(rf_deriver *d, const rf_val *e, const rf_member *m)
{
    rf_syms *syms = rf_reals_syms(d->reals);
    const rf_sym *t = rf_real_of(d->reals, m->red->term);
    const rf_sym *at_top =
        rf_sym_subst(syms, rf_real_of(d->reals, e->arg[0]), 1, &m->atom, &t);
    return rf_sym_is_int(rf_algebra_simplify(d->alg, at_top), 0);
}

/* The maximum begins below all that it meets, or with one of them. */
static bool begins_low(const rf_member *m)
{
    double value = 1;
    const rf_val *v = m->red->init;
    bool minus = v->kind == RF_VAL_OP && v->op == RF_OP_NEG;
    if (rf_derive_may_be_infinite(m))
        return true;
    v = rf_val_without_casts(minus ? v->arg[0] : v);
    if (v->kind == RF_VAL_CONST && v->expr->op == RF_OP_FLOAT)
        value = minus ? -v->expr->value.f : v->expr->value.f;
    return m->red->op == RF_REDUCE_MAX ? value <= -1e30 : value >= 1e30;
}

double rf_derive_least_weight_sum(rf_deriver *d, const rf_red *red)
{
    const rf_val *e = red->op == RF_REDUCE_SUM ? weight_in(red->term) : NULL;
    const rf_member *m = e ? shift_of(d, e) : NULL;
    if (!m || m->red->axis != red->axis || m->red->guard != red->guard)
        return 0;
    bool is_one = begins_low(m) && is_plain_shift(d, e, m);
    return is_one ? 1 : (double)FLT_TRUE_MIN;
}
