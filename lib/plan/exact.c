/* Exact tests of values that the rewrite rounds in another way.
 *
 *     if (var == 0) ...        the variance of equal elements is 0, or what
 *                              the rounding of the source left
 *
 * A sum about a moving mean (class M) differs from the source's in its last
 * bits, which such a test shows. */
#include "plan/planning.h"

/* The result of a member of class M in "v", not through other results. */
static bool is_moment(const rf_val *v, const void *data)
{
    const rf_plan *plan = data;
    const rf_member *m =
        v->kind == RF_VAL_RESULT ? rf_plan_member_of(plan, v) : NULL;
    return m && m->red->type->kind == RF_TYPE_FLOAT &&
           (m->is_derived || (m->step && !m->wish));
}

static bool is_exact_test(const rf_val *v, const void *data)
{
    return v->kind == RF_VAL_OP && (v->op == RF_OP_EQ || v->op == RF_OP_NE) &&
           (rf_val_find(v->arg[0], is_moment, data) ||
            rf_val_find(v->arg[1], is_moment, data));
}

static void refuse(rf_planner *p, rf_range at)
{
    rf_plan_refuse(p, RF_DIAG_ROUNDING, at,
                   "this test is exact, and what it tests would be rounded in "
                   "another way; assume(rounding) unblocks this");
}

static bool check(rf_planner *p, const rf_val *v, rf_range at)
{
    const rf_val *test = v ? rf_val_find(v, is_exact_test, p->plan) : NULL;
    if (!test)
        return true;
    refuse(p, rf_plan_place_of(p, test, at));
    return false;
}

/* ---- after the window ---- */

static bool is_test_of(const rf_expr *e, const void *var)
{
    return (e->op == RF_OP_EQ || e->op == RF_OP_NE) &&
           rf_expr_find(e, rf_expr_is_use, var);
}

/* What lives on is tested later. */
static bool check_final(rf_planner *p, const rf_binding *b)
{
    const rf_stmt *block = p->plan->block;
    if (!rf_plan_is_live(p, b))
        return true;
    if (!check(p, b->value, block->list[p->plan->last]->at))
        return false;
    if (!rf_val_find(b->value, is_moment, p->plan))
        return true;
    const rf_expr *e =
        rf_stmt_find_expr(p->region->func->body, is_test_of, b->var);
    if (e)
        refuse(p, e->at);
    return !e;
}

bool rf_plan_exact_tests(rf_planner *p)
{
    const rf_plan *plan = p->plan;
    const rf_trace *t = p->trace;
    if (p->mark->rounding)
        return true;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *m = plan->members.data[i];
        if (!check(p, m->red->term, m->red->at) ||
            !check(p, m->red->guard, m->red->at))
            return false;
    }
    for (size_t i = 0; i < t->stores.len; i++) {
        const rf_store *s = &t->stores.data[i];
        if (!check(p, s->value, s->at) || !check(p, s->guard, s->at))
            return false;
    }
    for (size_t i = 0; i < t->finals.len; i++)
        if (!check_final(p, &t->finals.data[i]))
            return false;
    return true;
}
