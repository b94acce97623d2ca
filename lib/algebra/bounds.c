/* Rounding (THEORY 8): how many factors (1 + delta), |delta| <= u, stand
 * between the exact and the computed value on the longest path.
 *
 *     n combines, each element in k roundings:  gamma(n + k)
 *     fused: every combine also multiplies by the ratio, in r roundings:
 *            gamma(n*(2 + r) + k + k_later)
 *
 * exp(a) in one rounding of a and two of its own: its argument's error u*|a|
 * counts as |a| <= range further roundings. The ratios of a running maximum
 * telescope, so that all their arguments together are one range.
 *
 * Class M: a step of k roundings moves a sum about a reference that itself has
 * an error of gamma(n) * size. To first order
 *
 *     |error| <= gamma(k*n*2^j) * SUM (|F| + SUM_D |dF/dD| * size(D))
 *
 * where j is the degree of F in D less one: a sum of degree j collects the
 * errors of those below it, as averages (1/k) SUM e_i, each of which Hardy's
 * inequality bounds by a factor of 2. */
#include "algebra/internal.h"

/* plain + ranged * range */
typedef struct {
    int64_t plain, ranged;
} roundings;

enum { EXP_ROUNDINGS = 2, CALL_ROUNDINGS = 4, POW_ROUNDINGS = 16 };

static const char *const class_names[] = { "exact", "reassociated",
                                           "rescaled" };

const char *rf_rounding_name(rf_rounding_class c)
{
    return class_names[c];
}

const rf_sym *rf_gamma(rf_syms *s, const rf_sym *k, unsigned bits)
{
    const rf_sym *u = rf_sym_rat(s, 1, INT64_C(1) << bits);
    const rf_sym *ku = rf_sym_mul(s, k, u);
    return rf_sym_div(s, ku, rf_sym_sub(s, rf_sym_int(s, 1), ku));
}

/* ---- counting ---- */

static roundings count(const rf_sym *e);

static roundings more(roundings a, int64_t plain)
{
    return (roundings){ a.plain + plain, a.ranged };
}

static roundings larger(roundings a, roundings b)
{
    return (roundings){ a.plain > b.plain ? a.plain : b.plain,
                        a.ranged > b.ranged ? a.ranged : b.ranged };
}

/* A constant that is no binary fraction is rounded once. */
static roundings count_number(const rf_sym *e)
{
    bool exact = (e->den & (e->den - 1)) == 0;
    return (roundings){ exact ? 0 : 1, 0 };
}

static bool is_sign(const rf_sym *e)
{
    return rf_sym_is_int(e, -1);
}

static roundings count_sum(const rf_sym *e)
{
    roundings r = { 0, 0 };
    for (unsigned i = 0; i < e->n; i++)
        r = larger(r, count(e->arg[i]));
    return more(r, e->n - 1);
}

static roundings count_product(const rf_sym *e)
{
    roundings r = { -1, 0 };
    for (unsigned i = 0; i < e->n; i++) {
        if (is_sign(e->arg[i]))
            continue;
        roundings a = count(e->arg[i]);
        bool below = e->arg[i]->kind == RF_SYM_POW &&
                     rf_sym_is_int(e->arg[i]->arg[1], -1);
        r.plain += a.plain + (below ? 0 : 1);
        r.ranged += a.ranged;
    }
    return r.plain < 0 ? more(r, 1) : r;
}

static roundings count_power(const rf_sym *e)
{
    roundings b = count(e->arg[0]);
    const rf_sym *r = e->arg[1];
    if (r->kind != RF_SYM_RAT)
        return more(b, POW_ROUNDINGS);
    int64_t k = r->num < 0 ? -r->num : r->num;
    if (r->den == 2)
        return more(b, k + (r->num < 0));
    if (r->den != 1)
        return more(b, POW_ROUNDINGS);
    return (roundings){ k * b.plain + k - 1 + (r->num < 0), k * b.ranged };
}

static roundings count_exp(const rf_sym *e)
{
    roundings a = count(e->arg[0]);
    return (roundings){ EXP_ROUNDINGS, a.plain + a.ranged };
}

