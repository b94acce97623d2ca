/* Order (D4): a load and a store whose objects may overlap stand in the
 * emitted code as they stand in the source, before, after, or in one loop, for
 * each reduction and each store that the load serves; stores that may overlap
 * keep their order too. Accesses of one object were compared element by
 * element when the code was traced. */
#include "proof/proving.h"

typedef struct {
    rf_prover *p;
    rf_cells source, emitted;
    const rf_store *clash; /* found by a search */
    unsigned emitted_pass, source_pass;
} orders;

static int compare(unsigned a, unsigned b)
{
    return a < b ? -1 : a > b;
}

static const rf_store *counterpart(const orders *o, const rf_store *s)
{
    for (size_t i = 0; i < o->emitted.len; i++)
        if (rf_same_nest(o->p->trace->vals, s, o->emitted.data[i].last))
            return o->emitted.data[i].last;
    return NULL;
}

/* Does a load in pass "from" of the source, moved to the pass that is looked
 * at, cross store "s"? One that the emitted code does without must not have
 * come before it. */
static bool moves_across(const orders *o, unsigned from, const rf_store *s)
{
    const rf_store *e = counterpart(o, s);
    return compare(from, s->pass) !=
           (e ? compare(o->emitted_pass, e->pass) : -1);
}

/* In the pass that is looked at, or else in those whose values it has. */
static bool load_crosses(const orders *o, const rf_val *v, const rf_store *s)
{
    rf_vals *vals = o->p->trace->vals;
    const rf_val *index = rf_index_form(vals, v->arg[1]);
    bool any = false, crosses = false;
    for (size_t i = 0; i < o->p->n_loads; i++) {
        const rf_load *l = &o->p->trace->loads.data[i];
        if (l->base != v->arg[0] || rf_index_form(vals, l->index) != index)
            continue;
        if (l->pass == o->source_pass)
            return moves_across(o, l->pass, s);
        any = true;
        crosses |= moves_across(o, l->pass, s);
    }
    return any ? crosses : moves_across(o, o->source_pass, s);
}

static bool crosses(const rf_val *v, const void *data)
{
    orders *o = (orders *)(uintptr_t)data;
    if (v->kind != RF_VAL_LOAD)
        return false;
    for (size_t i = 0; i < o->p->n_stores; i++) {
        const rf_store *s = &o->p->trace->stores.data[i];
        if (!rf_may_overlap(o->p, v->arg[0], s->base) || !load_crosses(o, v, s))
            continue;
        o->clash = s;
        return true;
    }
    return false;
}

static bool has_counterpart(const orders *o, const rf_red *red)
{
    for (size_t i = 0; i < o->p->counterparts.len; i++)
        if (o->p->counterparts.data[i].source->result->red == red)
            return true;
    return false;
}

/* The loads of "v" itself: results are updates of their own. */
static const rf_val *find_crossing(orders *o, const rf_val *v, unsigned depth)
{
    if (!v || depth > 64)
        return NULL;
    if (crosses(v, o))
        return v;
    const rf_val *found = NULL;
    for (unsigned i = 0; i < v->n && !found; i++)
        found = find_crossing(o, v->arg[i], depth + 1);
    bool is_inner = v->kind == RF_VAL_RESULT && v->red->n_outer &&
                    !has_counterpart(o, v->red);
    if (!found && is_inner)
        found = find_crossing(o, v->red->term, depth + 1);
    return found;
}

static void check(orders *o, const rf_val *v, rf_range at, const char *what)
{
    if (find_crossing(o, v, 0))
        rf_oblige(o->p, "D4", at, RF_UNDECIDED,
                  "%s reads nothing that the stores to '%s' may change", what,
                  rf_store_name(o->p, o->clash));
}

static void check_updates(orders *o)
{
    for (size_t i = 0; i < o->p->counterparts.len; i++) {
        const rf_counterpart *c = &o->p->counterparts.data[i];
        o->source_pass = c->source->pass;
        o->emitted_pass = c->emitted->pass;
        const rf_red *r = c->source->result->red;
        check(o, c->source->next, c->source->at, "a reduction");
        check(o, r->guard, c->source->at, "a reduction");
    }
}

static void check_stores(orders *o)
{
    for (size_t i = 0; i < o->source.len; i++) {
        const rf_cell *s = &o->source.data[i];
        const rf_store *e = counterpart(o, s->last);
        if (!e)
            continue;
        o->source_pass = s->last->pass;
        o->emitted_pass = e->pass;
        if (!s->last->is_result)
            check(o, s->value, s->last->at, "a store");
        for (size_t k = 0; k < i; k++) {
            const rf_store *t = o->source.data[k].last, *f = counterpart(o, t);
            if (f && rf_may_overlap(o->p, t->base, s->last->base) &&
                compare(t->pass, s->last->pass) != compare(f->pass, e->pass))
                rf_oblige(o->p, "D4", s->last->at, RF_UNDECIDED,
                          "stores to '%s' and '%s' keep their order",
                          rf_store_name(o->p, t), rf_store_name(o->p, s->last));
        }
    }
}

/* ---- stores to one object ---- */

/* The stores of one program. */
typedef struct {
    const rf_store *from;
    size_t n;
} program;

/* How stores of one program stand to others of it. */
typedef struct {
    bool before, after; /* one iteration of a shared loop at a time */
    bool shares_loop;
} relation;

