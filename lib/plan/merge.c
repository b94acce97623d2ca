/* Unify loops: rewrite a trace so that every loop over the axis is one and
 * the same loop, and what two of them compute becomes one value. */
#include "plan/planning.h"

typedef struct {
    rf_trace *t;
    const rf_loop *const *map; /* by loop id */
    const int64_t *shift;
    bool drops_team;     /* what a team folds is folded by one thread */
    const rf_val **memo; /* by value id */
    unsigned cap;
    const rf_red **red_memo; /* by reduction id */
    unsigned red_cap;
} remap;

static const rf_val *map_val(remap *m, const rf_val *v);

static const rf_loop *const *map_loops(remap *m, unsigned n,
                                       const rf_loop *const *loops)
{
    const rf_loop **out = RF_NEW_ARRAY(m->t->arena, n + 1, const rf_loop *);
    for (unsigned i = 0; i < n; i++)
        out[i] = m->map[loops[i]->id];
    return out;
}

static const rf_red *map_red(remap *m, const rf_red *red)
{
    if (red->id < m->red_cap && m->red_memo[red->id])
        return m->red_memo[red->id];
    rf_red r = *red;
    r.axis = m->map[red->axis->id];
    r.team = m->drops_team ? NULL : red->team;
    r.outer = map_loops(m, red->n_outer, red->outer);
    r.free = map_loops(m, red->n_free, red->free);
    r.init = map_val(m, red->init);
    r.term = map_val(m, red->term);
    r.guard = map_val(m, red->guard);
    r.path = map_val(m, red->path);
    r.next = map_val(m, red->next);
    r.index = map_val(m, red->index);
    const rf_red *made = rf_trace_red(m->t, &r)->red;
    if (red->id < m->red_cap)
        m->red_memo[red->id] = made;
    return made;
}

static const rf_val *map_parts(remap *m, const rf_val *v)
{
    rf_val proto = *v;
    const rf_val **args = RF_NEW_ARRAY(m->t->arena, v->n + 1, const rf_val *);
    for (unsigned i = 0; i < v->n; i++)
        args[i] = map_val(m, v->arg[i]);
    proto.arg = args;
    if (v->kind == RF_VAL_RESULT)
        proto.red = map_red(m, v->red);
    return rf_val_make(m->t->vals, &proto);
}

static const rf_val *map_index(remap *m, const rf_val *v)
{
    int64_t by = m->shift[v->loop->id];
    const rf_val *i =
        rf_val_cast(m->t->vals, v->type, m->map[v->loop->id]->index, NULL);
    return by ? rf_val_op2(m->t->vals, by < 0 ? RF_OP_SUB : RF_OP_ADD, v->type,
                           i,
                           rf_val_int(m->t->vals, by < 0 ? -by : by, v->type))
              : i;
}

static const rf_val *map_val(remap *m, const rf_val *v)
{
    if (!v)
        return NULL;
    if (v->kind == RF_VAL_INDEX)
        return map_index(m, v);
    if (!v->n && v->kind != RF_VAL_RESULT)
        return v;
    if (v->id < m->cap && m->memo[v->id])
        return m->memo[v->id];
    const rf_val *r = map_parts(m, v);
    if (v->id < m->cap)
        m->memo[v->id] = r;
    return r;
}

static void map_stores(remap *m)
{
    for (size_t i = 0; i < m->t->stores.len; i++) {
        rf_store *s = &m->t->stores.data[i];
        s->loops = map_loops(m, s->n_loops, s->loops);
        s->base = map_val(m, s->base);
        s->index = map_val(m, s->index);
        s->value = map_val(m, s->value);
        s->guard = map_val(m, s->guard);
    }
    for (size_t i = 0; i < m->t->loads.len; i++) {
        rf_load *l = &m->t->loads.data[i];
        l->loops = map_loops(m, l->n_loops, l->loops);
        l->base = map_val(m, l->base);
        l->index = map_val(m, l->index);
        l->value = map_val(m, l->value);
    }
}

static void map_trace(remap *m)
{
    rf_trace *t = m->t;
    map_stores(m);
    for (size_t i = 0; i < t->finals.len; i++)
        t->finals.data[i].value = map_val(m, t->finals.data[i].value);
    for (size_t i = 0; i < t->names.len; i++)
        t->names.data[i].value = map_val(m, t->names.data[i].value);
    for (size_t i = 0; i < t->updates.len; i++) {
        t->updates.data[i].next = map_val(m, t->updates.data[i].next);
        t->updates.data[i].result = map_val(m, t->updates.data[i].result);
    }
    for (size_t i = 0; i < t->merge_parts.len; i++)
        t->merge_parts.data[i].source =
            map_val(m, t->merge_parts.data[i].source);
    for (size_t i = 0; i < t->merges.len; i++) {
        t->merges.data[i].source = map_val(m, t->merges.data[i].source);
        t->merges.data[i].value = map_val(m, t->merges.data[i].value);
    }
    for (size_t i = 0; i < t->inlined.len; i++) {
        rf_inlined *call = &t->inlined.data[i];
        const rf_val **args =
            RF_NEW_ARRAY(t->arena, call->n + 1, const rf_val *);
        for (unsigned k = 0; k < call->n; k++)
            args[k] = map_val(m, call->arg[k]);
        call->arg = args;
        call->value = map_val(m, call->value);
    }
    for (size_t i = 0; i < t->passes.len; i++)
        t->passes.data[i].axis = m->map[t->passes.data[i].axis->id];
}

static remap remap_new(rf_trace *t, const rf_loop *const *map,
                       const int64_t *shift)
{
    remap m = { .t = t, .map = map, .shift = shift };
    m.cap = 1u << 16;
    m.memo = RF_NEW_ARRAY(t->arena, m.cap, const rf_val *);
    m.red_cap = (unsigned)t->reds.len;
    m.red_memo = RF_NEW_ARRAY(t->arena, m.red_cap + 1, const rf_red *);
    return m;
}

void rf_trace_remap(rf_trace *t, const rf_loop *const *map,
                    const int64_t *shift)
{
    remap m = remap_new(t, map, shift);
    map_trace(&m);
}

bool rf_trace_replace_all(rf_trace *t, const rf_loop *const *map, unsigned n,
                          const rf_val *const *from, const rf_val *const *to)
{
    int64_t *shift = RF_NEW_ARRAY(t->arena, t->loops.len + 1, int64_t);
    remap m = remap_new(t, map, shift);
    for (unsigned i = 0; i < n; i++) {
        if (from[i]->id >= m.cap)
            return false;
        m.memo[from[i]->id] = to[i];
    }
    map_trace(&m);
    return true;
}

bool rf_trace_replace(rf_trace *t, const rf_val *from, const rf_val *to)
{
    size_t n = t->loops.len;
    const rf_loop **map = RF_NEW_ARRAY(t->arena, n + 1, const rf_loop *);
    for (size_t i = 0; i < n; i++)
        map[i] = t->loops.data[i];
    return rf_trace_replace_all(t, map, 1, &from, &to);
}

void rf_trace_as_one(rf_trace *t, const rf_loop *const *map,
                     const int64_t *shift)
{
    remap m = remap_new(t, map, shift);
    m.drops_team = true;
    map_trace(&m);
    t->team = NULL;
}