static roundings count(const rf_sym *e)
{
    roundings r = { 0, 0 };
    switch (e->kind) {
    case RF_SYM_RAT:
        return count_number(e);
    case RF_SYM_ADD:
        return count_sum(e);
    case RF_SYM_MUL:
        return count_product(e);
    case RF_SYM_POW:
        return count_power(e);
    case RF_SYM_EXP:
        return count_exp(e);
    case RF_SYM_LOG:
        return more(count(e->arg[0]), EXP_ROUNDINGS);
    default:
        break;
    }
    for (unsigned i = 0; i < e->n; i++)
        r = larger(r, count(e->arg[i]));
    return e->kind == RF_SYM_CALL && e->n ? more(r, CALL_ROUNDINGS) : r;
}

/* ---- the magnitude that errors are relative to ---- */

/* What is free of x is part of what the results carry. */
static bool is_given(const rf_sym *e)
{
    return !rf_sym_has_role(e, RF_ATOM_ELEMENT);
}

/* True if evaluating "e" from given values rounds. */
static bool rounds(const rf_sym *e)
{
    return !is_given(e) && e->kind != RF_SYM_ATOM;
}

/* |e| with no cancellation between rounded values. */
static const rf_sym *magnitude(rf_algebra *alg, const rf_sym *e)
{
    rf_syms *s = alg->syms;
    bool inside = e->kind == RF_SYM_MUL;
    for (unsigned i = 0; e->kind == RF_SYM_ADD && i < e->n; i++) {
        bool negated = e->arg[i]->kind == RF_SYM_MUL && e->arg[i]->n == 2 &&
                       is_sign(e->arg[i]->arg[0]) && !rounds(e->arg[i]->arg[1]);
        inside |= rounds(e->arg[i]) && !negated;
    }
    if (!inside || is_given(e))
        return e->kind == RF_SYM_EXP ? e : rf_sym_abs(s, e);
    rf_nodes args = { 0 };
    for (unsigned i = 0; i < e->n; i++)
        RF_PUSH(args, magnitude(alg, e->arg[i]));
    const rf_sym *r = rf_sym_make(s, e->kind, args.len, args.data);
    RF_CLEAR(args);
    return r;
}

/* ---- the two forms ---- */

static const rf_sym *as_count(rf_algebra *alg, rf_rounding *out,
                              const rf_sym *path, roundings r)
{
    rf_syms *s = alg->syms;
    const rf_sym *k = rf_sym_add(s, path, rf_sym_int(s, r.plain));
    if (!r.ranged)
        return k;
    if (!out->range)
        out->range =
            rf_sym_atom_signed(s, RF_ATOM_PARAM, "range", NULL, RF_SIGN_NONNEG);
    return rf_sym_add(s, k, rf_sym_mul(s, rf_sym_int(s, r.ranged), out->range));
}

static roundings count_later(const rf_separation *p)
{
    return p->later == p->state ? (roundings){ 0, 0 } : count(p->later);
}

/* n*(2 + r) + k(lift) + k(later) */
static const rf_sym *fused_count(rf_algebra *alg, const rf_rounding_question *q,
                                 rf_rounding *out)
{
    rf_syms *s = alg->syms;
    const rf_separation *p = q->separation;
    roundings lift = count(p->lift), later = count_later(p);
    roundings r = { lift.plain + later.plain, lift.ranged + later.ranged };
    const rf_sym *path = q->fused_path;
    if (p->ratio) {
        roundings c = count(p->ratio);
        const rf_sym *each = rf_sym_int(s, 2 + c.plain);
        path = rf_sym_mul(s, path, each);
        if (q->shift_is_monotone)
            r.ranged += c.ranged;
        else if (c.ranged)
            path = rf_sym_add(s, path,
                              as_count(alg, out, rf_sym_int(s, 0),
                                       (roundings){ 0, c.ranged }));
    }
    return as_count(alg, out, path, r);
}

/* F of a maximum is rounded before or after the choice: the same value, but of
 * two zeros the sign may be the other's. */
static rf_rounding_class class_of(const rf_rounding_question *q)
{
    const rf_separation *p = q->separation;
    bool order = rf_reduce_is_order(q->op) || rf_reduce_is_idempotent(q->op);
    bool same_order = q->source_path == q->fused_path && !q->reorders;
    if (!p || p->ratio)
        return RF_ROUNDING_RESCALED;
    return p->times == RF_TIMES_NONE && (order || same_order)
               ? RF_ROUNDING_EXACT
               : RF_ROUNDING_REASSOCIATED;
}

