/* Pointers that may overlap (D4): a load may move relative to a store only
 * when the two cannot meet.
 *
 * For every use of a load L by an effect E of the fused program and every
 * store S of the source whose object may be the same: E comes before S, after
 * it, or in the same loop; that relation must be the source's own. Where it is
 * not, the two objects must be apart: as different objects, by __restrict__, by
 * assume(noalias), or because the emitted code tests it (overlap.c). */
#include "depend/depend.h"
#include "plan/planning.h"

typedef enum { BEFORE, SAME, AFTER } order;

/* Something that evaluates loads: a member's step or a store. */
typedef struct {
    const rf_val *value; /* NULL-terminated list is not needed: one by one */
    unsigned source_pass;
    unsigned position; /* 2 * pass inside pass, 2 * pass - 1 before it */
    unsigned order;    /* within the loop: members first, then stores */
    const rf_store *store;
} effect;

typedef struct {
    rf_planner *p;
    const effect *e;
    const rf_store *with;
} check;

static order compare(unsigned a, unsigned b)
{
    return a < b ? BEFORE : a > b ? AFTER : SAME;
}

static unsigned position_of(const rf_placed_store *s)
{
    return s->in_pass ? 2 * s->pass + 1 : 2 * s->pass;
}

static const rf_placed_store *placed(const rf_plan *plan, const rf_store *s)
{
    for (size_t i = 0; i < plan->stores.len; i++)
        if (plan->stores.data[i].id == s->id)
            return &plan->stores.data[i];
    return NULL;
}

/* How the source orders load "v", as "e" uses it, and store "s". -1: the
 * evaluations disagree. */
static int source_order(const check *c, const rf_val *v, const rf_store *s)
{
    const rf_trace *t = c->p->trace;
    int found = -2;
    for (int own = 1; own >= 0 && found == -2; own--)
        for (size_t i = 0; i < t->loads.len; i++) {
            const rf_load *l = &t->loads.data[i];
            if (l->base != v->arg[0] || l->index != v->arg[1] ||
                (own && l->pass != c->e->source_pass))
                continue;
            int o = (int)compare(l->pass, s->pass);
            if (o == SAME && !s->n_loops)
                o = l->n_stores > s->id ? AFTER : BEFORE;
            if (found != -2 && found != o)
                return -1;
            found = o;
        }
    return found == -2 ? -1 : found;
}

static int target_order(const check *c, const rf_store *s)
{
    const rf_placed_store *at = placed(c->p->plan, s);
    if (!at)
        return BEFORE; /* a store that vanished must not have mattered */
    if ((c->e->store && c->e->store->id == s->id))
        return SAME;
    return (int)compare(c->e->position, position_of(at));
}

/* Same object: the element that this iteration stores is read before. */
static bool is_in_place(const check *c, const rf_val *v, const rf_store *s)
{
    const rf_placed_store *at = placed(c->p->plan, s);
    if (v->arg[0] != s->base || v->arg[1] != s->index)
        return false;
    if (!at || (c->e->store && c->e->store->id == s->id))
        return true;
    int o = (int)compare(c->e->position, position_of(at));
    return o == BEFORE ||
           (o == SAME && (!c->e->store || c->e->store->id < s->id));
}

/* ---- objects apart ---- */

static bool is_known_apart(const rf_plan *plan, const rf_val *a,
                           const rf_val *b)
{
    for (size_t i = 0; i < plan->apart.len; i++) {
        const rf_apart *x = &plan->apart.data[i];
        if ((x->a == a && x->b == b) || (x->a == b && x->b == a))
            return true;
    }
    return false;
}

/* False: they may overlap, and nothing can be done about it. */
static bool set_apart(rf_planner *p, rf_apart *x)
{
    bool restricts =
        (x->a->kind == RF_VAL_ENTRY && x->a->var->type->is_restrict) ||
        (x->b->kind == RF_VAL_ENTRY && x->b->var->type->is_restrict);
    if (is_known_apart(p->plan, x->a, x->b))
        return true;
    if (rf_base_overlap(x->a, x->b, false) == RF_NO)
        x->why = restricts ? RF_APART_RESTRICT : RF_APART_OBJECTS;
    else if (rf_base_overlap(x->a, x->b, p->mark->noalias) == RF_NO)
        x->why = RF_APART_ASSUMED;
    else if (p->may_test && x->a != x->b)
        x->why = RF_APART_TESTED;
    else
        return false;
    RF_PUSH(p->plan->apart, *x);
    return true;
}

