/* Equality of expressions: YES by normal form, NO by a point.
 *
 *     a = b   if the numerator of a - b is the zero polynomial;
 *     max(a, b) = a where a - b >= 0, b where b - a >= 0; |a|, min, <, select
 *     likewise: a - b must be zero in every case that can happen.
 *
 * A point of a tie lies in several cases, and there all of them have the same
 * value, so a case whose facts leave only ties needs no proof of its own. */
#include "algebra/internal.h"

#include <math.h>

enum { POINTS = 96, DEEPEST = 12, MOST_CASES = 1500, MOST_FACTS = 40 };

/* ---- normal form ---- */

static bool is_zero_form(rf_algebra *alg, const rf_sym *e)
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

/* ---- cases ---- */

typedef struct {
    rf_algebra *alg;
    int left; /* cases that may still be looked at */
} search;

static bool all_cases(search *q, const rf_sym *e, int depth);

static bool has_cases(const rf_sym *e)
{
    switch (e->kind) {
    case RF_SYM_MAX:
    case RF_SYM_MIN:
    case RF_SYM_ABS:
    case RF_SYM_LT:
    case RF_SYM_LE:
    case RF_SYM_EQ:
    case RF_SYM_SELECT:
        return true;
    default:
        return false;
    }
}

const rf_sym *rf_choice_of(const rf_sym *e)
{
    rf_order o;
    const rf_sym *found = NULL;
    rf_order_init(&o);
    rf_order_add(&o, e);
    for (size_t i = 0; i < o.nodes.len && !found; i++)
        if (has_cases(o.nodes.data[i]))
            found = o.nodes.data[i];
    rf_order_clear(&o);
    return found;
}

/* True if the facts exclude each other, or leave a tie only. */
static bool is_impossible(rf_algebra *alg)
{
    for (size_t i = 0; i < alg->facts.len; i++) {
        rf_fact f = alg->facts.data[i];
        alg->facts.data[i] = (rf_fact){ rf_sym_int(alg->syms, 1), false };
        bool no = !(rf_algebra_sign(alg, f.e) & RF_IS_POSITIVE);
        alg->facts.data[i] = f;
        if (no)
            return true;
    }
    return false;
}

static bool is_known(const rf_algebra *alg, const rf_sym *e)
{
    for (size_t i = 0; i < alg->facts.len; i++)
        if (alg->facts.data[i].e == e)
            return true;
    return e->kind == RF_SYM_RAT && e->num >= 0;
}

static unsigned terms_of(const rf_sym *e)
{
    return e->kind == RF_SYM_ADD ? e->n : 1;
}

/* Add a fact and what follows by adding an earlier one, where terms cancel:
 * a >= b and b >= c give a >= c. */
static void push_fact(rf_algebra *alg, const rf_sym *e, bool strict)
{
    rf_fact f = { rf_expand(alg, e), strict };
    if (!strict && is_known(alg, f.e))
        return;
    size_t before = alg->facts.len;
    RF_PUSH(alg->facts, f);
    for (size_t i = 0; i < before && alg->facts.len < MOST_FACTS; i++) {
        rf_fact g = alg->facts.data[i];
        const rf_sym *sum = rf_expand(alg, rf_sym_add(alg->syms, f.e, g.e));
        unsigned n = terms_of(f.e), k = terms_of(g.e);
        if (terms_of(sum) <= (n > k ? n : k))
            push_fact(alg, sum, f.strict || g.strict);
    }
}

static void pop_facts(rf_algebra *alg, size_t n)
{
    alg->facts.len = n;
    rf_prepare_reset(alg);
}

/* "e" with "node" replaced by "value", under the facts pushed since "n". */
static bool one_case(search *q, const rf_sym *e, const rf_sym *node,
                     const rf_sym *value, size_t n, int depth)
{
    rf_algebra *alg = q->alg;
    rf_prepare_reset(alg);
    const rf_sym *f = rf_sym_subst(alg->syms, e, 1, &node, &value);
    bool ok = is_impossible(alg) || all_cases(q, f, depth + 1);
    pop_facts(alg, n);
    return ok;
}