/* ---- class M ---- */

enum { MOST_DEGREE = 5 };

/* How often F can be derived by its results until nothing is left. */
static unsigned degree(rf_algebra *alg, const rf_rounding_question *q,
                       const rf_sym *e, unsigned most)
{
    unsigned largest = 0;
    for (unsigned i = 0; i < q->n_results && most; i++) {
        const rf_sym *d = rf_algebra_derivative(alg, e, q->results[i]);
        d = d ? rf_algebra_simplify(alg, d) : NULL;
        if (!d || rf_sym_is_int(d, 0))
            continue;
        unsigned n = 1 + degree(alg, q, d, most - 1);
        largest = n > largest ? n : largest;
    }
    return largest;
}

static const rf_sym *
moving_count(rf_algebra *alg, const rf_rounding_question *q, rf_rounding *out)
{
    roundings r = count(q->step);
    unsigned n = degree(alg, q, q->f, MOST_DEGREE);
    int64_t each = r.plain << (n > 1 ? n - 1 : 0);
    const rf_sym *path =
        rf_sym_mul(alg->syms, q->fused_path, rf_sym_int(alg->syms, each));
    return as_count(alg, out, path, (roundings){ 0, 2 * r.ranged });
}

/* |F| + SUM |dF/dD| * size(D) */
static const rf_sym *moving_scale(rf_algebra *alg,
                                  const rf_rounding_question *q)
{
    rf_syms *s = alg->syms;
    const rf_sym *sum = rf_sym_abs(s, q->f);
    for (unsigned i = 0; i < q->n_results; i++) {
        const rf_sym *d = rf_algebra_derivative(alg, q->f, q->results[i]);
        if (!d)
            return NULL;
        d = rf_sym_abs(s, rf_algebra_simplify(alg, d));
        sum = rf_sym_add(s, sum, rf_sym_mul(s, d, q->sizes[i]));
    }
    return sum;
}

static const char *describe(rf_algebra *alg, const rf_rounding *b)
{
    rf_arena *arena = rf_syms_arena(alg->syms);
    if (b->rounding == RF_ROUNDING_EXACT)
        return "exact";
    return rf_arena_printf(arena, "%s: gamma(%s), source gamma(%s)",
                           rf_rounding_name(b->rounding),
                           rf_sym_text(arena, b->fused_count),
                           rf_sym_text(arena, b->source_count));
}

/* gamma(k) is k*u to first order: 4 * source >= fused. */
static bool is_within_four(rf_algebra *alg, const rf_rounding *b)
{
    rf_syms *s = alg->syms;
    const rf_sym *room = rf_sym_sub(
        s, rf_sym_mul(s, rf_sym_int(s, 4), b->source_count), b->fused_count);
    return b->scale == b->fused_scale &&
           !(rf_algebra_sign(alg, rf_algebra_simplify(alg, room)) &
             RF_IS_NEGATIVE);
}

void rf_rounding_find(rf_algebra *alg, const rf_rounding_question *q,
                      rf_rounding *out)
{
    rf_syms *s = alg->syms;
    *out = (rf_rounding){ .rounding = class_of(q) };
    bool order = rf_reduce_is_order(q->op) || rf_reduce_is_idempotent(q->op);
    const rf_sym *zero = rf_sym_int(s, 0);
    rf_rounding_question plain = *q;
    if (order) /* keeping one of two values does not round */
        plain.source_path = plain.fused_path = zero;
    out->scale = out->fused_scale = magnitude(alg, q->f);
    out->source_count = as_count(alg, out, plain.source_path, count(q->f));
    if (!q->separation) {
        out->fused_count = moving_count(alg, q, out);
        out->fused_scale = moving_scale(alg, q);
    } else
        out->fused_count = out->rounding == RF_ROUNDING_EXACT
                               ? out->source_count
                               : fused_count(alg, &plain, out);
    out->source = rf_gamma(s, out->source_count, q->bits);
    out->fused = rf_gamma(s, out->fused_count, q->bits);
    out->is_within_four = is_within_four(alg, out);
    out->text = describe(alg, out);
}
