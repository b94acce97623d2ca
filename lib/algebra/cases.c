/* Case analysis: an expression is zero if it is so in every case that can be.
 *
 *     max(a, b)   a where a - b >= 0, b where b - a >= 0     (min, |a|
 * likewise) a < b       true where b - a > 0, false where a - b >= 0 a = b
 * true: solved for an atom and put in; false: a - b != 0 c ? a : b   a, then b
 *
 * The facts of a case may exclude each other: then it needs no proof. They may
 * leave a tie, e >= 0 and e <= 0: then e = 0 is solved for an atom and put in.
 */
#include "algebra/internal.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 12, MOST_CASES = 1500, MOST_FACTS = 40 };

typedef struct {
    rf_algebra *alg;
    int left; /* cases that may still be looked at */
} search;

static bool all_cases(search *q, const rf_sym *e, int depth);

/* ---- choices ---- */

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

/* ---- facts ---- */

static bool is_known(const rf_algebra *alg, rf_fact f)
{
    for (size_t i = 0; i < alg->facts.len; i++)
        if (alg->facts.data[i].e == f.e && alg->facts.data[i].kind == f.kind)
            return true;
    return f.e->kind == RF_SYM_RAT && f.e->num >= 0 && f.kind == RF_FACT_NONNEG;
}

static unsigned terms_of(const rf_sym *e)
{
    return e->kind == RF_SYM_ADD ? e->n : 1;
}

void rf_push_fact(rf_algebra *alg, const rf_sym *e, rf_fact_kind kind)
{
    rf_fact f = { rf_algebra_expand(alg, e), kind };
    if (is_known(alg, f))
        return;
    size_t before = alg->facts.len;
    RF_PUSH(alg->facts, f);
    for (size_t i = 0; i < before && alg->facts.len < MOST_FACTS; i++) {
        rf_fact g = alg->facts.data[i];
        if (kind == RF_FACT_NONZERO || g.kind == RF_FACT_NONZERO)
            continue;
        const rf_sym *sum =
            rf_algebra_expand(alg, rf_sym_add(alg->syms, f.e, g.e));
        unsigned n = terms_of(f.e), k = terms_of(g.e);
        if (terms_of(sum) <= (n > k ? n : k))
            rf_push_fact(alg, sum, kind > g.kind ? kind : g.kind);
    }
}

/* The signs that fact i leaves to its expression by itself. */
static int allowed_by(rf_fact_kind kind)
{
    return kind == RF_FACT_NONNEG     ? RF_IS_NONNEG
           : kind == RF_FACT_POSITIVE ? RF_IS_POSITIVE
                                      : RF_IS_NONZERO;
}

/* The signs that are left to fact i by itself and all the others. */
static int left_to_fact(rf_algebra *alg, size_t i)
{
    rf_fact f = alg->facts.data[i];
    alg->facts.data[i] = (rf_fact){ rf_sym_int(alg->syms, 1), RF_FACT_NONNEG };
    alg->no_signs = true;
    int sign = rf_algebra_sign(alg, f.e);
    alg->no_signs = false;
    alg->facts.data[i] = f;
    return sign & allowed_by(f.kind);
}

static bool is_impossible(rf_algebra *alg)
{
    for (size_t i = 0; i < alg->facts.len; i++)
        if (!left_to_fact(alg, i))
            return true;
    return false;
}

/* An expression that the facts make zero, though it is not the constant 0. */
static const rf_sym *find_tie(rf_algebra *alg)
{
    for (size_t i = 0; i < alg->facts.len; i++)
        if (alg->facts.data[i].e->kind != RF_SYM_RAT &&
            left_to_fact(alg, i) == RF_IS_ZERO)
            return alg->facts.data[i].e;
    return NULL;
}

/* ---- equations ---- */

const rf_sym *rf_solve_for(rf_algebra *alg, const rf_sym *e, const rf_sym *v)
{
    rf_syms *s = alg->syms;
    const rf_sym *zero = rf_sym_int(s, 0);
    const rf_sym *slope = rf_generator_derivative(alg, e, v);
    if (!slope || rf_sym_is_int(slope, 0) || rf_sym_mentions(slope, v))
        return NULL;
    const rf_sym *rest = rf_sym_subst(s, e, 1, &v, &zero);
    const rf_sym *again = rf_sym_add(s, rf_sym_mul(s, slope, v), rest);
    if (rf_sym_mentions(rest, v) ||
        !rf_is_zero_form(alg, rf_sym_sub(s, again, e)))
        return NULL;
    return rf_sym_neg(s, rf_sym_div(s, rest, slope));
}

/* Solve e = 0 for the youngest atom with a constant slope and put its value
 * into the facts and "f"; false if there is none. */
static bool put_in(rf_algebra *alg, const rf_sym *e, const rf_sym **f)
{
    rf_syms *s = alg->syms;
    rf_nodes atoms = { 0 };
    const rf_sym *v = NULL, *value = NULL;
    rf_collect_atoms(&atoms, e);
    for (size_t i = atoms.len; i-- > 0 && !value;) {
        v = atoms.data[i];
        const rf_sym *slope = rf_generator_derivative(alg, e, v);
        if (slope && slope->kind == RF_SYM_RAT)
            value = rf_solve_for(alg, e, v);
    }
    RF_CLEAR(atoms);
    if (!value)
        return false;
    *f = rf_sym_subst(s, *f, 1, &v, &value);
    for (size_t i = 0; i < alg->facts.len; i++) {
        const rf_sym *g = rf_sym_subst(s, alg->facts.data[i].e, 1, &v, &value);
        alg->facts.data[i].e = rf_algebra_expand(alg, g);
    }
    rf_prepare_reset(alg);
    return true;
}