/* max, min: operand i is the largest (smallest) of all. */
static bool order_cases(search *q, const rf_sym *e, const rf_sym *m, int depth)
{
    rf_algebra *alg = q->alg;
    rf_syms *s = alg->syms;
    size_t n = alg->facts.len;
    for (unsigned i = 0; i < m->n; i++) {
        for (unsigned j = 0; j < m->n; j++) {
            const rf_sym *d = rf_sym_sub(s, m->arg[i], m->arg[j]);
            if (i != j)
                push_fact(alg, m->kind == RF_SYM_MAX ? d : rf_sym_neg(s, d),
                          false);
        }
        if (!one_case(q, e, m, m->arg[i], n, depth))
            return false;
    }
    return true;
}

static bool abs_cases(search *q, const rf_sym *e, const rf_sym *m, int depth)
{
    rf_algebra *alg = q->alg;
    const rf_sym *minus = rf_sym_neg(alg->syms, m->arg[0]);
    size_t n = alg->facts.len;
    push_fact(alg, m->arg[0], false);
    if (!one_case(q, e, m, m->arg[0], n, depth))
        return false;
    push_fact(alg, minus, false);
    return one_case(q, e, m, minus, n, depth);
}

/* a < b, a <= b, a = b */
static bool relation_cases(search *q, const rf_sym *e, const rf_sym *m,
                           int depth)
{
    rf_algebra *alg = q->alg;
    rf_syms *s = alg->syms;
    size_t n = alg->facts.len;
    const rf_sym *d = rf_sym_sub(s, m->arg[1], m->arg[0]);
    push_fact(alg, d, m->kind == RF_SYM_LT);
    if (m->kind == RF_SYM_EQ)
        push_fact(alg, rf_sym_neg(s, d), false);
    if (!one_case(q, e, m, rf_sym_int(s, 1), n, depth))
        return false;
    if (m->kind != RF_SYM_EQ)
        push_fact(alg, rf_sym_neg(s, d), m->kind == RF_SYM_LE);
    return one_case(q, e, m, rf_sym_int(s, 0), n, depth);
}

const rf_sym *rf_choose(rf_algebra *alg, const rf_sym *e, const rf_sym *c,
                        bool truth)
{
    rf_bindings b = { 0 };
    rf_order o;
    rf_order_init(&o);
    rf_order_add(&o, e);
    for (size_t i = 0; i < o.nodes.len; i++) {
        const rf_sym *a = o.nodes.data[i];
        if (a->kind == RF_SYM_SELECT && a->arg[0] == c)
            rf_bindings_add(&b, a, a->arg[truth ? 1 : 2]);
    }
    const rf_sym *r = rf_bind(alg, &b, e);
    rf_order_clear(&o);
    rf_bindings_clear(&b);
    return r;
}

static bool select_cases(search *q, const rf_sym *e, const rf_sym *m, int depth)
{
    return all_cases(q, rf_choose(q->alg, e, m->arg[0], true), depth + 1) &&
           all_cases(q, rf_choose(q->alg, e, m->arg[0], false), depth + 1);
}

static bool all_cases(search *q, const rf_sym *e, int depth)
{
    if (is_zero_form(q->alg, e))
        return true;
    const rf_sym *p = rf_prepare(q->alg, e);
    const rf_sym *m = rf_choice_of(p);
    if (!m || depth > DEEPEST || q->left-- <= 0)
        return false;
    switch (m->kind) {
    case RF_SYM_MAX:
    case RF_SYM_MIN:
        return order_cases(q, p, m, depth);
    case RF_SYM_ABS:
        return abs_cases(q, p, m, depth);
    case RF_SYM_SELECT:
        return select_cases(q, p, m, depth);
    default:
        return relation_cases(q, p, m, depth);
    }
}

rf_truth rf_algebra_differ(rf_algebra *alg, const rf_sym *a, const rf_sym *b,
                           rf_witness *witness)
{
    rf_witness own;
    const rf_sym *d = rf_sym_sub(alg->syms, a, b);
    if (a == b || is_zero_form(alg, d))
        return RF_YES;
    if (find_witness(alg, a, b, witness ? witness : &own))
        return RF_NO;
    search q = { alg, MOST_CASES };
    return all_cases(&q, d, 0) ? RF_YES : RF_UNKNOWN;
}

rf_truth rf_algebra_equal(rf_algebra *alg, const rf_sym *a, const rf_sym *b)
{
    return rf_algebra_differ(alg, a, b, NULL);
}