static rf_range load_place(rf_planner *p, const rf_val *v, unsigned pass)
{
    rf_range at = p->plan->block->at;
    for (size_t i = p->trace->loads.len; i-- > 0;) {
        const rf_load *l = &p->trace->loads.data[i];
        if (l->base != v->arg[0] || l->index != v->arg[1])
            continue;
        at = l->at;
        if (l->pass == pass)
            break;
    }
    return at;
}

static bool clashes(const check *c, const rf_val *v, const rf_store *s)
{
    const rf_val *a = rf_trace_root(c->p->trace, v->arg[0]);
    const rf_val *b = rf_trace_root(c->p->trace, s->base);
    if (a == b && is_in_place(c, v, s))
        return false;
    int source = source_order(c, v, s);
    if (source >= 0 && source == target_order(c, s))
        return false;
    rf_apart apart = { .a = a,
                       .b = b,
                       .load = load_place(c->p, v, c->e->source_pass),
                       .store = s->at };
    return a == b || !set_apart(c->p, &apart);
}

static bool is_clash(const rf_val *v, const void *data)
{
    check *c = (check *)(uintptr_t)data;
    if (v->kind != RF_VAL_LOAD || v->version == RF_VERSION_KEPT)
        return false;
    for (size_t i = 0; i < c->p->trace->stores.len; i++) {
        const rf_store *s = &c->p->trace->stores.data[i];
        if (!clashes(c, v, s))
            continue;
        c->with = s;
        return true;
    }
    return false;
}

const char *rf_plan_object_name(const rf_val *root)
{
    return root->kind == RF_VAL_ENTRY ? root->var->name : "this object";
}

const char *rf_apart_words(rf_apart_why why)
{
    return why == RF_APART_OBJECTS    ? "they are different objects"
           : why == RF_APART_RESTRICT ? "__restrict__ says so"
           : why == RF_APART_ASSUMED  ? "assume(noalias) says so"
                                      : "where they do, the source runs";
}

static const char *name_of(rf_planner *p, const rf_val *base)
{
    return rf_plan_object_name(rf_trace_root(p->trace, base));
}

/* The first load that clashes in "v" itself, not in the members whose results
 * it uses: those are effects of their own. */
static const rf_val *find_clash(check *c, const rf_val *v)
{
    const rf_val *found = NULL;
    if (!v || rf_plan_member_of(c->p->plan, v))
        return NULL;
    if (is_clash(v, c))
        return v;
    for (unsigned i = 0; i < v->n && !found; i++)
        found = find_clash(c, v->arg[i]);
    if (!found && v->kind == RF_VAL_RESULT) {
        found = find_clash(c, v->red->term);
        found = found ? found : find_clash(c, v->red->init);
        found = found ? found : find_clash(c, v->red->guard);
    }
    return found;
}

static bool check_effect(rf_planner *p, const effect *e)
{
    check c = { .p = p, .e = e };
    const rf_val *v = find_clash(&c, e->value);
    if (!v)
        return true;
    rf_plan_refuse(p, RF_DIAG_ALIAS, load_place(p, v, e->source_pass),
                   "not fused: '%s' and '%s' may overlap",
                   name_of(p, v->arg[0]), name_of(p, c.with->base));
    rf_plan_note(p, c.with->at, "'%s' is written here",
                 name_of(p, c.with->base));
    return false;
}

static bool check_member(rf_planner *p, const rf_member *m)
{
    const rf_val *parts[] = { m->term, m->guard };
    for (size_t i = 0; i < RF_COUNTOF(parts); i++) {
        effect e = { .value = parts[i],
                     .source_pass = m->red->pass,
                     .position = 2 * m->pass + 1 };
        if (!check_effect(p, &e))
            return false;
    }
    return true;
}

static bool check_store(rf_planner *p, const rf_placed_store *s)
{
    const rf_val *parts[] = { s->store->value, s->store->guard,
                              s->store->index };
    if (s->store->is_result)
        return true; /* its members are checked */
    for (size_t i = 0; i < RF_COUNTOF(parts); i++) {
        effect e = { .value = parts[i],
                     .source_pass = s->store->pass,
                     .position = position_of(s),
                     .store = s->store };
        if (!check_effect(p, &e))
            return false;
    }
    return true;
}

bool rf_plan_aliases(rf_planner *p)
{
    for (size_t i = 0; i < p->plan->members.len; i++)
        if (!check_member(p, p->plan->members.data[i]))
            return false;
    for (size_t i = 0; i < p->plan->stores.len; i++)
        if (!check_store(p, &p->plan->stores.data[i]))
            return false;
    return rf_plan_overlap_tests(p);
}
