/* Rational functions over Q in generators (THEORY 3, "deciding separability").
 *
 * A generator stands for g^q, where q is the common measure of all exponents
 * that g has, so that they become whole and small:
 *
 *     exp(a1*t1 + a2*t2) = E1^(a1/q1) * E2^(a2/q2),   Ei = exp(qi*ti)
 *     sqrt(m) = M, m = M^2                            M = m^(1/2)
 *
 * need no relations. The root R = s^(1/k) of a sum has the relation R^k = s.
 * FLINT's polynomials hold numerator and denominator; the denominator takes
 * negative exponents. */
#include "algebra/internal.h"

#include <stdlib.h>
#include <string.h>

/* More terms than this are not worth it: the answer becomes "unknown". */
enum { MOST_TERMS = 100000, MOST_EXPONENT = 64 };

/* ---- generators ---- */

static int64_t gcd64(int64_t a, int64_t b)
{
    while (b) {
        int64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

/* gcd(a/b, c/d) = gcd(a*d, c*b) / (b*d), reduced */
void rf_generator_refine(rf_generator *g, int64_t num, int64_t den)
{
    int64_t common = gcd64(g->scale, den);
    int64_t scale = g->scale / common * den;
    int64_t a = llabs(g->unit * (den / common));
    int64_t b = llabs(num * (g->scale / common));
    g->unit = gcd64(a, b);
    common = gcd64(g->unit, scale);
    g->unit /= common;
    g->scale = scale / common;
}

static void add_generator(rf_ring *ring, const rf_sym *sym, int64_t num,
                          int64_t den, bool is_root)
{
    for (size_t i = 0; i < ring->gen.len; i++) {
        rf_generator *g = &ring->gen.data[i];
        if (g->sym == sym && g->is_root == is_root) {
            rf_generator_refine(g, num, den);
            return;
        }
    }
    RF_PUSH(ring->gen, (rf_generator){ sym, llabs(num), den, is_root });
}

static bool is_compound(const rf_sym *e)
{
    return e->kind == RF_SYM_RAT || e->kind == RF_SYM_ADD ||
           e->kind == RF_SYM_MUL || e->kind == RF_SYM_POW;
}

static bool is_power(const rf_sym *e)
{
    return e->kind == RF_SYM_POW && e->arg[1]->kind == RF_SYM_RAT;
}

void rf_split_term(rf_syms *syms, const rf_sym *e, const rf_sym **coefficient,
                   const rf_sym **term)
{
    *coefficient = rf_sym_int(syms, 1);
    *term = e;
    if (e->kind == RF_SYM_RAT) {
        *coefficient = e;
        *term = rf_sym_int(syms, 1);
    } else if (e->kind == RF_SYM_MUL && e->arg[0]->kind == RF_SYM_RAT) {
        *coefficient = e->arg[0];
        *term = rf_sym_make(syms, RF_SYM_MUL, e->n - 1, e->arg + 1);
    }
}

/* The summands of the exponent of "e". */
static unsigned exponent_terms(const rf_sym *e, const rf_sym *const **terms)
{
    bool sum = e->arg[0]->kind == RF_SYM_ADD;
    *terms = sum ? e->arg[0]->arg : e->arg;
    return sum ? e->arg[0]->n : 1;
}

static void collect_exponential(rf_ring *ring, const rf_sym *e)
{
    rf_syms *s = ring->alg->syms;
    const rf_sym *const *terms, *c, *t;
    unsigned n = exponent_terms(e, &terms);
    for (unsigned i = 0; i < n; i++) {
        rf_split_term(s, terms[i], &c, &t);
        if (c->num)
            add_generator(ring, rf_sym_exp(s, e->base, t), c->num, c->den,
                          false);
    }
}

static void collect(rf_ring *ring, const rf_sym *e)
{
    if (e->kind == RF_SYM_RAT)
        return;
    if (e->kind == RF_SYM_EXP) {
        collect_exponential(ring, e);
    } else if (is_power(e) && e->arg[1]->den != 1) {
        bool root = is_compound(e->arg[0]);
        add_generator(ring, e->arg[0], 1, e->arg[1]->den, root);
        if (root)
            collect(ring, e->arg[0]);
    } else if (is_power(e)) {
        collect(ring, e->arg[0]);
    } else if (e->kind == RF_SYM_ADD || e->kind == RF_SYM_MUL) {
        for (unsigned i = 0; i < e->n; i++)
            collect(ring, e->arg[i]);
    } else {
        add_generator(ring, e, 1, 1, false);
    }
}

static int youngest_first(const void *a, const void *b)
{
    const rf_generator *g = a, *h = b;
    if (g->sym->id != h->sym->id)
        return g->sym->id > h->sym->id ? -1 : 1;
    return h->is_root - g->is_root;
}

void rf_ring_init(rf_ring *ring, rf_algebra *alg, unsigned n,
                  const rf_sym *const *e)
{
    *ring = (rf_ring){ .alg = alg };
    for (unsigned i = 0; i < n; i++)
        collect(ring, e[i]);
    if (ring->gen.len)
        qsort(ring->gen.data, ring->gen.len, sizeof *ring->gen.data,
              youngest_first);
    fmpq_mpoly_ctx_init(ring->ctx, (slong)ring->gen.len, ORD_LEX);
}

void rf_ring_clear(rf_ring *ring)
{
    fmpq_mpoly_ctx_clear(ring->ctx);
    RF_CLEAR(ring->gen);
}

void rf_generators(rf_algebra *alg, const rf_sym *e, rf_nodes *out)
{
    rf_ring ring;
    const rf_sym *p = rf_prepare(alg, e);
    rf_ring_init(&ring, alg, 1, &p);
    for (size_t i = 0; i < ring.gen.len; i++)
        RF_PUSH(*out, ring.gen.data[i].sym);
    rf_ring_clear(&ring);
}

static slong find_generator(const rf_ring *ring, const rf_sym *sym, bool root)
{
    for (size_t i = 0; i < ring->gen.len; i++)
        if (ring->gen.data[i].sym == sym && ring->gen.data[i].is_root == root)
            return (slong)i;
    abort(); /* every node read was collected */
}

/* ---- fractions ---- */

void rf_frac_init(rf_ring *ring, rf_frac *f)
{
    fmpq_mpoly_init(f->num, ring->ctx);
    fmpq_mpoly_init(f->den, ring->ctx);
    fmpq_mpoly_one(f->den, ring->ctx);
}

void rf_frac_clear(rf_ring *ring, rf_frac *f)
{
    fmpq_mpoly_clear(f->num, ring->ctx);
    fmpq_mpoly_clear(f->den, ring->ctx);
}

/* Multiply "a" by "b" unless that would be too large. */
static void times(rf_ring *ring, fmpq_mpoly_t a, const fmpq_mpoly_t b)
{
    slong la = fmpq_mpoly_length(a, ring->ctx);
    slong lb = fmpq_mpoly_length(b, ring->ctx);
    if (ring->overflow || (lb && la > MOST_TERMS / lb))
        ring->overflow = true;
    else
        fmpq_mpoly_mul(a, a, b, ring->ctx);
}

/* num/den with the common factor cancelled and the denominator monic. */
static void reduce(rf_ring *ring, rf_frac *f)
{
    fmpq_mpoly_t g;
    fmpq_t c;
    if (ring->overflow || fmpq_mpoly_is_fmpq(f->den, ring->ctx))
        return;
    fmpq_mpoly_init(g, ring->ctx);
    if (fmpq_mpoly_gcd(g, f->num, f->den, ring->ctx) &&
        !fmpq_mpoly_is_fmpq(g, ring->ctx)) {
        fmpq_mpoly_divides(f->num, f->num, g, ring->ctx);
        fmpq_mpoly_divides(f->den, f->den, g, ring->ctx);
    }
    fmpq_mpoly_clear(g, ring->ctx);
    fmpq_init(c);
    fmpq_mpoly_get_term_coeff_fmpq(c, f->den, 0, ring->ctx);
    fmpq_mpoly_scalar_div_fmpq(f->num, f->num, c, ring->ctx);
    fmpq_mpoly_scalar_div_fmpq(f->den, f->den, c, ring->ctx);
    fmpq_clear(c);
}

/* a/b + c/d = (a*d + c*b) / (b*d) */
static void frac_add(rf_ring *ring, rf_frac *a, const rf_frac *b)
{
    fmpq_mpoly_t t;
    if (fmpq_mpoly_equal(a->den, b->den, ring->ctx)) {
        fmpq_mpoly_add(a->num, a->num, b->num, ring->ctx);
        reduce(ring, a);
        return;
    }
    fmpq_mpoly_init(t, ring->ctx);
    fmpq_mpoly_set(t, b->num, ring->ctx);
    times(ring, t, a->den);
    times(ring, a->num, b->den);
    times(ring, a->den, b->den);
    fmpq_mpoly_add(a->num, a->num, t, ring->ctx);
    fmpq_mpoly_clear(t, ring->ctx);
    reduce(ring, a);
}

static void frac_mul(rf_ring *ring, rf_frac *a, const rf_frac *b)
{
    times(ring, a->num, b->num);
    times(ring, a->den, b->den);
    reduce(ring, a);
}

/* Raise "f" to an integer power; 0^-1 counts as overflow. */
static void frac_pow(rf_ring *ring, rf_frac *f, int64_t e)
{
    if (e < 0) {
        if (fmpq_mpoly_is_zero(f->num, ring->ctx))
            ring->overflow = true;
        fmpq_mpoly_swap(f->num, f->den, ring->ctx);
        e = -e;
    }
    bool one = fmpq_mpoly_length(f->num, ring->ctx) <= 1 &&
               fmpq_mpoly_length(f->den, ring->ctx) <= 1;
    if (e > MOST_EXPONENT && !one)
        ring->overflow = true;
    if (ring->overflow)
        return;
    fmpq_mpoly_pow_ui(f->num, f->num, (ulong)e, ring->ctx);
    fmpq_mpoly_pow_ui(f->den, f->den, (ulong)e, ring->ctx);
    reduce(ring, f);
}

static void set_generator_power(rf_ring *ring, rf_frac *out, slong gen,
                                int64_t e)
{
    fmpq_mpoly_gen(out->num, gen, ring->ctx);
    fmpq_mpoly_one(out->den, ring->ctx);
    frac_pow(ring, out, e);
}

/* ---- reading nodes ---- */

static void read_exponential(rf_ring *ring, rf_frac *out, const rf_sym *e)
{
    rf_syms *s = ring->alg->syms;
    const rf_sym *const *terms, *c, *t;
    unsigned n = exponent_terms(e, &terms);
    rf_frac f;
    rf_frac_init(ring, &f);
    fmpq_mpoly_one(out->num, ring->ctx);
    fmpq_mpoly_one(out->den, ring->ctx);
    for (unsigned i = 0; i < n; i++) {
        rf_split_term(s, terms[i], &c, &t);
        slong g = find_generator(ring, rf_sym_exp(s, e->base, t), false);
        const rf_generator *gen = &ring->gen.data[g];
        set_generator_power(ring, &f, g,
                            c->num / gen->unit * (gen->scale / c->den));
        frac_mul(ring, out, &f);
    }
    rf_frac_clear(ring, &f);
}

static void read_node(rf_ring *ring, rf_frac *out, const rf_sym *e);

static void read_nary(rf_ring *ring, rf_frac *out, const rf_sym *e)
{
    rf_frac f;
    rf_frac_init(ring, &f);
    read_node(ring, out, e->arg[0]);
    for (unsigned i = 1; i < e->n && !ring->overflow; i++) {
        read_node(ring, &f, e->arg[i]);
        if (e->kind == RF_SYM_ADD)
            frac_add(ring, out, &f);
        else
            frac_mul(ring, out, &f);
    }
    rf_frac_clear(ring, &f);
}

static void read_root(rf_ring *ring, rf_frac *out, const rf_sym *e)
{
    slong g = find_generator(ring, e->arg[0], is_compound(e->arg[0]));
    int64_t scale = ring->gen.data[g].scale;
    set_generator_power(ring, out, g,
                        e->arg[1]->num * (scale / e->arg[1]->den));
}

static void read_node(rf_ring *ring, rf_frac *out, const rf_sym *e)
{
    if (ring->overflow)
        return;
    if (e->kind == RF_SYM_RAT) {
        fmpq_t c;
        fmpq_init(c);
        fmpq_set_si(c, e->num, (ulong)e->den);
        fmpq_mpoly_set_fmpq(out->num, c, ring->ctx);
        fmpq_mpoly_one(out->den, ring->ctx);
        fmpq_clear(c);
    } else if (e->kind == RF_SYM_EXP) {
        read_exponential(ring, out, e);
    } else if (is_power(e) && e->arg[1]->den != 1) {
        read_root(ring, out, e);
    } else if (is_power(e)) {
        read_node(ring, out, e->arg[0]);
        frac_pow(ring, out, e->arg[1]->num);
    } else if (e->kind == RF_SYM_ADD || e->kind == RF_SYM_MUL) {
        read_nary(ring, out, e);
    } else {
        slong g = find_generator(ring, e, false);
        set_generator_power(ring, out, g, ring->gen.data[g].scale);
    }
}

bool rf_ring_read(rf_ring *ring, rf_frac *out, const rf_sym *e)
{
    read_node(ring, out, e);
    return !ring->overflow;
}

/* p modulo R^k = n/d, in the form d*R^k - n, for the root "gen". */
static void reduce_by_root(rf_ring *ring, fmpq_mpoly_t p, slong gen)
{
    rf_generator *g = &ring->gen.data[gen];
    fmpq_mpoly_t q, r, relation;
    rf_frac base;
    rf_frac_init(ring, &base);
    fmpq_mpoly_init(q, ring->ctx);
    fmpq_mpoly_init(r, ring->ctx);
    fmpq_mpoly_init(relation, ring->ctx);
    read_node(ring, &base, g->sym);
    fmpq_mpoly_gen(relation, gen, ring->ctx);
    fmpq_mpoly_pow_ui(relation, relation, (ulong)g->scale, ring->ctx);
    fmpq_mpoly_mul(relation, relation, base.den, ring->ctx);
    fmpq_mpoly_sub(relation, relation, base.num, ring->ctx);
    slong degree = fmpq_mpoly_degree_si(p, gen, ring->ctx);
    for (slong d = g->scale; d <= degree && !ring->overflow; d += g->scale)
        times(ring, p, base.den);
    fmpq_mpoly_divrem(q, r, p, relation, ring->ctx);
    fmpq_mpoly_set(p, r, ring->ctx);
    fmpq_mpoly_clear(q, ring->ctx);
    fmpq_mpoly_clear(r, ring->ctx);
    fmpq_mpoly_clear(relation, ring->ctx);
    rf_frac_clear(ring, &base);
}

bool rf_ring_is_zero(rf_ring *ring, const fmpq_mpoly_t p)
{
    if (ring->overflow)
        return false;
    fmpq_mpoly_t t;
    fmpq_mpoly_init(t, ring->ctx);
    fmpq_mpoly_set(t, p, ring->ctx);
    for (size_t i = 0; i < ring->gen.len; i++)
        if (ring->gen.data[i].is_root)
            reduce_by_root(ring, t, (slong)i);
    bool zero = fmpq_mpoly_is_zero(t, ring->ctx) && !ring->overflow;
    fmpq_mpoly_clear(t, ring->ctx);
    return zero;
}

/* ---- writing nodes ---- */

const rf_sym *rf_ring_constant(rf_ring *ring, const fmpq_t c)
{
    rf_syms *s = ring->alg->syms;
    if (fmpz_fits_si(fmpq_numref(c)) && fmpz_fits_si(fmpq_denref(c)))
        return rf_sym_rat(s, fmpz_get_si(fmpq_numref(c)),
                          fmpz_get_si(fmpq_denref(c)));
    char *text = fmpq_get_str(NULL, 10, c);
    const rf_sym *e = rf_sym_named(s, RF_SYM_CALL, text, 0, NULL);
    flint_free(text);
    return e;
}

const rf_sym *rf_ring_power(rf_ring *ring, size_t gen, int64_t exponent)
{
    rf_syms *s = ring->alg->syms;
    const rf_generator *g = &ring->gen.data[gen];
    return rf_sym_pow(s, g->sym, rf_sym_rat(s, exponent * g->unit, g->scale));
}

enum { BASES = 3 };
static const unsigned exp_base[BASES] = { 0, 2, 10 };

/* Put the factors of "f" into "out", those that are exponentials into the
 * exponent of their base. */
static void split_exponentials(rf_syms *s, rf_nodes *out,
                               const rf_sym **exponent, const rf_sym *f)
{
    if (f->kind == RF_SYM_MUL) {
        for (unsigned i = 0; i < f->n; i++)
            split_exponentials(s, out, exponent, f->arg[i]);
        return;
    }
    for (unsigned b = 0; b < BASES; b++)
        if (f->kind == RF_SYM_EXP && f->base == exp_base[b]) {
            exponent[b] = rf_sym_add(s, exponent[b], f->arg[0]);
            return;
        }
    RF_PUSH(*out, f);
}

/* exp(a) * exp(b) = exp(a + b), for each base. */
const rf_sym *rf_product(rf_algebra *alg, unsigned n, const rf_sym *const *f)
{
    rf_syms *s = alg->syms;
    const rf_sym *zero = rf_sym_int(s, 0), *exponent[] = { zero, zero, zero };
    rf_nodes out = { 0 };
    for (unsigned i = 0; i < n; i++)
        split_exponentials(s, &out, exponent, f[i]);
    for (unsigned b = 0; b < BASES; b++)
        RF_PUSH(out, rf_sym_exp(s, exp_base[b], exponent[b]));
    const rf_sym *e = rf_sym_make(s, RF_SYM_MUL, out.len, out.data);
    RF_CLEAR(out);
    return e;
}

static const rf_sym *term_node(rf_ring *ring, const fmpq_mpoly_t p, slong i)
{
    rf_nodes f = { 0 };
    fmpq_t c;
    fmpq_init(c);
    fmpq_mpoly_get_term_coeff_fmpq(c, p, i, ring->ctx);
    RF_PUSH(f, rf_ring_constant(ring, c));
    fmpq_clear(c);
    for (size_t g = 0; g < ring->gen.len; g++) {
        slong e = fmpq_mpoly_get_term_var_exp_si(p, i, (slong)g, ring->ctx);
        if (e)
            RF_PUSH(f, rf_ring_power(ring, g, e));
    }
    const rf_sym *e = rf_product(ring->alg, f.len, f.data);
    RF_CLEAR(f);
    return e;
}

const rf_sym *rf_ring_sum(rf_ring *ring, const fmpq_mpoly_t p)
{
    rf_nodes terms = { 0 };
    slong n = fmpq_mpoly_length(p, ring->ctx);
    for (slong i = 0; i < n; i++)
        RF_PUSH(terms, term_node(ring, p, i));
    const rf_sym *e =
        rf_sym_make(ring->alg->syms, RF_SYM_ADD, terms.len, terms.data);
    RF_CLEAR(terms);
    return e;
}
