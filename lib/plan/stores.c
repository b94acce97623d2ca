/* Which stores remain, and when they run (D3).
 *
 * A store that a later one overwrites in full vanishes, and so does an array
 * that only carries values from one loop of the region to the next. What is
 * left runs after the pass that completes the last result it needs, or inside
 * a pass when it needs none of that pass. */
#include "plan/planning.h"

#include <string.h>

/* ---- what may see a store ---- */

typedef struct {
    const rf_plan *plan;
    const rf_store *store;
    rf_trace *trace;
} sight;

/* A load that must see "store": it could not be forwarded. */
static bool sees(const rf_val *v, const void *data)
{
    const sight *s = data;
    return v->kind == RF_VAL_LOAD && v->version > s->store->id &&
           rf_trace_root(s->trace, v->arg[0]) ==
               rf_trace_root(s->trace, s->store->base);
}

static bool seen_by_value(sight *s, const rf_val *v)
{
    return v && rf_val_find(v, sees, s) != NULL;
}

static bool is_seen(rf_planner *p, const rf_store *store)
{
    sight s = { .plan = p->plan, .store = store, .trace = p->trace };
    for (size_t i = 0; i < p->plan->members.len; i++)
        if (seen_by_value(&s, p->plan->members.data[i]->red->result))
            return true;
    for (size_t i = 0; i < p->trace->stores.len; i++) {
        const rf_store *o = &p->trace->stores.data[i];
        if (seen_by_value(&s, o->value) || seen_by_value(&s, o->index) ||
            seen_by_value(&s, o->guard))
            return true;
    }
    for (size_t i = 0; i < p->trace->finals.len; i++)
        if (rf_plan_needs(p->plan, p->trace->finals.data[i].var) &&
            seen_by_value(&s, p->trace->finals.data[i].value))
            return true;
    return false;
}

/* ---- dead stores ---- */

static bool covers(const rf_store *late, const rf_store *early)
{
    if (!early->index || late->base != early->base ||
        late->index != early->index ||
        (late->guard && late->guard != early->guard))
        return false;
    for (unsigned i = 0; i < early->n_loops; i++) {
        bool found = false;
        for (unsigned k = 0; k < late->n_loops; k++)
            found |= late->loops[k] == early->loops[i];
        if (!found && rf_val_mentions(early->index, early->loops[i]->index))
            return false;
    }
    for (unsigned k = 0; k < late->n_loops; k++) {
        bool found = false;
        for (unsigned i = 0; i < early->n_loops; i++)
            found |= late->loops[k] == early->loops[i];
        if (!found)
            return false; /* the later loop may not run at all */
    }
    return true;
}

static bool is_overwritten(rf_planner *p, size_t i)
{
    const rf_store *s = &p->trace->stores.data[i];
    for (size_t k = i + 1; k < p->trace->stores.len; k++)
        if (covers(&p->trace->stores.data[k], s))
            return true;
    return false;
}

static bool is_entry_of(const rf_val *v, const void *array)
{
    return v->kind == RF_VAL_LOAD && !v->version && v->arg[0] == array;
}

/* A local array of the function that carries values from one loop of the
 * window to the next, and nothing else. */
static bool is_private(rf_planner *p, const rf_store *s)
{
    const rf_val *root = rf_trace_root(p->trace, s->base);
    if (root->kind != RF_VAL_ENTRY || root->var->storage != RF_VAR_LOCAL ||
        root->var->type->kind != RF_TYPE_ARRAY || root->var->is_static ||
        rf_plan_is_read_outside(p->plan, root->var))
        return false;
    for (size_t i = 0; i < p->trace->loads.len; i++)
        if (rf_val_find(p->trace->loads.data[i].value, is_entry_of, root))
            return false;
    return true;
}

/* ---- places ---- */

static bool over_axis(const rf_plan *plan, const rf_store *s)
{
    return s->n_loops >= 1 && s->loops[0] == plan->axis;
}

/* One more than the last pass whose results "v" uses; 0: none. */
static unsigned ready_after(rf_plan *plan, const rf_val *v)
{
    unsigned after = 0;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *m = plan->members.data[i];
        if (v && rf_val_mentions(v, m->red->result) && m->pass >= after)
            after = m->pass + 1;
    }
    return after;
}

