/* Normal form, first half: canonical operands, so that two generators which
 * are equal for a simple reason are the same node.
 *
 *     exp(a)            a expanded to a sum of terms (ring.c splits it)
 *     log(a*b)          log(a) + log(b)                 a, b > 0
 *     |a*b|             |a|*|b|,  |a| = a for a >= 0,  |a^2k| = a^2k
 *     (a*b)^r           a^r * b^r for a >= 0,  (a^2k)^r = |a|^(2kr)
 *     a^b               exp(b*log(a))                   a > 0, b not rational
 *     max(s*a, s*b)     s*max(a, b) for s >= 0,  max(a+c, b+c) = max(a, b) + c
 *     a < b             a - b < 0, scaled by a positive rational
 *
 * Other functions keep expanded arguments (congruence). */
#include "algebra/internal.h"

#include <stdlib.h>

static const rf_sym *prepare_args(rf_algebra *alg, const rf_sym *e,
                                  const rf_sym *(*form)(rf_algebra *,
                                                        const rf_sym *))
{
    rf_nodes args = { 0 };
    for (unsigned i = 0; i < e->n; i++)
        RF_PUSH(args, form(alg, e->arg[i]));
    const rf_sym *r = rf_sym_rebuild(alg->syms, e, args.data);
    RF_CLEAR(args);
    return r;
}

/* The factors of "e", itself if it is no product. */
static unsigned factors_of(const rf_sym *const *e, const rf_sym *const **f)
{
    bool product = (*e)->kind == RF_SYM_MUL;
    *f = product ? (*e)->arg : e;
    return product ? (*e)->n : 1;
}

/* "f" as base^exponent with an integer exponent. */
static int64_t integer_power(const rf_sym *f, const rf_sym **base)
{
    bool power = f->kind == RF_SYM_POW && f->arg[1]->kind == RF_SYM_RAT &&
                 f->arg[1]->den == 1;
    *base = power ? f->arg[0] : f;
    return power ? f->arg[1]->num : 1;
}

/* ---- exponentials ---- */

/* 2^(a + n) = 2^n * 2^a for a small integer n */
static const rf_sym *prepare_exp(rf_algebra *alg, const rf_sym *e)
{
    rf_syms *s = alg->syms;
    const rf_sym *a = rf_algebra_expand(alg, e->arg[0]);
    const rf_sym *c = a->kind == RF_SYM_ADD ? a->arg[0] : a;
    if (e->base == 0 || c->kind != RF_SYM_RAT || c->den != 1)
        return rf_sym_exp(s, e->base, a);
    const rf_sym *k = rf_sym_pow(s, rf_sym_int(s, e->base), c);
    if (k->kind != RF_SYM_RAT)
        return rf_sym_exp(s, e->base, a);
    return rf_sym_mul(s, k, rf_sym_exp(s, e->base, rf_sym_sub(s, a, c)));
}

/* ---- logarithms, absolute values, roots ---- */

static const rf_sym *prepare_log(rf_algebra *alg, const rf_sym *e)
{
    rf_syms *s = alg->syms;
    const rf_sym *a = rf_factored(alg, e->arg[0]), *base, *const * f;
    rf_nodes logs = { 0 }, rest = { 0 };
    unsigned n = factors_of(&a, &f);
    for (unsigned i = 0; i < n; i++) {
        int64_t k = integer_power(f[i], &base);
        if (rf_algebra_sign(alg, base) == RF_IS_POSITIVE)
            RF_PUSH(logs, rf_sym_mul(s, rf_sym_int(s, k), rf_sym_log(s, base)));
        else
            RF_PUSH(rest, f[i]);
    }
    if (rest.len) {
        const rf_sym *r = rf_sym_make(s, RF_SYM_MUL, rest.len, rest.data);
        RF_PUSH(logs, rf_sym_log(s, r));
    }
    const rf_sym *r = rf_sym_make(s, RF_SYM_ADD, logs.len, logs.data);
    RF_CLEAR(logs);
    RF_CLEAR(rest);
    return r;
}

/* |f| for one factor, f = base^k */
static const rf_sym *abs_factor(rf_algebra *alg, const rf_sym *f)
{
    rf_syms *s = alg->syms;
    const rf_sym *base;
    int64_t k = integer_power(f, &base);
    int sign = rf_algebra_sign(alg, f);
    if (k % 2 == 0 || !(sign & RF_IS_NEGATIVE))
        return f;
    if (!(sign & RF_IS_POSITIVE))
        return rf_sym_neg(s, f);
    return rf_sym_pow(s, rf_sym_abs(s, base), rf_sym_int(s, k));
}

