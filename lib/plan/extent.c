/* How many steps a loop can make: from constants and from what the author
 * assumes about parameters, assume(C <= 4096). */
#include "plan/planning.h"

#include <string.h>

/* The number on the far side of predicates about "v", a parameter that keeps
 * its value; "above": from above, else from below. */
static bool find_bound(rf_planner *p, const rf_val *v, bool above, int64_t *n)
{
    bool found = false;
    for (unsigned i = 0; i < p->mark->n_predicates; i++) {
        rf_bound b;
        if (!rf_plan_predicate(p, p->mark->predicates[i], &b) ||
            b.var != v->var || !b.var->is_const)
            continue;
        rf_op open = above ? RF_OP_LT : RF_OP_GT;
        rf_op closed = above ? RF_OP_LE : RF_OP_GE;
        if (b.op != open && b.op != closed && b.op != RF_OP_EQ)
            continue;
        int64_t at = b.number + (b.op == open ? (above ? -1 : 1) : 0);
        if (!found || (above ? at < *n : at > *n))
            *n = at;
        found = true;
    }
    return found;
}

static bool is_nonnegative(rf_planner *p, const rf_val *v)
{
    int64_t n;
    if (rf_val_is_int(v, &n))
        return n >= 0;
    if (v->type->kind == RF_TYPE_INT && v->type->is_unsigned)
        return true;
    return v->kind == RF_VAL_ENTRY && find_bound(p, v, false, &n) && n >= 0;
}

/* True if converting "v" to "type" keeps its value. */
static bool keeps_value(rf_planner *p, const rf_val *v, const rf_type *type)
{
    const rf_type *from = v->type;
    if (from->kind != RF_TYPE_INT || type->kind != RF_TYPE_INT)
        return false;
    if (from->is_unsigned == type->is_unsigned)
        return from->bits <= type->bits;
    if (from->is_unsigned)
        return from->bits < type->bits;
    return from->bits <= type->bits && is_nonnegative(p, v);
}

static bool at_most(rf_planner *p, const rf_val *v, int64_t *n)
{
    int64_t k, a, b;
    if (rf_val_is_int(v, n))
        return true;
    if (v->kind == RF_VAL_ENTRY)
        return v->var->storage == RF_VAR_PARAM && find_bound(p, v, true, n);
    if (v->kind == RF_VAL_CAST)
        return keeps_value(p, v->arg[0], v->type) && at_most(p, v->arg[0], n);
    if (v->kind == RF_VAL_CALL && v->n == 2 && !strcmp(v->name, "min")) {
        bool first = at_most(p, v->arg[0], &a);
        bool second = at_most(p, v->arg[1], &b);
        *n = first && (!second || a < b) ? a : b;
        return first || second;
    }
    if (v->kind != RF_VAL_OP || v->n != 2 || !rf_val_is_int(v->arg[1], &k) ||
        !at_most(p, v->arg[0], &a) || k <= 0)
        return false;
    *n = v->op == RF_OP_DIV ? a / k : v->op == RF_OP_SUB ? a - k : a + k;
    return v->op == RF_OP_DIV || v->op == RF_OP_ADD ||
           (v->op == RF_OP_SUB && !v->type->is_unsigned);
}

const rf_val *rf_plan_length(rf_planner *p, const rf_loop *loop)
{
    int64_t zero;
    if (rf_val_is_int(loop->lower, &zero) && zero == 0)
        return loop->upper;
    const rf_val *lower = rf_plan_resolve(p, loop->lower);
    const rf_val *upper = rf_plan_resolve(p, loop->upper);
    if (upper->kind != RF_VAL_OP || upper->op != RF_OP_ADD)
        return NULL;
    for (unsigned i = 0; i < 2; i++)
        if (upper->arg[i] == lower || upper->arg[i] == loop->lower)
            return upper->arg[1 - i];
    return NULL;
}

bool rf_plan_extent(rf_planner *p, const rf_loop *loop, int64_t *steps)
{
    const rf_val *length = rf_plan_length(p, loop);
    int64_t k;
    if (!length || loop->at_least_once || !rf_val_is_int(loop->step, &k) ||
        k <= 0 || !at_most(p, rf_plan_resolve(p, length), steps))
        return false;
    *steps = (*steps + loop->is_inclusive + k - 1) / k;
    return *steps > 0;
}