typedef struct {
    const rf_red *red;
} red_query;

static bool is_result_of(const rf_val *v, const void *data)
{
    return v->kind == RF_VAL_RESULT && v->red == data;
}

/* As ready_after, for families too: their results have other indices. */
static unsigned ready_after_family(rf_plan *plan, const rf_val *v)
{
    unsigned after = ready_after(plan, v);
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *m = plan->members.data[i];
        if (v && rf_val_find(v, is_result_of, m->red) && m->pass >= after)
            after = m->pass + 1;
    }
    return after;
}

static rf_placed_store place(rf_planner *p, const rf_store *s)
{
    unsigned value = ready_after_family(p->plan, s->value);
    unsigned guard = ready_after_family(p->plan, s->guard);
    unsigned after = value > guard ? value : guard;
    bool in_pass = over_axis(p->plan, s) && after < p->plan->n_loops;
    return (rf_placed_store){
        .id = s->id, .store = s, .pass = after, .in_pass = in_pass
    };
}

static bool is_loop_value(const rf_val *v, const void *plan)
{
    (void)plan;
    return v->kind == RF_VAL_INDEX || v->kind == RF_VAL_PHI ||
           v->kind == RF_VAL_CELL || v->kind == RF_VAL_LAST ||
           v->kind == RF_VAL_UNKNOWN;
}

bool rf_plan_value_ready(const rf_plan *plan, const rf_val *v, unsigned *ready)
{
    *ready = ready_after_family((rf_plan *)(uintptr_t)plan, v);
    return !rf_val_find(v, is_loop_value, plan);
}

/* A load of a different element than any store of the region wrote: whether
 * it sees the old or the new value is not known. */
static bool is_unresolved(const rf_val *v, const void *data)
{
    (void)data;
    return v->kind == RF_VAL_LOAD && v->version > 0 &&
           v->version != RF_VERSION_KEPT;
}

static rf_range place_of_load(rf_planner *p, const rf_val *v)
{
    return rf_plan_place_of(p, v, p->plan->block->at);
}

static bool check_resolved(rf_planner *p, const rf_val *v)
{
    const rf_val *l = v ? rf_val_find(v, is_unresolved, NULL) : NULL;
    if (!l)
        return true;
    rf_plan_refuse(p, RF_DIAG_LOOP_MISMATCH, place_of_load(p, l),
                   "not fused: this element may have been written by an "
                   "earlier loop in another iteration");
    for (size_t i = 0; i < p->trace->stores.len; i++)
        if (p->trace->stores.data[i].id + 1 == l->version)
            rf_plan_note(p, p->trace->stores.data[i].at,
                         p->unwritten ? "it may be written here, not always: %s"
                                      : "it may be written here",
                         p->unwritten);
    return false;
}

static bool check_loads(rf_planner *p)
{
    for (size_t i = 0; i < p->plan->members.len; i++)
        if (!check_resolved(p, p->plan->members.data[i]->red->result))
            return false;
    for (size_t i = 0; i < p->plan->stores.len; i++) {
        const rf_store *s = p->plan->stores.data[i].store;
        if (!check_resolved(p, s->value) || !check_resolved(p, s->guard))
            return false;
    }
    return true;
}

/* A local array that was never written holds nothing. */
static bool is_undefined(const rf_val *v, const void *data)
{
    const rf_planner *p = data;
    if (v->kind != RF_VAL_LOAD || v->version)
        return false;
    const rf_val *root = rf_trace_root(p->trace, v->arg[0]);
    if (root->kind != RF_VAL_ENTRY || root->var->type->kind != RF_TYPE_ARRAY ||
        root->var->storage != RF_VAR_LOCAL)
        return false;
    for (size_t i = 0; i < p->trace->declared.len; i++)
        if (p->trace->declared.data[i] == root->var)
            return true;
    return false;
}

static rf_range first_load(rf_planner *p, const rf_val *v)
{
    for (size_t i = 0; i < p->trace->loads.len; i++)
        if (p->trace->loads.data[i].base == v->arg[0] &&
            p->trace->loads.data[i].index == v->arg[1])
            return p->trace->loads.data[i].at;
    return p->plan->block->at;
}

