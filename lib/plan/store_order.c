/* Stores to one object (D3): elements that two of them write keep the value
 * of the later one. With s before t in the source,
 *
 *     as in the source               they may meet anywhere
 *     loops fused, or one loop cut   they meet in one iteration at most
 *     all t, then all s              they never meet
 *
 * A store that would come too early waits for the other one. Objects that may
 * overlap are compared in aliases.c. */
#include "depend/depend.h"
#include "plan/planning.h"

typedef enum { KEPT, TOGETHER, TURNED } arrangement;

static unsigned position_of(const rf_placed_store *s)
{
    return s->in_pass ? 2 * s->pass + 1 : 2 * s->pass;
}

static bool share_loop(const rf_store *s, const rf_store *t)
{
    return s->n_loops && t->n_loops && s->loops[0] == t->loops[0];
}

/* How the plan runs "s" and "t", which the source runs in this order. */
static arrangement arrange(const rf_placed_store *s, const rf_placed_store *t)
{
    unsigned a = position_of(s), b = position_of(t);
    if (a > b || (a == b && s > t))
        return TURNED;
    bool was_one =
        share_loop(s->store, t->store) && s->store->pass == t->store->pass;
    bool is_one = a == b && share_loop(s->store, t->store);
    return was_one != is_one ? TOGETHER : KEPT;
}

/* Do "s" and "t" meet where the plan does not keep their order? */
static bool may_spoil(rf_planner *p, rf_depend *d, const rf_placed_store *s,
                      const rf_placed_store *t)
{
    const rf_store *x = s->store, *y = t->store;
    if (rf_trace_root(p->trace, x->base) != rf_trace_root(p->trace, y->base))
        return false;
    arrangement how = arrange(s, t);
    if (how == KEPT)
        return false;
    rf_access a = { { x->n_loops, x->loops, x->guard }, x->base, x->index };
    rf_access b = { { y->n_loops, y->loops, y->guard }, y->base, y->index };
    rf_index_relation r = rf_access_compare(d, &a, &b, NULL);
    return r != RF_INDEX_NEVER && (how == TURNED || r != RF_INDEX_SAME);
}

/* Let "t" wait until "s" is done; false if it cannot. */
static bool postpone(rf_planner *p, const rf_placed_store *s,
                     rf_placed_store *t)
{
    if (p->plan->resident || t->store->is_result || s > t ||
        s->store->pass == t->store->pass)
        return false;
    rf_placed_store later = *t;
    later.pass = s->pass + s->in_pass;
    later.in_pass = false;
    if (position_of(&later) <= position_of(t))
        return false;
    *t = later;
    return true;
}

static void refuse(rf_planner *p, const rf_store *s, const rf_store *t)
{
    rf_plan_refuse(p, RF_DIAG_ORDER, t->at,
                   "not fused: this may overwrite what another store of the "
                   "region writes, and would run before it");
    rf_plan_note(p, s->at, "it is written here first");
}

/* The earliest store that is spoilt and the one that spoils it; false: none. */
static bool find_spoilt(rf_planner *p, rf_depend *d, rf_placed_store **first,
                        rf_placed_store **second)
{
    rf_placed_store *s = p->plan->stores.data;
    size_t n = p->plan->stores.len;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            if (s[i].id < s[k].id && may_spoil(p, d, &s[i], &s[k])) {
                *first = &s[i];
                *second = &s[k];
                return true;
            }
    return false;
}

bool rf_plan_store_order(rf_planner *p)
{
    rf_depend *d = rf_depend_new(p->arena);
    rf_placed_store *s, *t;
    rf_plan_facts(p, d);
    while (!p->refused && find_spoilt(p, d, &s, &t))
        if (!postpone(p, s, t))
            refuse(p, s->store, t->store);
    rf_depend_free(d);
    return !p->refused;
}
