/* Pointers that may overlap (D4): a load may move relative to a store only
 * when the two cannot meet.
 *
 * For every use of a load L by an effect E of the fused program and every
 * store S of the source whose object may be the same: E comes before S, after
 * it, or in the same loop; that relation must be the source's own. */
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
    bool noalias;
    const rf_val *clash;
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

static bool clashes(const check *c, const rf_val *v, const rf_store *s)
{
    const rf_val *a = rf_trace_root(c->p->trace, v->arg[0]);
    const rf_val *b = rf_trace_root(c->p->trace, s->base);
    if (a == b && is_in_place(c, v, s))
        return false;
    if (a != b && rf_base_overlap(a, b, c->noalias) == RF_NO)
        return false;
    int source = source_order(c, v, s);
    return source < 0 || source != target_order(c, s);
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

static const char *root_name(rf_planner *p, const rf_val *base)
{
    const rf_val *r = rf_trace_root(p->trace, base);
    return r->kind == RF_VAL_ENTRY ? r->var->name : "this object";
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
    check c = { .p = p, .e = e, .noalias = p->mark->noalias };
    const rf_val *v = find_clash(&c, e->value);
    if (!v)
        return true;
    rf_plan_refuse(p, RF_DIAG_ALIAS, load_place(p, v, e->source_pass),
                   "not fused: '%s' and '%s' may overlap",
                   root_name(p, v->arg[0]), root_name(p, c.with->base));
    rf_plan_note(p, c.with->at, "'%s' is written here",
                 root_name(p, c.with->base));
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
    return true;
}