bool rf_plan_defined(rf_planner *p)
{
    for (size_t i = 0; i < p->plan->members.len; i++) {
        const rf_val *l =
            rf_val_find(p->plan->members.data[i]->red->result, is_undefined, p);
        if (!l)
            continue;
        rf_plan_refuse(p, RF_DIAG_RACE, first_load(p, l),
                       "not fused: '%s' is read here before it is written",
                       rf_trace_root(p->trace, l->arg[0])->var->name);
        return false;
    }
    return true;
}

/* ---- values worth keeping ---- */

static bool is_inner_sum(const rf_val *v, const void *plan)
{
    return v->kind == RF_VAL_RESULT && !rf_plan_member_of(plan, v) &&
           v->red->n_outer;
}

/* An overwritten store of the source, in the same place as "s", of a part of
 * its value that holds an inner sum: `p[j] = dot;`, before p[j] is final. */
static const rf_store *find_kept(rf_planner *p, const rf_store *s)
{
    for (size_t i = 0; i < p->trace->stores.len; i++) {
        const rf_store *o = &p->trace->stores.data[i];
        if (o->id < s->id && o->base == s->base && o->index == s->index &&
            !o->guard && covers(s, o) && over_axis(p->plan, o) &&
            !ready_after_family(p->plan, o->value) && o->value != s->value &&
            rf_val_find(o->value, is_inner_sum, p->plan) &&
            rf_val_mentions(s->value, o->value))
            return o;
    }
    return NULL;
}

static bool only_stores_to(rf_planner *p, const rf_val *base)
{
    for (size_t i = 0; i < p->trace->stores.len; i++)
        if (rf_trace_root(p->trace, p->trace->stores.data[i].base) !=
            rf_trace_root(p->trace, base))
            return false;
    return true;
}

static const rf_val *load_kept(rf_planner *p, const rf_store *s)
{
    rf_val load = { .kind = RF_VAL_LOAD,
                    .type = s->type,
                    .version = RF_VERSION_KEPT,
                    .n = 2,
                    .arg = (const rf_val *[]){ s->base, s->index } };
    return rf_val_make(p->trace->vals, &load);
}

/* Later passes, up to the one that overwrites the kept value, read it too. */
static void use_kept(rf_planner *p, const rf_val *from, const rf_val *to,
                     const rf_placed_store *until)
{
    for (size_t i = 0; i < p->plan->members.len; i++) {
        rf_member *m = p->plan->members.data[i];
        bool in_time =
            m->pass < until->pass || (until->in_pass && m->pass == until->pass);
        if (!m->pass || !in_time || m->red->axis != p->plan->axis || m->step)
            continue;
        m->term = rf_val_subst(p->trace->vals, m->term, 1, &from, &to);
        m->guard = rf_val_subst(p->trace->vals, m->guard, 1, &from, &to);
    }
}

/* A dot product that a pass computes and a later one needs again is stored
 * where the source stored it and read back, not computed twice. */
static void keep_inner_sums(rf_planner *p)
{
    rf_plan *plan = p->plan;
    for (size_t i = 0; i < plan->stores.len; i++) {
        const rf_placed_store *at = &plan->stores.data[i];
        const rf_store *s = at->store;
        const rf_store *kept =
            at->in_pass && !at->pass ? NULL : find_kept(p, s);
        if (!kept || (!p->mark->noalias && !only_stores_to(p, s->base)))
            continue;
        const rf_val *to = load_kept(p, s);
        rf_store *copy = RF_NEW(p->arena, rf_store);
        *copy = *s;
        copy->value =
            rf_val_subst(p->trace->vals, s->value, 1, &kept->value, &to);
        plan->stores.data[i].store = copy;
        use_kept(p, kept->value, to, at);
        RF_PUSH(plan->stores, place(p, kept));
    }
}

bool rf_plan_stores(rf_planner *p)
{
    for (size_t i = 0; i < p->trace->stores.len; i++) {
        const rf_store *s = &p->trace->stores.data[i];
        if (!s->index)
            continue; /* the declaration stays */
        if (is_overwritten(p, i) && !is_seen(p, s))
            continue;
        if (is_private(p, s) && !is_seen(p, s))
            continue;
        RF_PUSH(p->plan->stores, place(p, s));
    }
    keep_inner_sums(p);
    return check_loads(p);
}
