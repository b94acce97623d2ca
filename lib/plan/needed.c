/* Members that nothing needs any more once others have taken their place. */
#include "plan/derive.h"

/* True if "v" itself uses the result of "m", not only through other members.
 */
static bool uses(const rf_plan *plan, const rf_val *v, const rf_member *m)
{
    if (!v)
        return false;
    const rf_member *o = rf_plan_member_of(plan, v);
    if (o)
        return o == m;
    for (unsigned i = 0; i < v->n; i++)
        if (uses(plan, v->arg[i], m))
            return true;
    if (v->kind == RF_VAL_ENTRY)
        return v->var == m->state_var || v->var == m->old_var;
    return v->kind == RF_VAL_RESULT &&
           (uses(plan, v->red->term, m) || uses(plan, v->red->init, m) ||
            uses(plan, v->red->guard, m));
}

static bool is_needed(rf_planner *p, const rf_member *m)
{
    const rf_plan *plan = p->plan;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *o = plan->members.data[i];
        const rf_val *term = o->is_derived ? NULL : o->term; /* no step */
        const rf_val *parts[] = { term,     o->guard,      o->ratio,
                                  o->later, o->init_later, o->dead_when };
        for (size_t k = 0; k < RF_COUNTOF(parts) && o != m; k++)
            if (uses(plan, parts[k], m))
                return true;
    }
    for (size_t i = 0; i < p->trace->stores.len; i++) {
        const rf_store *s = &p->trace->stores.data[i];
        if (uses(plan, s->value, m) || uses(plan, s->guard, m) ||
            uses(plan, s->index, m))
            return true;
    }
    for (size_t i = 0; i < p->trace->finals.len; i++)
        if (uses(plan, p->trace->finals.data[i].value, m) &&
            rf_plan_is_live(p, &p->trace->finals.data[i]))
            return true;
    return false;
}

void rf_derive_prune(rf_planner *p)
{
    rf_plan *plan = p->plan;
    for (size_t i = plan->members.len; i-- > 0;) {
        if (is_needed(p, plan->members.data[i]))
            continue;
        for (size_t k = i; k + 1 < plan->members.len; k++)
            plan->members.data[k] = plan->members.data[k + 1];
        plan->members.len--;
        i = plan->members.len;
    }
}
