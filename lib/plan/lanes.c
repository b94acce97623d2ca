/* Memory that the lanes of a team share (D3, D4 for a team).
 *
 * Two accesses of which one is a store are kept apart when they are made by
 * one lane, cannot meet, or have a combine between them:
 *
 *     lane 0 makes both
 *     a load of the passes, a store after the last of them
 *     the same element of one dealt loop: p[i * n + j] and p[i * n + j]
 *     different objects: restrict, assume(noalias), two arrays
 *
 * and a dealt store reaches another element in every iteration. */
#include "plan/widening.h"

typedef struct {
    const rf_var *root;
    bool is_store, by_leader;
    bool early;                 /* a load that only passes over the axis need */
    bool late;                  /* a store after the last combine */
    const rf_val *base, *index; /* of the plan; NULL: outside */
    const rf_val *value;        /* what the plan's load loads */
    rf_range at;
} access;

typedef RF_ARRAY(access) accesses;

static const rf_var *root_of(rf_widener *w, const rf_val *base)
{
    const rf_val *r = rf_trace_root(w->p.trace, base);
    return r->kind == RF_VAL_ENTRY ? r->var : NULL;
}

static bool is_own_array(const rf_var *v)
{
    return v && v->storage == RF_VAR_LOCAL && v->type->kind == RF_TYPE_ARRAY;
}

static bool is_needed_late(rf_widener *w, const rf_val *load)
{
    const rf_plan *plan = w->p.plan;
    for (size_t i = 0; i < plan->members.len; i++)
        if (rf_plan_makes_load(plan, plan->members.data[i]->later, load) ||
            rf_plan_makes_load(plan, plan->members.data[i]->init_later, load))
            return true;
    for (size_t i = 0; i < plan->stores.len; i++) {
        const rf_store *s = plan->stores.data[i].store;
        if (rf_plan_makes_load(plan, s->value, load) ||
            rf_plan_makes_load(plan, s->guard, load) ||
            rf_plan_makes_load(plan, s->index, load))
            return true;
    }
    for (size_t i = 0; i < w->p.trace->finals.len; i++)
        if (rf_plan_is_live(&w->p, &w->p.trace->finals.data[i]) &&
            rf_plan_makes_load(plan, w->p.trace->finals.data[i].value, load))
            return true;
    return false;
}

static bool is_late(const rf_plan *plan, const rf_placed_store *s)
{
    return !s->in_pass && s->pass == plan->n_loops;
}

/* What a reduction began with in memory, `out[r] += ...`, is no load of the
 * trace. It is read after the passes where "late". */
static void collect_first(rf_widener *w, const rf_val *v, rf_range at,
                          bool late, accesses *out)
{
    if (!v || rf_plan_member_of(w->p.plan, v))
        return;
    for (unsigned i = 0; i < v->n; i++)
        collect_first(w, v->arg[i], at, late, out);
    if (v->kind != RF_VAL_LOAD)
        return;
    access a = { .root = root_of(w, v->arg[0]),
                 .early = !late,
                 .base = v->arg[0],
                 .index = v->arg[1],
                 .value = v,
                 .at = at };
    if (!is_own_array(a.root))
        RF_PUSH(*out, a);
}

static void collect_firsts(rf_widener *w, accesses *out)
{
    for (size_t i = 0; i < w->p.plan->members.len; i++) {
        const rf_member *m = w->p.plan->members.data[i];
        collect_first(w, m->init, m->red->at, false, out);
        collect_first(w, m->init_later, m->red->at, true, out);
        collect_first(w, m->later, m->red->at, true, out);
    }
}

static void collect(rf_widener *w, accesses *out)
{
    collect_firsts(w, out);
    const rf_plan *plan = w->p.plan;
    uint32_t begin = plan->block->list[plan->first]->at.begin;
    uint32_t end = plan->block->list[plan->last]->at.end;
    bool once = !rf_plan_is_repeated(&w->p);
    for (size_t i = 0; i < plan->stores.len; i++) {
        const rf_store *s = plan->stores.data[i].store;
        access a = { .root = root_of(w, s->base),
                     .is_store = true,
                     .by_leader = !s->n_loops,
                     .late = once && is_late(plan, &plan->stores.data[i]),
                     .base = s->base,
                     .index = s->index,
                     .at = s->at };
        RF_PUSH(*out, a);
    }
    for (size_t i = w->p.trace->loads.len; i-- > 0;) {
        const rf_load *l = &w->p.trace->loads.data[i];
        access a = { .root = root_of(w, l->base),
                     .early = !is_needed_late(w, l->value),
                     .base = l->base,
                     .index = l->index,
                     .value = l->value,
                     .at = l->at };
        if (!is_own_array(a.root) && l->value->kind == RF_VAL_LOAD)
            RF_PUSH(*out, a);
    }
    for (size_t i = 0; i < w->stores.len; i++) {
        access a = { .root = w->stores.data[i].root,
                     .is_store = true,
                     .by_leader = true,
                     .late = once && w->stores.data[i].at.begin >= end,
                     .at = w->stores.data[i].at };
        RF_PUSH(*out, a);
    }
    for (size_t i = 0; i < w->loads.len; i++) {
        access a = { .root = w->loads.data[i].root,
                     .by_leader = w->loads.data[i].by_leader,
                     .early = w->loads.data[i].at.begin < begin,
                     .at = w->loads.data[i].at };
        RF_PUSH(*out, a);
    }
}

