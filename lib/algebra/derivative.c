/* Derivatives of expressions by an atom, node by node. */
#include "algebra/internal.h"

static const rf_sym *derive(rf_algebra *alg, const rf_sym *e, const rf_sym *by);

static const rf_sym *derive_sum(rf_algebra *alg, const rf_sym *e,
                                const rf_sym *by)
{
    const rf_sym *sum = rf_sym_int(alg->syms, 0);
    for (unsigned i = 0; i < e->n && sum; i++) {
        const rf_sym *d = derive(alg, e->arg[i], by);
        sum = d ? rf_sym_add(alg->syms, sum, d) : NULL;
    }
    return sum;
}

/* (abc)' = a'(abc)/a + ... , written without the division */
static const rf_sym *derive_product(rf_algebra *alg, const rf_sym *e,
                                    const rf_sym *by)
{
    rf_syms *s = alg->syms;
    const rf_sym *sum = rf_sym_int(s, 0);
    for (unsigned i = 0; i < e->n; i++) {
        const rf_sym *t = derive(alg, e->arg[i], by);
        if (!t)
            return NULL;
        for (unsigned k = 0; k < e->n; k++)
            if (k != i)
                t = rf_sym_mul(s, t, e->arg[k]);
        sum = rf_sym_add(s, sum, t);
    }
    return sum;
}

/* (b^r)' = r b^(r-1) b'; for a general exponent b^r = exp(r log b) */
static const rf_sym *derive_power(rf_algebra *alg, const rf_sym *e,
                                  const rf_sym *by)
{
    rf_syms *s = alg->syms;
    const rf_sym *b = e->arg[0], *r = e->arg[1];
    const rf_sym *db = derive(alg, b, by), *dr = derive(alg, r, by);
    if (!db || !dr)
        return NULL;
    const rf_sym *less = rf_sym_pow(s, b, rf_sym_sub(s, r, rf_sym_int(s, 1)));
    const rf_sym *d = rf_sym_mul(s, rf_sym_mul(s, r, less), db);
    if (rf_sym_is_int(dr, 0))
        return d;
    const rf_sym *growth = rf_sym_mul(s, rf_sym_log(s, b), dr);
    return rf_sym_add(s, d, rf_sym_mul(s, e, growth));
}

/* (exp a)' = exp(a) a' log(base);  (log a)' = a'/a */
static const rf_sym *derive_inner(rf_algebra *alg, const rf_sym *e,
                                  const rf_sym *by)
{
    rf_syms *s = alg->syms;
    const rf_sym *d = derive(alg, e->arg[0], by);
    if (!d)
        return NULL;
    if (e->kind == RF_SYM_LOG)
        return rf_sym_div(s, d, e->arg[0]);
    d = rf_sym_mul(s, e, d);
    return e->base ? rf_sym_mul(s, d, rf_sym_log(s, rf_sym_int(s, e->base)))
                   : d;
}

static const rf_sym *derive(rf_algebra *alg, const rf_sym *e, const rf_sym *by)
{
    if (!rf_sym_mentions(e, by))
        return rf_sym_int(alg->syms, 0);
    switch (e->kind) {
    case RF_SYM_ATOM:
        return rf_sym_int(alg->syms, 1);
    case RF_SYM_ADD:
        return derive_sum(alg, e, by);
    case RF_SYM_MUL:
        return derive_product(alg, e, by);
    case RF_SYM_POW:
        return derive_power(alg, e, by);
    case RF_SYM_EXP:
    case RF_SYM_LOG:
        return derive_inner(alg, e, by);
    default:
        return NULL;
    }
}

const rf_sym *rf_algebra_derivative(rf_algebra *alg, const rf_sym *e,
                                    const rf_sym *by)
{
    return derive(alg, e, by);
}