static const rf_sym *prepare_abs(rf_algebra *alg, const rf_sym *e)
{
    rf_nodes out = { 0 };
    const rf_sym *a = rf_factored(alg, e->arg[0]), *const * f;
    unsigned n = factors_of(&a, &f);
    for (unsigned i = 0; i < n; i++)
        RF_PUSH(out, abs_factor(alg, f[i]));
    const rf_sym *r = rf_sym_make(alg->syms, RF_SYM_MUL, out.len, out.data);
    RF_CLEAR(out);
    return r;
}

/* (base^k)^r: |base|^(k*r) for even k, base^(k*r) for base >= 0; NULL else. */
static const rf_sym *root_factor(rf_algebra *alg, const rf_sym *f,
                                 const rf_sym *r)
{
    rf_syms *s = alg->syms;
    const rf_sym *base;
    int64_t k = integer_power(f, &base);
    if (rf_algebra_sign(alg, base) & RF_IS_NEGATIVE) {
        if (k % 2)
            return NULL;
        base = abs_factor(alg, base);
    }
    return rf_sym_pow(s, base, rf_sym_mul(s, rf_sym_int(s, k), r));
}

static const rf_sym *prepare_root(rf_algebra *alg, const rf_sym *b,
                                  const rf_sym *r)
{
    rf_syms *s = alg->syms;
    rf_nodes out = { 0 }, rest = { 0 };
    const rf_sym *a = rf_factored(alg, b), *const * f;
    unsigned n = factors_of(&a, &f);
    for (unsigned i = 0; i < n; i++) {
        const rf_sym *p = root_factor(alg, f[i], r);
        if (p)
            RF_PUSH(out, p);
        else
            RF_PUSH(rest, f[i]);
    }
    if (rest.len) {
        const rf_sym *q = rf_sym_make(s, RF_SYM_MUL, rest.len, rest.data);
        RF_PUSH(out, rf_sym_pow(s, q, r));
    }
    const rf_sym *e = rf_sym_make(s, RF_SYM_MUL, out.len, out.data);
    RF_CLEAR(out);
    RF_CLEAR(rest);
    return e;
}

static const rf_sym *prepare_pow(rf_algebra *alg, const rf_sym *e)
{
    rf_syms *s = alg->syms;
    const rf_sym *b = e->arg[0], *r = e->arg[1];
    if (r->kind == RF_SYM_RAT && r->den == 1)
        return rf_sym_pow(s, rf_prepare(alg, b), r);
    if (r->kind == RF_SYM_RAT)
        return prepare_root(alg, b, r);
    if (rf_algebra_sign(alg, b) == RF_IS_POSITIVE)
        return rf_prepare(alg,
                          rf_sym_exp(s, 0, rf_sym_mul(s, r, rf_sym_log(s, b))));
    return rf_sym_pow(s, rf_algebra_expand(alg, b), rf_algebra_expand(alg, r));
}

/* ---- max and min ---- */

/* Keep of "common" what is also a summand (or factor) of "e". */
static void intersect(rf_nodes *common, const rf_sym *e, rf_sym_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < common->len; i++) {
        bool found = e == common->data[i];
        for (unsigned k = 0; e->kind == kind && k < e->n; k++)
            found |= e->arg[k] == common->data[i];
        if (found)
            common->data[n++] = common->data[i];
    }
    common->len = n;
}

/* The summands (or factors) that all "args" share. */
static rf_nodes common_parts(unsigned n, const rf_sym *const *args,
                             rf_sym_kind kind)
{
    rf_nodes common = { 0 };
    if (args[0]->kind != kind)
        RF_PUSH(common, args[0]);
    else
        for (unsigned i = 0; i < args[0]->n; i++)
            RF_PUSH(common, args[0]->arg[i]);
    for (unsigned i = 1; i < n; i++)
        intersect(&common, args[i], kind);
    return common;
}

/* max(a + c, b + c) = max(a, b) + c */
static const rf_sym *pull_summands(rf_algebra *alg, rf_nodes *args)
{
    rf_syms *s = alg->syms;
    rf_nodes common = common_parts(args->len, args->data, RF_SYM_ADD);
    const rf_sym *c = rf_sym_make(s, RF_SYM_ADD, common.len, common.data);
    for (size_t i = 0; i < args->len; i++)
        args->data[i] = rf_sym_sub(s, args->data[i], c);
    RF_CLEAR(common);
    return c;
}

