/* Factors of a normal form: constant * product of irreducibles over Q. */
#include "algebra/internal.h"

/* The generator that "p" is, or -1. */
static slong as_generator(rf_ring *ring, const fmpq_mpoly_t p)
{
    slong gen;
    for (gen = 0; gen < (slong)ring->gen.len; gen++)
        if (fmpq_mpoly_is_gen(p, gen, ring->ctx))
            return gen;
    return -1;
}

static bool is_negative(const rf_sym *term)
{
    if (term->kind == RF_SYM_MUL)
        term = term->arg[0];
    return term->kind == RF_SYM_RAT && term->num < 0;
}

/* An irreducible sum and its opposite are one factor: d - x is -(x - d). The
 * first term with x is to be positive; without x, most terms are. */
static bool is_turned(const rf_sym *sum)
{
    if (sum->kind != RF_SYM_ADD)
        return is_negative(sum);
    unsigned negative = 0;
    for (unsigned i = 0; i < sum->n; i++)
        if (rf_sym_has_role(sum->arg[i], RF_ATOM_ELEMENT))
            return is_negative(sum->arg[i]);
        else
            negative += is_negative(sum->arg[i]);
    if (2 * negative != sum->n)
        return 2 * negative > sum->n;
    return is_negative(sum->arg[sum->arg[0]->kind == RF_SYM_RAT]);
}

static void push_factor(rf_ring *ring, rf_factors *out, fmpq_mpoly_t base,
                        int64_t exponent)
{
    rf_syms *s = ring->alg->syms;
    slong gen = as_generator(ring, base);
    if (gen >= 0) {
        rf_generator *g = &ring->gen.data[gen];
        RF_PUSH(out->list,
                (rf_factor){ g->sym, exponent, g->unit, g->scale, true });
        return;
    }
    const rf_sym *sum = rf_ring_sum(ring, base);
    if (is_turned(sum)) {
        sum = rf_sym_neg(s, sum);
        if (exponent % 2)
            out->constant = rf_sym_neg(s, out->constant);
    }
    RF_PUSH(out->list, (rf_factor){ sum, exponent, 1, 1, false });
}

static bool factor_poly(rf_ring *ring, rf_factors *out, const fmpq_mpoly_t p,
                        int64_t sign)
{
    fmpq_mpoly_factor_t f;
    fmpq_mpoly_t base;
    fmpq_t c;
    fmpq_mpoly_factor_init(f, ring->ctx);
    bool ok = fmpq_mpoly_factor(f, p, ring->ctx) &&
              fmpq_mpoly_factor_make_integral(f, ring->ctx);
    fmpq_init(c);
    fmpq_mpoly_factor_get_constant_fmpq(c, f, ring->ctx);
    const rf_sym *k = rf_ring_constant(ring, c);
    rf_syms *s = ring->alg->syms;
    out->constant =
        rf_sym_mul(s, out->constant, rf_sym_pow(s, k, rf_sym_int(s, sign)));
    fmpq_clear(c);
    fmpq_mpoly_init(base, ring->ctx);
    for (slong i = 0; ok && i < fmpq_mpoly_factor_length(f, ring->ctx); i++) {
        fmpq_mpoly_factor_get_base(base, f, i, ring->ctx);
        slong e = fmpq_mpoly_factor_get_exp_si(f, i, ring->ctx);
        push_factor(ring, out, base, sign * e);
    }
    fmpq_mpoly_clear(base, ring->ctx);
    fmpq_mpoly_factor_clear(f, ring->ctx);
    return ok;
}

bool rf_factor_sym(rf_algebra *alg, const rf_sym *e, rf_factors *out)
{
    rf_ring ring;
    rf_frac f;
    const rf_sym *p = rf_prepare(alg, e);
    rf_ring_init(&ring, alg, 1, &p);
    rf_frac_init(&ring, &f);
    *out = (rf_factors){ .constant = rf_sym_int(alg->syms, 1) };
    bool ok = rf_ring_read(&ring, &f, p);
    if (ok && fmpq_mpoly_is_zero(f.num, ring.ctx))
        out->constant = rf_sym_int(alg->syms, 0);
    else if (ok)
        ok = factor_poly(&ring, out, f.num, 1) &&
             factor_poly(&ring, out, f.den, -1);
    rf_frac_clear(&ring, &f);
    rf_ring_clear(&ring);
    return ok;
}

const rf_sym *rf_factor_power(rf_algebra *alg, const rf_factor *f)
{
    rf_syms *s = alg->syms;
    return rf_sym_pow(s, f->sym,
                      rf_sym_rat(s, f->exponent * f->unit, f->scale));
}

static const rf_sym *factored(rf_algebra *alg, const rf_sym *e, bool constant)
{
    rf_factors f;
    rf_nodes parts = { 0 };
    const rf_sym *r = e;
    if (rf_factor_sym(alg, e, &f)) {
        if (constant)
            RF_PUSH(parts, f.constant);
        for (size_t i = 0; i < f.list.len; i++)
            RF_PUSH(parts, rf_factor_power(alg, &f.list.data[i]));
        r = rf_product(alg, parts.len, parts.data);
    }
    RF_CLEAR(parts);
    RF_CLEAR(f.list);
    return r;
}

const rf_sym *rf_factored(rf_algebra *alg, const rf_sym *e)
{
    const rf_sym *r = rf_recall(&alg->factored, e);
    if (!r) {
        r = factored(alg, e, true);
        rf_remember(&alg->factored, e, r);
    }
    return r;
}

const rf_sym *rf_algebra_primitive(rf_algebra *alg, const rf_sym *e)
{
    return factored(alg, e, false);
}

/* Every term of the numerator over the denominator. */
static const rf_sym *expand(rf_algebra *alg, const rf_sym *e)
{
    rf_ring ring;
    rf_frac f;
    rf_syms *s = alg->syms;
    const rf_sym *p = rf_prepare(alg, e), *r = p;
    rf_ring_init(&ring, alg, 1, &p);
    rf_frac_init(&ring, &f);
    if (rf_ring_read(&ring, &f, p)) {
        rf_nodes terms = { 0 };
        const rf_sym *num = rf_ring_sum(&ring, f.num);
        const rf_sym *den =
            rf_sym_pow(s, rf_ring_sum(&ring, f.den), rf_sym_int(s, -1));
        bool sum = num->kind == RF_SYM_ADD;
        for (unsigned i = 0; i < (sum ? num->n : 1); i++) {
            const rf_sym *t[] = { sum ? num->arg[i] : num, den };
            RF_PUSH(terms, rf_product(alg, 2, t));
        }
        r = rf_sym_make(s, RF_SYM_ADD, terms.len, terms.data);
        RF_CLEAR(terms);
    }
    rf_frac_clear(&ring, &f);
    rf_ring_clear(&ring);
    return r;
}

const rf_sym *rf_algebra_expand(rf_algebra *alg, const rf_sym *e)
{
    const rf_sym *r = rf_recall(&alg->expanded, e);
    if (!r) {
        r = expand(alg, e);
        rf_remember(&alg->expanded, e, r);
    }
    return r;
}

const rf_sym *rf_algebra_simplify(rf_algebra *alg, const rf_sym *e)
{
    return rf_factored(alg, e);
}
