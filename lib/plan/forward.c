/* Forwarding across loops (D3): what a loop over one range stored is read by
 * a loop over another.
 *
 *     for j in J: if (c(j)) a[f(j)] = v(j)      is a loop over I, if
 *                                               {j in J : c(j)} = I
 *     for i in I: ... a[f(i)] ...               reads v(i), if
 *         every f(i) is some f(j), and f(i) = f(j) only where i = j,
 *         and no store in between writes any f(i)
 *
 * All three questions are answered by exact integer sets, for all values of
 * the parameters; what is not proven stays a load that was not resolved. */
#include "plan/forward.h"
#include "depend/depend.h"

typedef struct {
    rf_planner *p;
    rf_trace *t;
    rf_depend *d;
} forwarder;

static bool is_unresolved(const rf_val *v, const void *unused)
{
    (void)unused;
    return v->kind == RF_VAL_LOAD && v->version > 0 &&
           v->version != RF_VERSION_KEPT;
}

static const rf_val *unresolved_in(const rf_load *l)
{
    return rf_val_find(l->value, is_unresolved, NULL);
}

static rf_access access_of(const rf_store *s)
{
    return (rf_access){ { s->n_loops, s->loops, s->guard }, s->base, s->index };
}

/* ---- moving a value from one loop to another ---- */

static bool is_bound(const rf_val *v, const void *loop)
{
    if (v->kind == RF_VAL_PHI || v->kind == RF_VAL_CELL ||
        v->kind == RF_VAL_LAST)
        return v->loop == loop;
    if (v->kind != RF_VAL_RESULT)
        return false;
    for (unsigned i = 0; i < v->red->n_free; i++)
        if (v->red->free[i] == loop)
            return true;
    return v->red->axis == loop && v->red->n_outer;
}

/* "v" in the iteration of "to" that has the counter of "from"; NULL: it holds
 * what only "from" computes. */
static const rf_val *move(forwarder *f, const rf_val *v, const rf_loop *from,
                          const rf_loop *to)
{
    if (!v || from == to)
        return v;
    if (rf_val_find(v, is_bound, from))
        return NULL;
    const rf_val *index = rf_val_cast(f->t->vals, from->type, to->index, NULL);
    return rf_val_subst(f->t->vals, v, 1, &from->index, &index);
}

/* ---- a guarded loop that is another loop ---- */

static bool has_index(const rf_val *v, const void *unused)
{
    (void)unused;
    return v->kind == RF_VAL_INDEX;
}

static bool has_fixed_bounds(const rf_loop *l)
{
    return !rf_val_find(l->lower, has_index, NULL) &&
           !rf_val_find(l->upper, has_index, NULL) &&
           !rf_val_find(l->step, has_index, NULL);
}

/* The counters of "narrow" are those of the loop of "s" under its guard. */
static bool is_all_of(forwarder *f, const rf_loop *narrow, const rf_store *s)
{
    rf_access part = { { 1, s->loops, s->guard }, s->base, s->loops[0]->index };
    rf_access all = { { 1, &narrow, NULL }, s->base, narrow->index };
    return rf_access_covers(f->d, &all, &part, NULL) == RF_YES &&
           rf_access_covers(f->d, &part, &all, NULL) == RF_YES;
}

static const rf_loop **with_first(forwarder *f, unsigned n,
                                  const rf_loop *const *loops,
                                  const rf_loop *first)
{
    const rf_loop **out = RF_NEW_ARRAY(f->t->arena, n + 1, const rf_loop *);
    for (unsigned i = 0; i < n; i++)
        out[i] = i ? loops[i] : first;
    return out;
}

/* What the loop of "s" reads, "narrow" reads a part of. */
static void copy_loads(forwarder *f, const rf_store *s, const rf_loop *from,
                       const rf_loop *narrow)
{
    size_t n = f->t->loads.len;
    for (size_t i = 0; i < n; i++) {
        rf_load l = f->t->loads.data[i];
        if (l.pass != s->pass || !l.n_loops || l.loops[0] != from)
            continue;
        l.loops = with_first(f, l.n_loops, l.loops, narrow);
        l.base = move(f, l.base, from, narrow);
        l.index = move(f, l.index, from, narrow);
        l.value = move(f, l.value, from, narrow);
        if (l.base && l.index && l.value)
            RF_PUSH(f->t->loads, l);
    }
}

static bool narrow_to(forwarder *f, rf_store *s, const rf_loop *narrow)
{
    const rf_loop *from = s->loops[0];
    const rf_val *base = move(f, s->base, from, narrow);
    const rf_val *index = move(f, s->index, from, narrow);
    const rf_val *value = move(f, s->value, from, narrow);
    if (!base || !index || !value)
        return false;
    copy_loads(f, s, from, narrow);
    s->base = base;
    s->index = index;
    s->value = value;
    s->guard = NULL;
    s->loops = with_first(f, s->n_loops, s->loops, narrow);
    return true;
}

static void narrow_store(forwarder *f, rf_store *s)
{
    if (!s->index || !s->guard || !s->n_loops || s->is_result)
        return;
    for (size_t i = 0; i < f->t->loops.len; i++) {
        const rf_loop *l = f->t->loops.data[i];
        bool is_inside = false;
        for (unsigned k = 0; k < s->n_loops; k++)
            is_inside |= s->loops[k] == l;
        if (!is_inside && l->twin == s->loops[0]->twin && has_fixed_bounds(l) &&
            is_all_of(f, l, s) && narrow_to(f, s, l))
            return;
    }
}

/* ---- the store that a load sees ---- */