/* max(f*a, f*b, 0) = f*max(a, b, 0) for f >= 0 */
static const rf_sym *pull_factors(rf_algebra *alg, rf_nodes *args)
{
    rf_syms *s = alg->syms;
    rf_nodes some = { 0 }, positive = { 0 };
    for (size_t i = 0; i < args->len; i++)
        if (!rf_sym_is_int(args->data[i], 0))
            RF_PUSH(some, rf_factored(alg, args->data[i]));
    rf_nodes common = { 0 };
    if (some.len)
        common = common_parts(some.len, some.data, RF_SYM_MUL);
    for (size_t i = 0; i < common.len; i++)
        if (!(rf_algebra_sign(alg, common.data[i]) & RF_IS_NEGATIVE))
            RF_PUSH(positive, common.data[i]);
    const rf_sym *f = rf_sym_make(s, RF_SYM_MUL, positive.len, positive.data);
    for (size_t i = 0; i < args->len; i++)
        args->data[i] = rf_algebra_expand(alg, rf_sym_div(s, args->data[i], f));
    RF_CLEAR(some);
    RF_CLEAR(positive);
    RF_CLEAR(common);
    return f;
}

static const rf_sym *prepare_order(rf_algebra *alg, const rf_sym *e)
{
    rf_syms *s = alg->syms;
    rf_nodes args = { 0 };
    for (unsigned i = 0; i < e->n; i++)
        RF_PUSH(args, rf_algebra_expand(alg, e->arg[i]));
    const rf_sym *c = pull_summands(alg, &args);
    const rf_sym *f = pull_factors(alg, &args);
    const rf_sym *m = rf_sym_make(s, e->kind, args.len, args.data);
    RF_CLEAR(args);
    return rf_sym_add(s, rf_sym_mul(s, f, m), c);
}

/* ---- relations ---- */

/* "a" divided by the positive rational that makes its first coefficient 1 or
 * -1; by a negative one too if "both". */
static const rf_sym *scale_first(rf_algebra *alg, const rf_sym *a, bool both)
{
    rf_syms *s = alg->syms;
    const rf_sym *t = a, *c, *rest;
    if (a->kind == RF_SYM_ADD)
        t = a->arg[a->arg[0]->kind == RF_SYM_RAT];
    rf_split_term(s, t, &c, &rest);
    if (c->num == 0)
        return a;
    if (c->num < 0 && !both)
        c = rf_sym_neg(s, c);
    return rf_sym_div(s, a, c);
}

static const rf_sym *prepare_relation(rf_algebra *alg, const rf_sym *e)
{
    rf_syms *s = alg->syms;
    const rf_sym *d = rf_sym_sub(s, e->arg[0], e->arg[1]);
    int sign = rf_algebra_sign(alg, d);
    int yes = e->kind == RF_SYM_LT   ? RF_IS_NEGATIVE
              : e->kind == RF_SYM_LE ? RF_IS_NONPOS
                                     : RF_IS_ZERO;
    if (!(sign & yes))
        return rf_sym_int(s, 0);
    if (!(sign & ~yes))
        return rf_sym_int(s, 1);
    d = scale_first(alg, rf_algebra_expand(alg, d), e->kind == RF_SYM_EQ);
    const rf_sym *args[] = { d, rf_sym_int(s, 0) };
    return rf_sym_make(s, e->kind, 2, args);
}

/* ---- all kinds ---- */

static const rf_sym *prepare_node(rf_algebra *alg, const rf_sym *e)
{
    switch (e->kind) {
    case RF_SYM_EXP:
        return prepare_exp(alg, e);
    case RF_SYM_LOG:
        return prepare_log(alg, e);
    case RF_SYM_ABS:
        return prepare_abs(alg, e);
    case RF_SYM_POW:
        return prepare_pow(alg, e);
    case RF_SYM_MAX:
    case RF_SYM_MIN:
        return prepare_order(alg, e);
    case RF_SYM_LT:
    case RF_SYM_LE:
    case RF_SYM_EQ:
        return prepare_relation(alg, e);
    case RF_SYM_ADD:
    case RF_SYM_MUL:
    case RF_SYM_NOT:
    case RF_SYM_AND:
    case RF_SYM_OR:
        return prepare_args(alg, e, rf_prepare);
    default:
        return prepare_args(alg, e, rf_algebra_expand);
    }
}

const rf_sym *rf_recall(const rf_nodes *memo, const rf_sym *e)
{
    return e->id < memo->len ? memo->data[e->id] : NULL;
}

void rf_remember(rf_nodes *memo, const rf_sym *e, const rf_sym *value)
{
    while (memo->len <= e->id)
        RF_PUSH(*memo, NULL);
    memo->data[e->id] = value;
}

const rf_sym *rf_prepare(rf_algebra *alg, const rf_sym *e)
{
    const rf_sym *r = e->n ? rf_recall(&alg->prepared, e) : e;
    if (r)
        return r;
    r = prepare_node(alg, e);
    rf_remember(&alg->prepared, e, r);
    rf_remember(&alg->prepared, r, r);
    return r;
}

void rf_prepare_reset(rf_algebra *alg)
{
    alg->prepared.len = alg->expanded.len = alg->factored.len = 0;
    alg->signs.len = 0;
}
