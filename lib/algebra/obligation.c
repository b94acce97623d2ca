/* Obligations decided in-process (THEORY 10): hypotheses imply the goal.
 *
 * An equation c*v + rest = 0 with v not in c or rest gives v = -rest/c, which
 * is put into everything else; states are solved for first. What is left is
 * an equality under facts. */
#include "algebra/internal.h"

typedef struct {
    rf_algebra *alg;
    rf_nodes hypotheses; /* those still to be used */
    const rf_sym *goal;
} task;

static void replace_all(task *t, const rf_sym *from, const rf_sym *to)
{
    rf_syms *s = t->alg->syms;
    t->goal = rf_sym_subst(s, t->goal, 1, &from, &to);
    for (size_t i = 0; i < t->hypotheses.len; i++)
        t->hypotheses.data[i] =
            rf_sym_subst(s, t->hypotheses.data[i], 1, &from, &to);
}

/* Use one equation; false if none can be solved. */
static bool use_equation(task *t, bool states_only)
{
    rf_algebra *alg = t->alg;
    for (size_t i = 0; i < t->hypotheses.len; i++) {
        const rf_sym *h = t->hypotheses.data[i], *value = NULL;
        if (h->kind != RF_SYM_EQ)
            continue;
        const rf_sym *e = rf_sym_sub(alg->syms, h->arg[0], h->arg[1]);
        rf_nodes atoms = { 0 };
        rf_collect_atoms(&atoms, e);
        for (size_t k = atoms.len; k-- > 0 && !value;) {
            const rf_sym *v = atoms.data[k];
            if (states_only && v->atom->role != RF_ATOM_STATE)
                continue;
            value = rf_solve_for(alg, e, v);
            if (value) {
                t->hypotheses.data[i] = RF_LAST(t->hypotheses);
                t->hypotheses.len--;
                replace_all(t, v, value);
            }
        }
        RF_CLEAR(atoms);
        if (value)
            return true;
    }
    return false;
}

/* Assume a < b, a <= b, a = b, a != b and conjunctions of them. */
static void assume(rf_algebra *alg, const rf_sym *h)
{
    rf_syms *s = alg->syms;
    if (h->kind == RF_SYM_AND) {
        for (unsigned i = 0; i < h->n; i++)
            assume(alg, h->arg[i]);
        return;
    }
    bool not_equal = h->kind == RF_SYM_NOT && h->arg[0]->kind == RF_SYM_EQ;
    const rf_sym *r = not_equal ? h->arg[0] : h;
    if (r->kind != RF_SYM_LT && r->kind != RF_SYM_LE && r->kind != RF_SYM_EQ)
        return;
    const rf_sym *d = rf_sym_sub(s, r->arg[1], r->arg[0]);
    rf_push_fact(alg, d,
                 not_equal              ? RF_FACT_NONZERO
                 : r->kind == RF_SYM_LT ? RF_FACT_POSITIVE
                                        : RF_FACT_NONNEG);
    if (h->kind == RF_SYM_EQ)
        rf_push_fact(alg, rf_sym_neg(s, d), RF_FACT_NONNEG);
    rf_prepare_reset(alg);
}

static rf_truth decide_goal(rf_algebra *alg, const rf_sym *goal)
{
    rf_syms *s = alg->syms;
    rf_truth all = RF_YES;
    if (goal->kind == RF_SYM_EQ)
        return rf_algebra_equal(alg, goal->arg[0], goal->arg[1]);
    if (goal->kind == RF_SYM_AND) {
        for (unsigned i = 0; i < goal->n; i++) {
            rf_truth one = decide_goal(alg, goal->arg[i]);
            all = one == RF_YES ? all : one;
            if (one == RF_NO)
                return RF_NO;
        }
        return all;
    }
    return rf_algebra_equal(alg, goal, rf_sym_int(s, 1));
}

static rf_truth decide(task *t);

/* (h1 or h2) and rest: once with h1, once with h2 in its place. */
static rf_truth decide_each(task *t, size_t at)
{
    const rf_sym *either = t->hypotheses.data[at];
    rf_truth all = RF_YES;
    for (unsigned i = 0; i < either->n && all != RF_NO; i++) {
        task part = { .alg = t->alg, .goal = t->goal };
        for (size_t k = 0; k < t->hypotheses.len; k++)
            RF_PUSH(part.hypotheses,
                    k == at ? either->arg[i] : t->hypotheses.data[k]);
        rf_truth one = decide(&part);
        all = one == RF_YES ? all : one;
        RF_CLEAR(part.hypotheses);
    }
    return all;
}

static rf_truth decide(task *t)
{
    rf_algebra *alg = t->alg;
    for (size_t i = 0; i < t->hypotheses.len; i++)
        if (t->hypotheses.data[i]->kind == RF_SYM_OR)
            return decide_each(t, i);
    while (use_equation(t, true) || use_equation(t, false))
        ;
    size_t facts = alg->facts.len;
    for (size_t i = 0; i < t->hypotheses.len; i++)
        assume(alg, t->hypotheses.data[i]);
    rf_truth truth = decide_goal(alg, t->goal);
    alg->facts.len = facts;
    rf_prepare_reset(alg);
    return truth;
}

rf_truth rf_obligation_decide(rf_algebra *alg, const rf_obligation *ob)
{
    task t = { .alg = alg, .goal = ob->goal };
    for (unsigned i = 0; i < ob->n; i++)
        RF_PUSH(t.hypotheses, ob->hypothesis[i]);
    rf_truth truth = decide(&t);
    RF_CLEAR(t.hypotheses);
    return truth;
}