static bool is_among(const rf_loop *l, unsigned n, const rf_loop *const *loops)
{
    for (unsigned i = 0; i < n; i++)
        if (loops[i] == l)
            return true;
    return false;
}

/* One iteration of "s" writes each of its elements. */
static bool writes_once(const rf_store *s)
{
    for (unsigned i = 0; i < s->n_loops; i++)
        if (!rf_val_mentions(s->index, s->loops[i]->index))
            return false;
    return true;
}

/* The value of "s" in the iterations of "l"; NULL: loops do not correspond. */
static const rf_val *value_for(forwarder *f, const rf_store *s,
                               const rf_load *l)
{
    const rf_val *v = s->value;
    if (s->n_loops > l->n_loops)
        return NULL;
    for (unsigned i = 0; i < s->n_loops && v; i++) {
        if (s->loops[i] != l->loops[i] &&
            is_among(l->loops[i], s->n_loops, s->loops))
            return NULL;
        v = move(f, v, s->loops[i], l->loops[i]);
    }
    return v;
}

/* a[c], read outside of all loops, of for j in J: a[j] = v(j): v(c), c in J; or
 * NULL. */
static const rf_val *value_at(forwarder *f, const rf_store *s, const rf_load *l,
                              const rf_val *u)
{
    rf_access read = { { 0, NULL, NULL }, u->arg[0], u->arg[1] };
    rf_access written = access_of(s);
    if (l->n_loops || s->n_loops != 1 || s->guard || s->is_result ||
        s->base != u->arg[0] || s->index != s->loops[0]->index ||
        !rf_type_same(s->type, u->type) ||
        rf_val_find(s->value, is_bound, s->loops[0]) ||
        rf_access_covers(f->d, &written, &read, NULL) != RF_YES)
        return NULL;
    const rf_val *at =
        rf_val_cast(f->t->vals, s->loops[0]->type, u->arg[1], NULL);
    return rf_val_subst(f->t->vals, s->value, 1, &s->loops[0]->index, &at);
}

/* What load "u" of "l" reads, or NULL. */
static const rf_val *resolve(forwarder *f, const rf_load *l, const rf_val *u)
{
    rf_access read = { { l->n_loops, l->loops, NULL }, u->arg[0], u->arg[1] };
    for (size_t i = f->t->stores.len; i-- > 0;) {
        const rf_store *s = &f->t->stores.data[i];
        if (s->id >= u->version ||
            rf_trace_root(f->t, s->base) != rf_trace_root(f->t, u->arg[0]))
            continue;
        if (!s->index)
            return s->value;
        rf_access written = access_of(s);
        rf_index_relation r = rf_access_compare(f->d, &written, &read, NULL);
        if (r == RF_INDEX_NEVER)
            continue;
        const rf_val *one = value_at(f, s, l, u);
        if (one)
            return one;
        if (r != RF_INDEX_SAME || s->is_result || !writes_once(s) ||
            !rf_type_same(s->type, u->type))
            return NULL;
        if (rf_access_covers(f->d, &written, &read, &f->p->unwritten) != RF_YES)
            return NULL;
        return value_for(f, s, l);
    }
    return NULL;
}

/* ---- the trace ---- */

static bool forward_one(forwarder *f)
{
    for (size_t i = 0; i < f->t->loads.len; i++) {
        const rf_load *l = &f->t->loads.data[i];
        const rf_val *u = unresolved_in(l);
        const rf_val *v = u ? resolve(f, l, u) : NULL;
        if (!v || rf_val_mentions(v, u))
            continue;
        return rf_trace_replace(f->t, u, v);
    }
    return false;
}

bool rf_plan_needs_forward(const rf_trace *t)
{
    for (size_t i = 0; i < t->loads.len; i++)
        if (unresolved_in(&t->loads.data[i]))
            return true;
    return false;
}

/* ---- what bounds and guards are made of ---- */

typedef struct {
    rf_planner *p;
    rf_depend *d;
    RF_ARRAY(const rf_val *) done;
} definer;

/* t == idx % n, for the constants of the function that "v" names. */
static void define(definer *w, const rf_val *v)
{
    if (!v)
        return;
    for (unsigned i = 0; i < v->n; i++)
        define(w, v->arg[i]);
    if (v->kind != RF_VAL_ENTRY || !v->type || v->type->kind != RF_TYPE_INT)
        return;
    for (size_t i = 0; i < w->done.len; i++)
        if (w->done.data[i] == v)
            return;
    RF_PUSH(w->done, v);
    const rf_val *known = rf_plan_definition(w->p, v);
    if (known && rf_type_same(known->type, v->type))
        rf_depend_fact(w->d, rf_val_op2(w->p->trace->vals, RF_OP_EQ,
                                        &rf_type_bool, v, known));
}

static void define_all(rf_planner *p, rf_depend *d)
{
    const rf_trace *t = p->trace;
    definer w = { .p = p, .d = d };
    for (size_t i = 0; i < t->loops.len; i++) {
        define(&w, t->loops.data[i]->lower);
        define(&w, t->loops.data[i]->upper);
    }
    for (size_t i = 0; i < t->stores.len; i++)
        define(&w, t->stores.data[i].guard);
    RF_CLEAR(w.done);
}

void rf_plan_forward(rf_planner *p)
{
    enum { ROUNDS = 32 };
    forwarder f = { .p = p, .t = p->trace, .d = rf_depend_new(p->arena) };
    rf_plan_facts(p, f.d);
    define_all(p, f.d);
    for (size_t i = 0; i < f.t->stores.len; i++)
        narrow_store(&f, &f.t->stores.data[i]);
    for (int i = 0; i < ROUNDS && forward_one(&f); i++)
        ;
    rf_depend_free(f.d);
}