/* The stores to the elements of "x" against those of "y". */
static relation relate(const rf_prover *p, program g, const rf_store *x,
                       const rf_store *y)
{
    rf_vals *vals = p->trace->vals;
    relation r = { 0 };
    for (size_t i = 0; i < g.n; i++)
        for (size_t k = 0; k < g.n; k++) {
            const rf_store *s = &g.from[i], *t = &g.from[k];
            if (!rf_same_nest(vals, s, x) || !rf_same_nest(vals, t, y))
                continue;
            r.shares_loop |= s->pass == t->pass && s->n_loops && t->n_loops &&
                             s->loops[0] == t->loops[0];
            r.before |= i < k;
            r.after |= i > k;
        }
    return r;
}

/* Is the order "a" of the source kept as "b", as far as it matters? */
static bool keeps_order(rf_prover *p, relation a, relation b, const rf_store *s,
                        const rf_store *t)
{
    bool is_clear =
        a.before != a.after && a.before == b.before && a.after == b.after;
    if (is_clear && !a.shares_loop && !b.shares_loop)
        return true;
    rf_meeting meeting = rf_stores_meet(p, s, t);
    return meeting == RF_MEET_NEVER || (is_clear && meeting == RF_MEET_IN_STEP);
}

static bool is_same_object(rf_prover *p, const rf_store *s, const rf_store *t)
{
    return s->index && t->index &&
           rf_trace_root(p->trace, s->base) ==
               rf_trace_root(p->trace, t->base) &&
           !rf_same_nest(p->trace->vals, s, t);
}

/* Elements that two nests of stores write keep the value of the later one. */
static void check_objects(rf_prover *p)
{
    const rf_store *all = p->trace->stores.data;
    program source = { all, p->n_stores };
    program emitted = { all + p->n_stores, p->trace->stores.len - p->n_stores };
    for (size_t i = 0; i < source.n && !p->stopped; i++)
        for (size_t k = 0; k < i && !p->stopped; k++) {
            const rf_store *s = &all[i], *t = &all[k];
            if (!is_same_object(p, s, t))
                continue;
            relation a = relate(p, source, s, t);
            relation b = relate(p, emitted, s, t);
            if ((b.before || b.after) && !keeps_order(p, a, b, s, t))
                rf_oblige(p, "D3", s->at, RF_UNDECIDED,
                          "stores to '%s' keep their order",
                          rf_store_name(p, s));
        }
}

/* ---- memory ---- */

static bool same_loops(unsigned n, const rf_loop *const *a, unsigned m,
                       const rf_loop *const *b, const rf_val *index)
{
    for (unsigned i = 0; i < n; i++) {
        bool found = false;
        for (unsigned k = 0; k < m; k++)
            found |= a[i] == b[k];
        if (!found && rf_val_mentions(index, a[i]->index))
            return false;
    }
    return true;
}

static bool is_declared_in(const rf_prover *p, const rf_val *base)
{
    const rf_val *root = rf_trace_root(p->trace, base);
    for (size_t i = 0; i < p->n_own && root->kind == RF_VAL_ENTRY; i++)
        if (p->own[i] == root->var)
            return true;
    return false;
}

static bool source_loads(const rf_prover *p, const rf_load *l)
{
    rf_vals *vals = p->trace->vals;
    const rf_val *index = rf_index_form(vals, l->index);
    for (size_t i = 0; i < p->n_loads; i++) {
        const rf_load *s = &p->trace->loads.data[i];
        if (s->base == l->base && rf_index_form(vals, s->index) == index &&
            same_loops(l->n_loops, l->loops, s->n_loops, s->loops, index))
            return true;
    }
    return false;
}

static bool source_stores(const rf_prover *p, const rf_store *e)
{
    for (size_t i = 0; i < p->n_stores; i++)
        if (rf_same_nest(p->trace->vals, &p->trace->stores.data[i], e))
            return true;
    return false;
}

/* Every element that the emitted code touches is one that the source touches,
 * but for the arrays that it declares itself. */
static void check_memory(rf_prover *p)
{
    for (size_t i = p->n_loads; i < p->trace->loads.len; i++) {
        const rf_load *l = &p->trace->loads.data[i];
        if (!is_declared_in(p, l->base) && !source_loads(p, l))
            rf_oblige(p, "D3", p->task->region->mark.at, RF_UNDECIDED,
                      "the source reads every element of '%s' that is read",
                      rf_base_name(p, l->base));
    }
    for (size_t i = p->n_stores; i < p->trace->stores.len; i++) {
        const rf_store *s = &p->trace->stores.data[i];
        if (!is_declared_in(p, s->base) && !source_stores(p, s))
            rf_oblige(p, "D3", p->task->region->mark.at, RF_UNDECIDED,
                      "the source writes every element of '%s' that is written",
                      rf_base_name(p, s->base));
    }
}

void rf_prove_order(rf_prover *p)
{
    orders o = { .p = p };
    if (p->stopped)
        return;
    rf_list_cells(p, &o.source, &o.emitted);
    check_updates(&o);
    check_stores(&o);
    check_objects(p);
    check_memory(p);
    if (!p->stopped && o.source.len)
        rf_oblige(p, "D4", p->task->region->mark.at, RF_PROVEN,
                  "loads and stores that may meet keep their order");
    RF_CLEAR(o.source);
    RF_CLEAR(o.emitted);
}
