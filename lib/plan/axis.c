/* The axis (D1): loops with the same counters are one loop.
 *
 *     {for i = 0 .. n}  =  {for i = n-1 .. 0}          whatever the order
 *     m = t(0); for i = 1 .. n: m = max(m, t(i))
 *                       =  m = t(0); for i = 0 .. n    max is idempotent
 *
 * The axis of the cascade is the one with the most reductions that use one
 * another. */
#include "depend/depend.h"
#include "plan/forward.h"

#include <string.h>

/* ---- first element ---- */

/* "v" with the index of "loop" at "at"; results of inner reductions become
 * reductions of their own, as if written for that iteration. */
static const rf_val *instantiate(rf_trace *t, const rf_val *v,
                                 const rf_loop *loop, const rf_val *at)
{
    if (v == loop->index)
        return at;
    if (!v->n && v->kind != RF_VAL_RESULT)
        return v;
    rf_val proto = *v;
    const rf_val **args = RF_NEW_ARRAY(t->arena, v->n + 1, const rf_val *);
    for (unsigned i = 0; i < v->n; i++)
        args[i] = instantiate(t, v->arg[i], loop, at);
    proto.arg = args;
    if (v->kind != RF_VAL_RESULT || v->red->n_outer != 1 ||
        v->red->outer[0] != loop)
        return rf_val_make(t->vals, &proto);
    rf_red red = *v->red;
    red.n_outer = 0;
    red.term = instantiate(t, red.term, loop, at);
    red.init = instantiate(t, red.init, loop, at);
    if (red.guard || red.path)
        return rf_val_make(t->vals, &proto);
    return rf_trace_red(t, &red);
}

/* True if every top-level reduction over "b" may begin one step earlier. */
static bool begins_with_first(rf_planner *p, const rf_loop *a, const rf_loop *b)
{
    rf_trace *t = p->trace;
    bool any = false;
    for (size_t i = 0; i < t->reds.len; i++) {
        const rf_red *r = t->reds.data[i];
        if (r->axis != b || r->n_outer)
            continue;
        any = true;
        if (!rf_reduce_is_idempotent(r->op) || r->guard ||
            instantiate(t, r->term, b, a->lower) !=
                rf_plan_entry_value(p, r->init))
            return false;
    }
    for (size_t i = 0; i < t->stores.len; i++)
        for (unsigned k = 0; k < t->stores.data[i].n_loops; k++)
            if (t->stores.data[i].loops[k] == b)
                return false;
    return any;
}

/* ---- unification ---- */

static bool has_recurrence(const rf_trace *t, const rf_loop *l)
{
    for (size_t i = 0; i < t->reds.len; i++)
        if (t->reds.data[i]->axis == l && t->reds.data[i]->op == RF_REDUCE_FOLD)
            return true;
    return false;
}

/* True if "b" may be done in the iterations of "a", whose order stays. */
static bool unify(rf_planner *p, rf_depend *d, const rf_loop *a,
                  const rf_loop *b, int64_t *shift)
{
    const rf_trace *t = p->trace;
    rf_axis_match m = rf_loop_compare(d, a, b);
    *shift = 0;
    bool ordered = m.same_order == RF_YES && a->is_reversed == b->is_reversed;
    if (!ordered && has_recurrence(t, b))
        return false;
    if (m.same_set == RF_YES)
        return true;
    if (m.relation == RF_AXIS_SHIFTED) {
        *shift = m.shift;
        return true;
    }
    return m.relation == RF_AXIS_SUFFIX && m.missing == 1 &&
           begins_with_first(p, a, b);
}

static bool is_top_level(const rf_trace *t, const rf_loop *l)
{
    for (size_t i = 0; i < t->passes.len; i++)
        if (t->passes.data[i].axis == l)
            return true;
    for (size_t i = 0; i < t->reds.len; i++)
        if (t->reds.data[i]->axis == l)
            return true;
    return false;
}

static void unify_loops(rf_planner *p, rf_depend *d)
{
    rf_trace *t = p->trace;
    unsigned n = (unsigned)t->loops.len;
    const rf_loop **map = RF_NEW_ARRAY(p->arena, n + 1, const rf_loop *);
    int64_t *shift = RF_NEW_ARRAY(p->arena, n + 1, int64_t);
    bool changed = false;
    for (unsigned i = 0; i < n; i++)
        map[i] = t->loops.data[i];
    for (unsigned i = 0; i < n; i++) {
        const rf_loop *b = t->loops.data[i];
        for (unsigned k = 0; k < n && map[i] == b; k++) {
            const rf_loop *a = t->loops.data[k];
            if (a == b || map[k] != a || a->twin != b->twin ||
                !is_top_level(t, a) || !is_top_level(t, b))
                continue;
            if ((k < i && unify(p, d, a, b, &shift[i])) ||
                (k > i && begins_with_first(p, a, b) &&
                 unify(p, d, a, b, &shift[i])))
                map[i] = a;
        }
        changed |= map[i] != b;
    }
    if (changed)
        rf_trace_remap(t, map, shift);
}

/* ---- choice ---- */

static bool uses_result_over(const rf_val *v, const void *axis)
{
    return v->kind == RF_VAL_RESULT && v->red->axis == axis;
}

/* How many reductions over "axis" use another one over it. */
static unsigned count_dependent(const rf_trace *t, const rf_loop *axis,
                                unsigned *all)
{
    unsigned n = 0;
    *all = 0;
    for (size_t i = 0; i < t->reds.len; i++) {
        const rf_red *r = t->reds.data[i];
        if (r->axis != axis)
            continue;
        ++*all;
        n += rf_val_find(r->term, uses_result_over, axis) ||
             rf_val_find(r->guard, uses_result_over, axis) ||
             rf_val_find(r->init, uses_result_over, axis);
    }
    return n;
}

static unsigned count_passes(const rf_trace *t, const rf_loop *axis)
{
    unsigned n = 0;
    for (size_t i = 0; i < t->passes.len; i++) {
        bool over = t->passes.data[i].axis == axis;
        for (size_t k = 0; k < t->reds.len && !over; k++)
            over = t->reds.data[k]->axis == axis &&
                   t->reds.data[k]->pass == t->passes.data[i].pass;
        n += over;
    }
    return n;
}

static bool name_is(const rf_loop *l, const char *name)
{
    return l->name && !strcmp(l->name, name);
}

bool rf_plan_axis(rf_planner *p)
{
    rf_trace *t = p->trace;
    rf_depend *d = rf_depend_new(p->arena);
    rf_plan_facts(p, d);
    unify_loops(p, d);
    rf_depend_free(d);
    if (rf_plan_needs_forward(t))
        rf_plan_forward(p);
    unsigned best = 0;
    for (size_t i = 0; i < t->loops.len; i++) {
        const rf_loop *l = t->loops.data[i];
        unsigned all, dependent = count_dependent(t, l, &all);
        unsigned score = dependent * 100 + all;
        if (p->mark->axis && !name_is(l, p->mark->axis))
            continue;
        if (all && count_passes(t, l) > 1 && score > best) {
            best = score;
            p->plan->axis = l;
        }
    }
    return p->plan->axis != NULL;
}
