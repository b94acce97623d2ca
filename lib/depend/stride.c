/* Delinearisation: an equation with symbolic strides, one axis at a time.
 *
 *     S_n*f_n + ... + S_1*f_1 + S_0*f_0 = 0,   S_k+1 = q_k * S_k          (*)
 *
 * If every |f_k| < q_k (k < n), then f_0 is a multiple of q_0 and so is 0;
 * divide by q_0 and repeat: (*) holds exactly where all f_k are 0. S_0 must
 * not be 0. For j*D + d = j'*D + d' this says: 0 <= d, d' < D makes j, d the
 * subscripts of a two-dimensional array. */
#include "depend/stride.h"

#include <string.h>

enum { MAX_GROUPS = 6, MAX_TERMS = 64 };

typedef struct {
    rf_term stride; /* coefficient 1 */
    rf_form form;
} group;

typedef struct {
    rf_scope *scope;
    unsigned n;
    group group[MAX_GROUPS]; /* by number of factors of the stride */
} groups;

static bool same_stride(const rf_term *a, const rf_term *b)
{
    return a->n == b->n &&
           !memcmp(a->factor, b->factor, a->n * sizeof *a->factor);
}

static group *group_of(groups *g, const rf_term *stride)
{
    for (unsigned i = 0; i < g->n; i++)
        if (same_stride(&g->group[i].stride, stride))
            return &g->group[i];
    if (g->n == MAX_GROUPS)
        return NULL;
    unsigned at = g->n++;
    while (at && g->group[at - 1].stride.n > stride->n) {
        g->group[at] = g->group[at - 1];
        at--;
    }
    g->group[at] = (group){ *stride, rf_form_constant(g->scope, 0) };
    return &g->group[at];
}

/* t = quotient * divisor; false if it does not divide. */
static bool term_divide(const rf_term *t, const rf_term *divisor, rf_term *q)
{
    unsigned j = 0;
    *q = (rf_term){ .coef = t->coef };
    for (unsigned i = 0; i < t->n; i++) {
        if (j < divisor->n && t->factor[i] == divisor->factor[j])
            j++;
        else
            q->factor[q->n++] = t->factor[i];
    }
    return j == divisor->n;
}

static bool add_to(groups *g, const rf_term *stride, const rf_term *part)
{
    group *to = group_of(g, stride);
    if (!to)
        return false;
    rf_term copy = *part;
    rf_form one = {
        .ok = true, .exact = true, .bits = 64, .n = 1, .term = &copy
    };
    to->form = rf_form_add(g->scope, to->form, one, 1);
    return to->form.ok;
}

/* Put a term with a factor that varies into the group of its other factors. */
static bool add_varying(groups *g, const rf_term *t)
{
    rf_term stride = { .coef = 1 }, part = { .coef = t->coef };
    for (unsigned i = 0; i < t->n; i++)
        if (t->factor[i]->tag)
            part.factor[part.n++] = t->factor[i];
        else
            stride.factor[stride.n++] = t->factor[i];
    return part.n == 1 && add_to(g, &stride, &part);
}

/* Put an invariant term into the group with the longest stride in it. */
static bool add_invariant(groups *g, const rf_term *t)
{
    rf_term q, unit = { .coef = 1 };
    for (unsigned i = g->n; i-- > 0;) {
        rf_term stride = g->group[i].stride;
        if (term_divide(t, &stride, &q))
            return add_to(g, &stride, &q);
    }
    return add_to(g, &unit, t);
}

static bool varies(const rf_term *t)
{
    for (unsigned i = 0; i < t->n; i++)
        if (t->factor[i]->tag)
            return true;
    return false;
}

static bool split(groups *g, const rf_form *f)
{
    for (unsigned i = 0; i < f->n; i++)
        if (varies(&f->term[i]) && !add_varying(g, &f->term[i]))
            return false;
    for (unsigned i = 0; i < f->n; i++)
        if (!varies(&f->term[i]) && !add_invariant(g, &f->term[i]))
            return false;
    return true;
}

static int64_t gcd(int64_t a, int64_t b)
{
    return b ? gcd(b, a % b) : a < 0 ? -a : a;
}

/* |inner| < q * (what all coefficients of the outermost group share). */
static bool is_short(groups *g, unsigned k)
{
    rf_term q;
    if (!term_divide(&g->group[k + 1].stride, &g->group[k].stride, &q))
        return false;
    rf_scope *scope = g->scope;
    int64_t share = 0;
    const rf_form *outer = &g->group[k + 1].form;
    for (unsigned i = 0; i < outer->n; i++)
        share = gcd(share, outer->term[i].coef);
    q.coef = k + 2 == g->n && share ? share : 1;
    rf_form size = {
        .ok = true, .exact = true, .bits = 64, .n = 1, .term = &q
    };
    isl_pw_aff *high = rf_affine_of(scope, &size);
    isl_pw_aff *x = rf_affine_of(scope, &g->group[k].form);
    isl_set *claim =
        isl_pw_aff_lt_set(isl_pw_aff_copy(x), isl_pw_aff_copy(high));
    claim =
        isl_set_intersect(claim, isl_pw_aff_gt_set(x, isl_pw_aff_neg(high)));
    return rf_scope_implies(scope, claim);
}

/* The innermost stride is not 0. */
static bool is_nonzero(groups *g)
{
    const rf_term *stride = &g->group[0].stride;
    for (unsigned i = 0; i < stride->n; i++) {
        rf_term t = { .coef = 1, .n = 1, .factor = { stride->factor[i] } };
        rf_form f = {
            .ok = true, .exact = true, .bits = 64, .n = 1, .term = &t
        };
        isl_set *claim = isl_pw_aff_ne_set(rf_affine_of(g->scope, &f),
                                           rf_affine_constant(g->scope, 0));
        if (!rf_scope_implies(g->scope, claim))
            return false;
    }
    return true;
}

isl_set *rf_stride_zero_set(rf_scope *scope, const rf_form *form, bool *exact)
{
    groups g = { .scope = scope };
    if (!split(&g, form) || !g.n)
        return NULL;
    *exact = is_nonzero(&g);
    for (unsigned k = 0; k + 1 < g.n; k++)
        *exact = *exact && is_short(&g, k);
    isl_set *all = NULL;
    for (unsigned k = 0; k < g.n; k++) {
        isl_set *zero =
            isl_pw_aff_zero_set(rf_affine_of(scope, &g.group[k].form));
        all = all ? isl_set_intersect(all, zero) : zero;
    }
    return all;
}
