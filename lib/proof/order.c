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

/* Does load "v", moved from its pass to another, cross a store? */
static bool crosses(const rf_val *v, const void *data)
{
    orders *o = (orders *)(uintptr_t)data;
    if (v->kind != RF_VAL_LOAD)
        return false;
    for (size_t i = 0; i < o->source.len; i++) {
        const rf_store *s = o->source.data[i].last;
        const rf_store *e = counterpart(o, s);
        if (!e || !rf_may_overlap(o->p, v->arg[0], s->base) ||
            compare(o->source_pass, s->pass) ==
                compare(o->emitted_pass, e->pass))
            continue;
        o->clash = s;
        return true;
    }
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
    bool is_inner = v->kind == RF_VAL_RESULT && v->red->n_outer;
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

void rf_prove_order(rf_prover *p)
{
    orders o = { .p = p };
    if (p->stopped)
        return;
    rf_list_cells(p, &o.source, &o.emitted);
    check_updates(&o);
    check_stores(&o);
    if (!p->stopped && o.source.len)
        rf_oblige(p, "D4", p->task->region->mark.at, RF_PROVEN,
                  "loads and stores that may meet keep their order");
    RF_CLEAR(o.source);
    RF_CLEAR(o.emitted);
}
