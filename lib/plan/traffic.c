/* How often memory is read and written along the axis, before and after: what
 * fusing saves.
 *
 * A pass of the source reads an array when a load of it stands in its loop; a
 * pass of the plan, when the term of one of its members needs one, results of
 * members being at hand. */
#include "plan/planning.h"
#include "plan/resident.h"

/* ---- what a value needs ---- */

typedef struct {
    const rf_plan *plan;
    const rf_var *var;
    RF_ARRAY(const rf_val *) seen;
} search;

const rf_var *rf_plan_array_behind(const rf_plan *plan, const rf_val *base)
{
    const rf_val *root = rf_trace_root(plan->trace, base);
    while (root->kind == RF_VAL_OP && root->op == RF_OP_INDEX)
        root = root->arg[0];
    if (root->kind != RF_VAL_ENTRY || root->var->storage == RF_VAR_SHARED)
        return NULL;
    bool on_chip = root->var->type->kind == RF_TYPE_ARRAY &&
                   root->var->storage == RF_VAR_LOCAL;
    return on_chip ? NULL : root->var;
}

static bool needs(search *s, const rf_val *v);

static bool result_needs(search *s, const rf_val *v)
{
    for (size_t i = 0; i < s->plan->members.len; i++)
        if (s->plan->members.data[i]->red == v->red)
            return false;
    return needs(s, v->red->term) || needs(s, v->red->guard) ||
           needs(s, v->red->init);
}

/* True if computing "v" loads from the array, results of members given. */
static bool needs(search *s, const rf_val *v)
{
    if (!v)
        return false;
    for (size_t i = 0; i < s->seen.len; i++)
        if (s->seen.data[i] == v)
            return false;
    RF_PUSH(s->seen, v);
    if (v->kind == RF_VAL_LOAD &&
        rf_plan_array_behind(s->plan, v->arg[0]) == s->var)
        return true;
    if (v->kind == RF_VAL_RESULT && result_needs(s, v))
        return true;
    for (unsigned i = 0; i < v->n; i++)
        if (needs(s, v->arg[i]))
            return true;
    return false;
}

static bool value_needs(const rf_plan *plan, const rf_var *var, const rf_val *v,
                        const rf_val *guard)
{
    search s = { .plan = plan, .var = var };
    bool any = needs(&s, v) || needs(&s, guard);
    RF_CLEAR(s.seen);
    return any;
}

/* ---- passes that read an array ---- */

/* Whether a load runs along the axis: the others cost little. */
static bool is_along(const rf_plan *plan, const rf_load *l)
{
    for (unsigned i = 0; i < l->n_loops; i++)
        if (l->loops[i] == plan->axis)
            return rf_val_mentions(l->index, plan->axis->index) ||
                   rf_val_mentions(l->base, plan->axis->index);
    return false;
}

static bool pass_reads(const rf_plan *plan, unsigned pass, const rf_var *var)
{
    for (size_t i = 0; i < plan->trace->loads.len; i++) {
        const rf_load *l = &plan->trace->loads.data[i];
        if (l->pass == pass && rf_plan_array_behind(plan, l->base) == var)
            return true;
    }
    return false;
}

static unsigned count_before(const rf_plan *plan, const rf_var *var)
{
    unsigned n = 0;
    for (size_t i = 0; i < plan->trace->passes.len; i++)
        n += pass_reads(plan, plan->trace->passes.data[i].pass, var);
    return n;
}

static bool members_read(const rf_plan *plan, unsigned pass, const rf_var *var)
{
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *m = plan->members.data[i];
        if (m->pass == pass && value_needs(plan, var, m->term, m->guard))
            return true;
    }
    return false;
}

/* Stores in the loop of the pass share its reads; late ones read again. */
static bool stores_read(const rf_plan *plan, unsigned pass, bool in_pass,
                        const rf_var *var)
{
    for (size_t i = 0; i < plan->stores.len; i++) {
        const rf_placed_store *s = &plan->stores.data[i];
        if (s->pass == pass && s->in_pass == in_pass && !s->store->is_result &&
            s->store->n_loops &&
            value_needs(plan, var, s->store->value, s->store->guard))
            return true;
    }
    return false;
}

/* A team keeps what it read of the array. */
static bool is_kept(const rf_plan *plan, const rf_var *var)
{
    const rf_resident *r = plan->resident;
    for (size_t i = 0; r && i < r->n; i++)
        if (rf_plan_array_behind(plan, r->kept[i].load->arg[0]) == var)
            return true;
    return false;
}

static unsigned count_after(const rf_plan *plan, const rf_var *var)
{
    unsigned n = 0;
    if (is_kept(plan, var))
        return 1;
    for (unsigned pass = 0; pass <= plan->n_loops; pass++) {
        n +=
            members_read(plan, pass, var) || stores_read(plan, pass, true, var);
        n += stores_read(plan, pass, false, var);
    }
    return n;
}

/* ---- the whole ---- */

static bool is_first(const rf_plan *plan, size_t at, const rf_var *var)
{
    for (size_t i = 0; i < at; i++)
        if (rf_plan_array_behind(plan, plan->trace->loads.data[i].base) ==
                var &&
            is_along(plan, &plan->trace->loads.data[i]))
            return false;
    return true;
}

void rf_plan_count_traffic(rf_plan *plan)
{
    for (size_t i = 0; i < plan->trace->loads.len; i++) {
        const rf_load *l = &plan->trace->loads.data[i];
        const rf_var *var = rf_plan_array_behind(plan, l->base);
        if (!var || !is_along(plan, l) || !is_first(plan, i, var))
            continue;
        unsigned before = count_before(plan, var);
        unsigned after = count_after(plan, var);
        if (before <= plan->reads_before)
            continue;
        plan->reads_before = before;
        plan->reads_after = after;
        plan->array = var->name;
    }
}
