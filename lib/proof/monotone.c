/* Does a map rise or fall in one of its arguments, whatever the others are?
 *
 *     g = max(a, b), a + b     as both parts do
 *     g = c * a                as a does, c >= 0; the other way, c <= 0
 *     g = a^r                  as a does, r > 0 and a >= 0 or r odd
 *     g = e^a                  as a does
 *     else                     by the sign of the derivative */
#include "algebra/algebra.h"
#include "proof/proving.h"

static rf_trend both(rf_trend a, rf_trend b)
{
    return a == RF_CONSTANT   ? b
           : b == RF_CONSTANT ? a
           : a == b           ? a
                              : RF_NO_TREND;
}

static rf_trend turned(rf_trend t)
{
    return t == RF_RISES ? RF_FALLS : t == RF_FALLS ? RF_RISES : t;
}

static rf_trend of_parts(rf_prover *p, const rf_sym *e, const rf_sym *x)
{
    rf_trend t = RF_CONSTANT;
    for (unsigned i = 0; i < e->n; i++)
        t = both(t, rf_trend_of(p, e->arg[i], x));
    return t;
}

/* c * a, where only a mentions x. */
static rf_trend of_product(rf_prover *p, const rf_sym *e, const rf_sym *x)
{
    const rf_sym *c = rf_sym_int(p->syms, 1), *a = NULL;
    for (unsigned i = 0; i < e->n; i++) {
        bool varies = rf_sym_mentions(e->arg[i], x);
        if (varies && a)
            return RF_NO_TREND;
        if (varies)
            a = e->arg[i];
        else
            c = rf_sym_mul(p->syms, c, e->arg[i]);
    }
    rf_sign_fact sign = rf_algebra_sign(p->alg, c);
    rf_trend t = rf_trend_of(p, a, x);
    return !(sign & RF_IS_NEGATIVE)   ? t
           : !(sign & RF_IS_POSITIVE) ? turned(t)
                                      : RF_NO_TREND;
}

/* a^r, r a number above 0. */
static rf_trend of_power(rf_prover *p, const rf_sym *e, const rf_sym *x)
{
    const rf_sym *a = e->arg[0], *r = e->arg[1];
    bool is_odd = r->kind == RF_SYM_RAT && r->den == 1 && r->num % 2 != 0;
    bool rises = r->kind == RF_SYM_RAT && r->num > 0 &&
                 (is_odd || !(rf_algebra_sign(p->alg, a) & RF_IS_NEGATIVE));
    return rises ? rf_trend_of(p, a, x) : RF_NO_TREND;
}

static rf_trend by_derivative(rf_prover *p, const rf_sym *e, const rf_sym *x)
{
    const rf_sym *d = rf_algebra_derivative(p->alg, e, x);
    rf_sign_fact sign = d ? rf_algebra_sign(p->alg, d) : RF_IS_ANY;
    return !(sign & RF_IS_NEGATIVE)   ? RF_RISES
           : !(sign & RF_IS_POSITIVE) ? RF_FALLS
                                      : RF_NO_TREND;
}

rf_trend rf_trend_of(rf_prover *p, const rf_sym *e, const rf_sym *x)
{
    rf_trend t = RF_NO_TREND;
    if (e == x)
        return RF_RISES;
    if (!rf_sym_mentions(e, x))
        return RF_CONSTANT;
    switch (e->kind) {
    case RF_SYM_ADD:
    case RF_SYM_MAX:
    case RF_SYM_MIN:
    case RF_SYM_EXP:
        t = of_parts(p, e, x);
        break;
    case RF_SYM_MUL:
        t = of_product(p, e, x);
        break;
    case RF_SYM_POW:
        t = of_power(p, e, x);
        break;
    default:
        break;
    }
    return t == RF_NO_TREND ? by_derivative(p, e, x) : t;
}