static bool is_array(const rf_var *v)
{
    return v->type->kind == RF_TYPE_ARRAY;
}

static bool are_disjoint(const rf_widener *w, const rf_var *a, const rf_var *b)
{
    return w->p.mark->noalias || a->type->is_restrict || b->type->is_restrict ||
           (is_array(a) && is_array(b));
}

/* The last launch makes these loads once more: those around the passes, and
 * those that say how they begin and end. */
static bool is_repeated(const rf_widener *w, const access *load)
{
    const rf_plan *plan = w->p.plan;
    bool found = !load->value ||
                 rf_plan_makes_load(plan, plan->axis->lower, load->value) ||
                 rf_plan_makes_load(plan, plan->axis->upper, load->value);
    for (size_t i = 0; i < plan->members.len && !found; i++)
        found =
            rf_plan_makes_load(plan, plan->members.data[i]->init, load->value);
    return found;
}

static bool is_kept_apart(const rf_widener *w, const access *a, const access *b)
{
    if ((a->by_leader && b->by_leader) ||
        (a->late && b->early && !(w->w->is_grid && is_repeated(w, b))))
        return true;
    if (!a->root || !b->root)
        return false;
    if (a->root != b->root)
        return are_disjoint(w, a->root, b->root);
    if (a->by_leader || b->by_leader)
        return false;
    return a->index && a->index == b->index && a->base == b->base;
}

static const char *name_of(const access *a)
{
    return a->root ? a->root->name : "this object";
}

static bool check_pair(rf_widener *w, const access *store, const access *other)
{
    if (is_kept_apart(w, store, other))
        return true;
    bool same = store->root == other->root;
    rf_plan_refuse(&w->p, RF_DIAG_ALIAS, other->at,
                   same ? "another thread of the team may have stored this "
                          "element of '%s'"
                        : "'%s' and '%s' may overlap",
                   name_of(other), name_of(store));
    rf_plan_note(&w->p, store->at, "'%s' is written here", name_of(store));
    return false;
}

/* ---- one element an iteration ---- */

bool rf_plan_is_injective(const rf_val *v, const rf_val *counter)
{
    int64_t k;
    if (v == counter)
        return true;
    if (v->kind == RF_VAL_CAST)
        return rf_plan_is_injective(v->arg[0], counter);
    if (v->kind != RF_VAL_OP || v->n != 2)
        return false;
    bool left = rf_val_mentions(v->arg[0], counter);
    const rf_val *with = v->arg[left ? 0 : 1], *rest = v->arg[left ? 1 : 0];
    if (rf_val_mentions(rest, counter))
        return false;
    bool scales = v->op == RF_OP_MUL && rf_val_is_int(rest, &k) && k;
    return (v->op == RF_OP_ADD || v->op == RF_OP_SUB || scales) &&
           rf_plan_is_injective(with, counter);
}

static bool check_store(rf_widener *w, const rf_store *s)
{
    if (is_own_array(root_of(w, s->base))) {
        rf_plan_refuse(&w->p, RF_DIAG_UNSUPPORTED, s->at,
                       "the threads of a team do not share this array");
        return false;
    }
    if (!s->n_loops ||
        (s->index && rf_plan_is_injective(s->index, s->loops[0]->index)))
        return true;
    rf_plan_refuse(&w->p, RF_DIAG_ORDER, s->at,
                   "two threads of the team may store to this element");
    return false;
}

bool rf_widen_memory(rf_widener *w)
{
    accesses all = { 0 };
    bool ok = true;
    for (size_t i = 0; i < w->p.plan->stores.len && ok; i++)
        ok = check_store(w, w->p.plan->stores.data[i].store);
    collect(w, &all);
    for (size_t i = 0; i < all.len && ok; i++)
        for (size_t k = 0; k < all.len && ok; k++)
            if (i != k && all.data[i].is_store &&
                (k > i || !all.data[k].is_store))
                ok = check_pair(w, &all.data[i], &all.data[k]);
    RF_CLEAR(all);
    return ok;
}
