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

/* The value of "v" by the equation e = 0, or NULL. */
static const rf_sym *solve_for(rf_algebra *alg, const rf_sym *e,
                               const rf_sym *v)
{
    rf_syms *s = alg->syms;
    const rf_sym *zero = rf_sym_int(s, 0);
    const rf_sym *slope = rf_generator_derivative(alg, e, v);
    if (!slope || rf_sym_is_int(slope, 0) || rf_sym_mentions(slope, v))
        return NULL;
    const rf_sym *rest = rf_sym_subst(s, e, 1, &v, &zero);
    const rf_sym *again = rf_sym_add(s, rf_sym_mul(s, slope, v), rest);
    if (rf_sym_mentions(rest, v) || rf_algebra_equal(alg, again, e) != RF_YES)
        return NULL;
    return rf_sym_neg(s, rf_sym_div(s, rest, slope));
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
            value = solve_for(alg, e, v);
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

/* Assume a < b, a <= b, a = b and conjunctions of them. */
static void assume(rf_algebra *alg, const rf_sym *h)
{
    rf_syms *s = alg->syms;
    if (h->kind == RF_SYM_AND) {
        for (unsigned i = 0; i < h->n; i++)
            assume(alg, h->arg[i]);
        return;
    }
    if (h->kind != RF_SYM_LT && h->kind != RF_SYM_LE && h->kind != RF_SYM_EQ)
        return;
    const rf_sym *d = rf_sym_sub(s, h->arg[1], h->arg[0]);
    rf_algebra_assume(alg, rf_expand(alg, d), h->kind == RF_SYM_LT);
    if (h->kind == RF_SYM_EQ)
        rf_algebra_assume(alg, rf_expand(alg, rf_sym_neg(s, d)), false);
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

rf_truth rf_obligation_decide(rf_algebra *alg, const rf_obligation *ob)
{
    task t = { .alg = alg, .goal = ob->goal };
    size_t facts = alg->facts.len;
    for (unsigned i = 0; i < ob->n; i++)
        RF_PUSH(t.hypotheses, ob->hypothesis[i]);
    while (use_equation(&t, true) || use_equation(&t, false))
        ;
    for (size_t i = 0; i < t.hypotheses.len; i++)
        assume(alg, t.hypotheses.data[i]);
    rf_truth truth = decide_goal(alg, t.goal);
    alg->facts.len = facts;
    rf_prepare_reset(alg);
    RF_CLEAR(t.hypotheses);
    return truth;
}
