/* Order reductions commute with monotone maps (THEORY 3):
 *
 *     max_l f(g_l) = f(max_l g_l)   f rising
 *     max_l f(g_l) = f(min_l g_l)   f falling
 *
 * F is peeled from the outside; each step is monotone for every value of the
 * results, by the signs that are proven, until what is left is free of D. */
#include "algebra/internal.h"

#include <string.h>

/* functions of one argument that rise everywhere; strictly or not */
static const struct {
    const char *name;
    bool strict;
} rising[] = {
    { "tanh", true },   { "erf", true },    { "atan", true },
    { "sinh", true },   { "asinh", true },  { "cbrt", true },
    { "expm1", true },  { "log1p", true },  { "asin", true },
    { "floor", false }, { "ceil", false },  { "trunc", false },
    { "rint", false },  { "round", false }, { "sigmoid", true },
};

/* The map so far around "hole" becomes "map". */
static bool wrap(rf_transport *t, const rf_sym *map, bool falling, bool strict)
{
    t->map = map;
    t->falling ^= falling;
    t->strict &= strict;
    return true;
}

/* Move the operands of "e" without x to "own", others to "rest". */
static void take_own(const rf_sym *e, rf_nodes *own, rf_nodes *rest)
{
    for (unsigned i = 0; i < e->n; i++)
        if (!rf_sym_has_role(e->arg[i], RF_ATOM_ELEMENT))
            RF_PUSH(*own, e->arg[i]);
        else
            RF_PUSH(*rest, e->arg[i]);
}

/* own (kind) rest as nodes; false if there is nothing on one side. */
static bool peel_nary(const rf_question *q, const rf_sym *e, const rf_sym **own,
                      const rf_sym **rest)
{
    rf_nodes a = { 0 }, b = { 0 };
    take_own(e, &a, &b);
    bool ok = a.len && b.len;
    if (ok) {
        *own = rf_sym_make(q->alg->syms, e->kind, a.len, a.data);
        *rest = rf_sym_make(q->alg->syms, e->kind, b.len, b.data);
    }
    RF_CLEAR(a);
    RF_CLEAR(b);
    return ok;
}

/* h + e, h max e, h min e */
static bool through_plain(const rf_question *q, const rf_sym *e,
                          const rf_sym *hole, rf_transport *out)
{
    const rf_sym *own, *rest;
    if (!peel_nary(q, e, &own, &rest) || !rf_transport_find(q, rest, hole, out))
        return false;
    const rf_sym *args[] = { own, out->map };
    return wrap(out, rf_sym_make(q->alg->syms, e->kind, 2, args), false,
                e->kind == RF_SYM_ADD);
}

/* (1 + d)*x hides in x + d*x. */
static bool through_sum(const rf_question *q, const rf_sym *e,
                        const rf_sym *hole, rf_transport *out)
{
    if (through_plain(q, e, hole, out))
        return true;
    const rf_sym *f = rf_factored(q->alg, e);
    return f->kind != RF_SYM_ADD && rf_transport_find(q, f, hole, out);
}

/* h * e, h of known sign; a rational factor may also be peeled */
static bool through_product(const rf_question *q, const rf_sym *e,
                            const rf_sym *hole, rf_transport *out)
{
    rf_syms *s = q->alg->syms;
    rf_nodes a = { 0 }, b = { 0 };
    for (unsigned i = 0; i < e->n; i++)
        if (rf_sym_has_role(e->arg[i], RF_ATOM_ELEMENT))
            RF_PUSH(b, e->arg[i]);
        else
            RF_PUSH(a, e->arg[i]);
    const rf_sym *own = rf_sym_make(s, RF_SYM_MUL, a.len, a.data);
    const rf_sym *rest = rf_sym_make(s, RF_SYM_MUL, b.len, b.data);
    bool peels = a.len && b.len;
    RF_CLEAR(a);
    RF_CLEAR(b);
    int sign = rf_algebra_sign(q->alg, own);
    bool both = sign & RF_IS_NEGATIVE && sign & RF_IS_POSITIVE;
    if (!peels || both || !rf_transport_find(q, rest, hole, out))
        return false;
    return wrap(out, rf_sym_mul(s, own, out->map), sign & RF_IS_NEGATIVE,
                !(sign & RF_IS_ZERO));
}