/* ---- cases ---- */

/* The facts as they were, to go back to. */
typedef struct {
    rf_fact *data;
    size_t len;
} saved_facts;

static saved_facts save_facts(const rf_algebra *alg)
{
    saved_facts s = { rf_malloc(alg->facts.len * sizeof(rf_fact) + 1),
                      alg->facts.len };
    if (s.len)
        memcpy(s.data, alg->facts.data, s.len * sizeof *s.data);
    return s;
}

static void restore_facts(rf_algebra *alg, saved_facts s)
{
    if (s.len)
        memcpy(alg->facts.data, s.data, s.len * sizeof *s.data);
    alg->facts.len = s.len;
    free(s.data);
    rf_prepare_reset(alg);
}

/* "e" with "node" replaced by "value", under one more fact (or equation). */
static bool one_case(search *q, const rf_sym *e, const rf_sym *node,
                     const rf_sym *value, int depth)
{
    rf_algebra *alg = q->alg;
    rf_prepare_reset(alg);
    const rf_sym *f = rf_sym_subst(alg->syms, e, 1, &node, &value), *tie;
    for (int i = 0; i < DEEPEST && !is_impossible(alg); i++) {
        tie = find_tie(alg);
        if (!tie || !put_in(alg, tie, &f))
            return all_cases(q, f, depth + 1);
    }
    return is_impossible(alg) || all_cases(q, f, depth + 1);
}

/* max, min: operand i is the largest (smallest) of all. */
static bool order_cases(search *q, const rf_sym *e, const rf_sym *m, int depth)
{
    rf_algebra *alg = q->alg;
    rf_syms *s = alg->syms;
    bool ok = true;
    for (unsigned i = 0; i < m->n && ok; i++) {
        saved_facts saved = save_facts(alg);
        for (unsigned j = 0; j < m->n; j++) {
            const rf_sym *d = rf_sym_sub(s, m->arg[i], m->arg[j]);
            if (i != j)
                rf_push_fact(alg, m->kind == RF_SYM_MAX ? d : rf_sym_neg(s, d),
                             RF_FACT_NONNEG);
        }
        ok = one_case(q, e, m, m->arg[i], depth);
        restore_facts(alg, saved);
    }
    return ok;
}

/* One case of |a| or of a relation: fact >= 0, > 0 or != 0. */
static bool fact_case(search *q, const rf_sym *e, const rf_sym *m,
                      const rf_sym *value, const rf_sym *fact,
                      rf_fact_kind kind, int depth)
{
    saved_facts saved = save_facts(q->alg);
    rf_push_fact(q->alg, fact, kind);
    bool ok = one_case(q, e, m, value, depth);
    restore_facts(q->alg, saved);
    return ok;
}

static bool abs_cases(search *q, const rf_sym *e, const rf_sym *m, int depth)
{
    const rf_sym *a = m->arg[0], *minus = rf_sym_neg(q->alg->syms, a);
    return fact_case(q, e, m, a, a, RF_FACT_NONNEG, depth) &&
           fact_case(q, e, m, minus, minus, RF_FACT_NONNEG, depth);
}

/* a = b: both a - b >= 0 and b - a >= 0 make a tie, which is put in. */
static bool equation_cases(search *q, const rf_sym *e, const rf_sym *m,
                           const rf_sym *d, int depth)
{
    rf_syms *s = q->alg->syms;
    saved_facts saved = save_facts(q->alg);
    rf_push_fact(q->alg, d, RF_FACT_NONNEG);
    rf_push_fact(q->alg, rf_sym_neg(s, d), RF_FACT_NONNEG);
    bool ok = one_case(q, e, m, rf_sym_int(s, 1), depth);
    restore_facts(q->alg, saved);
    return ok &&
           fact_case(q, e, m, rf_sym_int(s, 0), d, RF_FACT_NONZERO, depth);
}

static bool relation_cases(search *q, const rf_sym *e, const rf_sym *m,
                           int depth)
{
    rf_syms *s = q->alg->syms;
    const rf_sym *d = rf_sym_sub(s, m->arg[1], m->arg[0]);
    if (m->kind == RF_SYM_EQ)
        return equation_cases(q, e, m, d, depth);
    bool strict = m->kind == RF_SYM_LT;
    return fact_case(q, e, m, rf_sym_int(s, 1), d,
                     strict ? RF_FACT_POSITIVE : RF_FACT_NONNEG, depth) &&
           fact_case(q, e, m, rf_sym_int(s, 0), rf_sym_neg(s, d),
                     strict ? RF_FACT_NONNEG : RF_FACT_POSITIVE, depth);
}

static bool select_cases(search *q, const rf_sym *e, const rf_sym *m, int depth)
{
    return all_cases(q, rf_choose(q->alg, e, m->arg[0], true), depth + 1) &&
           all_cases(q, rf_choose(q->alg, e, m->arg[0], false), depth + 1);
}

static bool all_cases(search *q, const rf_sym *e, int depth)
{
    if (rf_is_zero_form(q->alg, e))
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

bool rf_is_zero_in_all_cases(rf_algebra *alg, const rf_sym *e)
{
    search q = { alg, MOST_CASES };
    return all_cases(&q, e, 0);
}
