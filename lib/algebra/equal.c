/* Equality of expressions: YES by normal form, NO by a point.
 *
 *     a = b   if the numerator of a - b is the zero polynomial,
 *
 * or is so in every case of the order of max, min, |.|, <, select (cases.c). */
#include "algebra/internal.h"

#include <math.h>

enum { POINTS = 96 };

/* ---- normal form ---- */

bool rf_is_zero_form(rf_algebra *alg, const rf_sym *e)
{
    rf_ring ring;
    rf_frac f;
    const rf_sym *p = rf_prepare(alg, e);
    rf_ring_init(&ring, alg, 1, &p);
    rf_frac_init(&ring, &f);
    bool zero = rf_ring_read(&ring, &f, p) && rf_ring_is_zero(&ring, f.num);
    rf_frac_clear(&ring, &f);
    rf_ring_clear(&ring);
    return zero;
}

/* ---- points ---- */

static bool differ_at(const rf_sym *a, const rf_sym *b, rf_witness *w)
{
    w->left = rf_sym_value(a, w->n, w->atom, w->value);
    w->right = rf_sym_value(b, w->n, w->atom, w->value);
    if (!isfinite(w->left) || !isfinite(w->right))
        return false;
    double scale = fmax(1, fmax(fabs(w->left), fabs(w->right)));
    return fabs(w->left - w->right) > 1e-9 * scale &&
           rf_values_differ(a, b, w->n, w->atom, w->value);
}

static void keep_witness(rf_arena *arena, const rf_point *p, rf_witness *w)
{
    const rf_sym **atom = RF_NEW_ARRAY(arena, w->n, const rf_sym *);
    double *value = RF_NEW_ARRAY(arena, w->n, double);
    for (unsigned i = 0; i < w->n; i++) {
        atom[i] = p->atoms.data[i];
        value[i] = p->value[i];
    }
    w->atom = atom;
    w->value = value;
}

static bool find_witness(rf_algebra *alg, const rf_sym *a, const rf_sym *b,
                         rf_witness *w)
{
    rf_point p;
    rf_nodes all = { 0 };
    bool found = false;
    RF_PUSH(all, a);
    RF_PUSH(all, b);
    for (size_t i = 0; i < alg->facts.len; i++)
        RF_PUSH(all, alg->facts.data[i].e);
    rf_point_init(&p, all.len, all.data);
    *w = (rf_witness){ p.atoms.len, p.atoms.data, p.value, 0, 0 };
    for (int i = 0; i < POINTS && !found; i++) {
        rf_point_next(&p);
        found = rf_point_allowed(alg, &p) && differ_at(a, b, w);
    }
    if (found)
        keep_witness(rf_syms_arena(alg->syms), &p, w);
    rf_point_clear(&p);
    RF_CLEAR(all);
    return found;
}

rf_truth rf_algebra_differ(rf_algebra *alg, const rf_sym *a, const rf_sym *b,
                           rf_witness *witness)
{
    rf_witness own;
    const rf_sym *d = rf_sym_sub(alg->syms, a, b);
    if (a == b || rf_is_zero_form(alg, d))
        return RF_YES;
    if (find_witness(alg, a, b, witness ? witness : &own))
        return RF_NO;
    return rf_is_zero_in_all_cases(alg, d) ? RF_YES : RF_UNKNOWN;
}

rf_truth rf_algebra_equal(rf_algebra *alg, const rf_sym *a, const rf_sym *b)
{
    return rf_algebra_differ(alg, a, b, NULL);
}
