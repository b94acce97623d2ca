/* What the lanes of a team can merge (T-3, T-9): each holds the state of its
 * own elements, and one combine makes it the state of all of them. */
#include "plan/planning.h"

static bool refuse(rf_planner *p, rf_diag_name name, rf_range at,
                   const char *text)
{
    rf_plan_refuse(p, name, at, "%s", text);
    return false;
}

/* ---- extrema ---- */

/* A comparison that is false for NaN. */
static bool is_relation(const rf_val *v, const rf_val *phi)
{
    if (!rf_val_mentions(v, phi))
        return true;
    if (v->kind == RF_VAL_OP && v->op == RF_OP_AND)
        return is_relation(v->arg[0], phi) && is_relation(v->arg[1], phi);
    return v->kind == RF_VAL_OP && v->op >= RF_OP_LT && v->op <= RF_OP_GE;
}

/* An extremum that passes over NaN wherever it stands. */
static bool ignores_nan(const rf_val *v, const rf_val *phi)
{
    if (v->kind == RF_VAL_CAST)
        return ignores_nan(v->arg[0], phi);
    if (v->kind == RF_VAL_CALL)
        return true;
    if (v->kind != RF_VAL_OP || v->op != RF_OP_SELECT)
        return !rf_val_mentions(v, phi);
    if (v->arg[2] == phi)
        return is_relation(v->arg[0], phi) && ignores_nan(v->arg[1], phi);
    return v->arg[1] == phi && !rf_val_mentions(v->arg[0], phi) &&
           ignores_nan(v->arg[2], phi);
}

/* ---- moments ---- */

/* Numbers of elements and constants: not zero where elements are. */
static bool is_count(const rf_val *v, const rf_plan *plan)
{
    if (v->kind == RF_VAL_ENTRY)
        return v->var == plan->count_var || v->var == plan->count_right_var;
    if (v->kind != RF_VAL_OP && v->kind != RF_VAL_CAST)
        return v->kind == RF_VAL_CONST;
    for (unsigned i = 0; i < v->n; i++)
        if (!is_count(v->arg[i], plan))
            return false;
    return v->kind == RF_VAL_CAST || v->op == RF_OP_ADD || v->op == RF_OP_MUL;
}

static bool divides_by_state(const rf_val *v, const void *plan)
{
    return v->kind == RF_VAL_OP && v->op == RF_OP_DIV &&
           !is_count(v->arg[1], plan);
}

/* Weights may sum to zero in one lane and not in the row. */
static bool check_moment(rf_planner *p, const rf_member *m)
{
    if (!m->merge || !rf_val_is_number(rf_val_without_casts(m->init), 0))
        return refuse(p, RF_DIAG_UNSUPPORTED, m->red->at,
                      "the merge of sums about this moving value is not known");
    if (rf_val_find(m->counted_step, divides_by_state, p->plan) ||
        rf_val_find(m->merge, divides_by_state, p->plan))
        return refuse(p, RF_DIAG_NOT_DECOMPOSABLE, m->red->at,
                      p->trace->team
                          ? "the weights of one thread of the team may sum to "
                            "zero"
                          : "the weights of one thread of the team may sum to "
                            "zero; a row that the team can keep, "
                            "assume(n <= 4096), unblocks this");
    return true;
}

/* ---- any member ---- */

bool rf_plan_meets(rf_planner *p, const rf_member *m)
{
    rf_range at = m->red->at;
    if (m->is_derived)
        return true;
    if (m->step)
        return check_moment(p, m);
    if (m->red->n_outer || m->red->n_free)
        return refuse(p, RF_DIAG_UNSUPPORTED, at,
                      "a result with an index is not merged by a team yet");
    if (m->red->op >= RF_REDUCE_FOLD)
        return refuse(p, RF_DIAG_ORDER, at,
                      "the elements of this reduction must be taken in order");
    if (rf_reduce_is_extremum(m->red->op) &&
        m->red->type->kind == RF_TYPE_FLOAT &&
        !ignores_nan(m->red->next, m->red->phi))
        return refuse(p, RF_DIAG_ORDER, at,
                      "what this extremum makes of a NaN depends on the order "
                      "of the elements");
    for (unsigned i = 0; i < m->n_shifts; i++)
        if (!rf_reduce_is_extremum(m->shifts[i]->red->op))
            return refuse(p, RF_DIAG_UNSUPPORTED, at,
                          "sums relative to another sum are not merged by a "
                          "team yet");
    return true;
}

void rf_plan_count_elements(rf_plan *plan)
{
    for (size_t i = 0; i < plan->members.len; i++) {
        rf_member *m = plan->members.data[i];
        if (m->step)
            m->step = m->term = m->counted_step;
    }
}