/* e^r: rising for r > 0 where e >= 0 or r is odd, falling for r < 0, e > 0 */
static bool through_power(const rf_question *q, const rf_sym *e,
                          const rf_sym *hole, rf_transport *out)
{
    const rf_sym *b = e->arg[0], *r = e->arg[1];
    if (r->kind != RF_SYM_RAT)
        return false;
    int sign = rf_algebra_sign(q->alg, b);
    bool odd = r->den == 1 && r->num % 2 != 0;
    bool ok = r->num > 0 ? odd || r->den != 1 || !(sign & RF_IS_NEGATIVE)
                         : sign == RF_IS_POSITIVE;
    if (!ok || !rf_transport_find(q, b, hole, out))
        return false;
    return wrap(out, rf_sym_pow(q->alg->syms, out->map, r), r->num < 0, true);
}

/* |e| = e for e >= 0, -e for e <= 0 */
static bool through_abs(const rf_question *q, const rf_sym *e,
                        const rf_sym *hole, rf_transport *out)
{
    int sign = rf_algebra_sign(q->alg, e->arg[0]);
    bool both = sign & RF_IS_NEGATIVE && sign & RF_IS_POSITIVE;
    return !both && rf_transport_find(q, e->arg[0], hole, out) &&
           wrap(out, rf_sym_abs(q->alg->syms, out->map), sign & RF_IS_NEGATIVE,
                true);
}

/* c(D) ? a : b, both maps of the same g in the same direction */
static bool through_select(const rf_question *q, const rf_sym *e,
                           const rf_sym *hole, rf_transport *out)
{
    rf_transport other;
    if (rf_depends(q, e->arg[0]) & RF_ON_X ||
        !rf_transport_find(q, e->arg[1], hole, out) ||
        !rf_transport_find(q, e->arg[2], hole, &other) || other.g != out->g ||
        other.falling != out->falling)
        return false;
    return wrap(out,
                rf_sym_select(q->alg->syms, e->arg[0], out->map, other.map),
                false, other.strict);
}

/* Rounding, exp, log and rising functions: the node around its argument. */
static bool through_rising(const rf_question *q, const rf_sym *e,
                           const rf_sym *hole, bool strict, rf_transport *out)
{
    return rf_transport_find(q, e->arg[0], hole, out) &&
           wrap(out, rf_sym_rebuild(q->alg->syms, e, &out->map), false, strict);
}

static bool through_call(const rf_question *q, const rf_sym *e,
                         const rf_sym *hole, rf_transport *out)
{
    for (size_t i = 0; e->n == 1 && i < RF_COUNTOF(rising); i++)
        if (strcmp(e->name, rising[i].name) == 0)
            return through_rising(q, e, hole, rising[i].strict, out);
    return false;
}

bool rf_transport_find(const rf_question *q, const rf_sym *e,
                       const rf_sym *hole, rf_transport *out)
{
    *out = (rf_transport){ .g = e, .map = hole, .strict = true };
    if (!(rf_depends(q, e) & RF_ON_D))
        return true;
    switch (e->kind) {
    case RF_SYM_ADD:
        return through_sum(q, e, hole, out);
    case RF_SYM_MAX:
    case RF_SYM_MIN:
        return through_plain(q, e, hole, out);
    case RF_SYM_MUL:
        return through_product(q, e, hole, out);
    case RF_SYM_POW:
        return through_power(q, e, hole, out);
    case RF_SYM_ABS:
        return through_abs(q, e, hole, out);
    case RF_SYM_SELECT:
        return through_select(q, e, hole, out);
    case RF_SYM_EXP:
    case RF_SYM_LOG:
        return through_rising(q, e, hole, true, out);
    case RF_SYM_ROUND:
        return through_rising(q, e, hole, false, out);
    case RF_SYM_CALL:
        return through_call(q, e, hole, out);
    default:
        return false;
    }
}
