/* The stores of a chain (D3, D4): those over (m, n) run when P is complete,
 * those over (m, l) when E is. A store to an array of the function's own that
 * only carried the intermediate vanishes. What the chain reads must not
 * overlap what it writes, but for the element that the same thread is about
 * to replace. */
#include "depend/depend.h"
#include "plan/chaining.h"
#include "plan/plan.h"

/* ---- which stores remain ---- */

static const rf_val *root_of(rf_chaining *c, const rf_val *base)
{
    return rf_trace_root(c->trace, base);
}

static bool is_own_array(rf_chaining *c, const rf_store *s)
{
    const rf_val *root = root_of(c, s->base);
    return root->kind == RF_VAL_ENTRY && root->var->storage == RF_VAR_LOCAL &&
           root->var->type->kind == RF_TYPE_ARRAY && !root->var->is_static;
}

static bool is_needed_later(rf_chaining *c, const rf_store *s)
{
    return rf_needed_after(c->chain->func, c->chain->block, c->chain->last,
                           root_of(c, s->base)->var);
}

static bool same_loops(const rf_store *a, const rf_store *b)
{
    if (a->n_loops != b->n_loops)
        return false;
    for (unsigned i = 0; i < a->n_loops; i++)
        if (a->loops[i] != b->loops[i])
            return false;
    return true;
}

static bool is_overwritten(rf_chaining *c, size_t i)
{
    const rf_store *s = &c->trace->stores.data[i];
    for (size_t k = i + 1; k < c->trace->stores.len; k++) {
        const rf_store *o = &c->trace->stores.data[k];
        if (o->base == s->base && o->index == s->index && !o->guard &&
            same_loops(o, s))
            return true;
    }
    return false;
}

/* ---- when they run ---- */

static unsigned count_rows(const rf_chain *ch, const rf_store *s, bool *known)
{
    unsigned n = 0;
    for (unsigned i = 0; i < s->n_loops; i++) {
        bool row = s->loops[i] == ch->m;
        for (size_t k = 0; k < ch->batch.len; k++)
            row |= s->loops[i] == ch->batch.data[k];
        for (size_t k = 0; k < ch->folded.len; k++)
            row |= s->loops[i] == ch->folded.data[k];
        n += row;
        *known &= row || s->loops[i] == ch->n || s->loops[i] == ch->l;
    }
    return n;
}

static bool runs_over(const rf_store *s, const rf_loop *loop)
{
    for (unsigned i = 0; i < s->n_loops; i++)
        if (s->loops[i] == loop)
            return true;
    return false;
}

static bool place_store(rf_chaining *c, const rf_store *s)
{
    rf_chain *ch = c->chain;
    bool known = true;
    unsigned rows = count_rows(ch, s, &known);
    bool all = known &&
               rows == ch->batch.len + ch->folded.len + (ch->m != NULL) &&
               s->n_loops == rows + 1;
    if (all && runs_over(s, ch->l)) {
        RF_PUSH(ch->late, s);
        return true;
    }
    if (all && runs_over(s, ch->n)) {
        RF_PUSH(ch->early, s);
        return true;
    }
    return rf_chain_refuse(c, RF_DIAG_ESCAPE, s->at,
                           "this store is neither over the intermediate nor "
                           "over the result of the chain");
}

/* ---- what they use ---- */

typedef struct {
    const rf_chain *chain;
    bool late;
} use_query;

/* A result that is not at hand where the store runs. */
static bool is_foreign(const rf_val *v, const void *data)
{
    const use_query *q = data;
    const rf_chain *ch = q->chain;
    if (v->kind == RF_VAL_RESULT && v->red == ch->second)
        return !q->late || v != ch->second->result;
    if (v->kind != RF_VAL_RESULT)
        return false;
    for (size_t i = 0; i < ch->firsts.len; i++)
        if (v->red == ch->firsts.data[i])
            return q->late || v != v->red->result;
    return rf_chain_result_in(ch, v->red->term) != NULL;
}

/* As rf_val_find, but it does not look into the sums of the chain. */
static const rf_val *find_foreign(const use_query *q, const rf_val *v)
{
    if (!v)
        return NULL;
    if (is_foreign(v, q))
        return v;
    for (unsigned i = 0; i < v->n; i++) {
        const rf_val *found = find_foreign(q, v->arg[i]);
        if (found)
            return found;
    }
    return NULL;
}

static bool check_uses(rf_chaining *c, const rf_store *s, bool late)
{
    use_query q = { .chain = c->chain, .late = late };
    const rf_val *v = find_foreign(&q, s->value);
    v = v ? v : find_foreign(&q, s->guard);
    if (!v)
        return true;
    rf_chain_refuse(c, RF_DIAG_ESCAPE, s->at,
                    "the intermediate is used outside the second product");
    rf_chain_note(c, v->red->at, "it is computed here");
    return false;
}

static bool is_stale(const rf_val *v, const void *data)
{
    (void)data;
    return v->kind == RF_VAL_LOAD && v->version > 0;
}

static bool is_undefined(const rf_val *v, const void *data)
{
    (void)data;
    return v->kind == RF_VAL_PHI || v->kind == RF_VAL_CELL ||
           v->kind == RF_VAL_LAST || v->kind == RF_VAL_UNKNOWN;
}

static bool check_value(rf_chaining *c, const rf_val *v, rf_range at)
{
    if (!v)
        return true;
    const rf_val *old = rf_val_find(v, is_stale, NULL);
    if (old) {
        rf_chain_refuse(c, RF_DIAG_LOOP_MISMATCH, at,
                        "an element read here may have been written by an "
                        "earlier loop in another iteration");
        for (size_t i = 0; i < c->trace->stores.len; i++)
            if (c->trace->stores.data[i].id + 1 == old->version)
                rf_chain_note(c, c->trace->stores.data[i].at,
                              "it may be written here");
        return false;
    }
    if (rf_val_find(v, is_undefined, NULL))
        return rf_chain_refuse(c, RF_DIAG_CARRIED, at,
                               "a value used here depends on the iteration "
                               "before");
    return true;
}

/* ---- overlap ---- */

static bool is_late(const rf_chain *ch, const rf_store *s)
{
    for (size_t i = 0; i < ch->late.len; i++)
        if (ch->late.data[i] == s)
            return true;
    return false;
}

/* The element that the thread itself replaces, once. */
static bool is_in_place(rf_chaining *c, const rf_load *l, const rf_store *s)
{
    return is_late(c->chain, s) && l->base == s->base && l->index == s->index;
}

static const char *name_of(rf_chaining *c, const rf_val *base)
{
    const rf_val *root = root_of(c, base);
    return root->kind == RF_VAL_ENTRY ? root->var->name : "this object";
}

static bool check_pair(rf_chaining *c, const rf_load *l, const rf_store *s)
{
    const rf_val *a = root_of(c, l->base), *b = root_of(c, s->base);
    bool apart =
        a != b && rf_base_overlap(a, b, c->chain->mark->noalias) == RF_NO;
    if (apart || (a == b && is_in_place(c, l, s)))
        return true;
    rf_chain_refuse(c, RF_DIAG_ALIAS, l->at, "'%s' and '%s' may overlap",
                    name_of(c, l->base), name_of(c, s->base));
    rf_chain_note(c, s->at, "'%s' is written here", name_of(c, s->base));
    return false;
}

static bool check_overlap(rf_chaining *c, const rf_store *s)
{
    for (size_t i = 0; i < c->trace->loads.len; i++) {
        const rf_load *l = &c->trace->loads.data[i];
        if (l->value->kind == RF_VAL_LOAD && !check_pair(c, l, s))
            return false;
    }
    return true;
}

/* Two visible stores: distinct objects, or the order would matter. */
static bool check_writes(rf_chaining *c, const rf_store *a, const rf_store *b)
{
    const rf_val *x = root_of(c, a->base), *y = root_of(c, b->base);
    if (x != y && rf_base_overlap(x, y, c->chain->mark->noalias) == RF_NO)
        return true;
    rf_chain_refuse(c, RF_DIAG_ALIAS, b->at, "'%s' and '%s' may overlap",
                    name_of(c, a->base), name_of(c, b->base));
    rf_chain_note(c, a->at, "'%s' is written here", name_of(c, a->base));
    return false;
}

/* Blocks share the rows out: no two of them may write one element. */
static bool check_injective(rf_chaining *c, const rf_store *s)
{
    rf_depend *d = rf_depend_new(c->arena);
    rf_access a = { .nest = { .n = s->n_loops, .loops = s->loops },
                    .base = s->base,
                    .index = s->index };
    bool ok = rf_access_injective(d, &a, NULL) == RF_YES;
    rf_depend_free(d);
    if (ok)
        return true;
    return rf_chain_refuse(c, RF_DIAG_RACE, s->at,
                           "two iterations may write one element of '%s'",
                           name_of(c, s->base));
}

/* ---- running sums in the result ---- */

static bool is_load_from(const rf_val *v, const void *base)
{
    return v->kind == RF_VAL_LOAD && v->arg[0] == base;
}

/* As rf_val_find, but it does not look into the second product. */
static bool reads_outside(const rf_chain *ch, const rf_val *v,
                          const rf_val *base)
{
    if (!v || (v->kind == RF_VAL_RESULT && v->red == ch->second))
        return false;
    if (is_load_from(v, base))
        return true;
    for (unsigned i = 0; i < v->n; i++)
        if (reads_outside(ch, v->arg[i], base))
            return true;
    return v->kind == RF_VAL_RESULT &&
           rf_val_find(v->red->term, is_load_from, base);
}

bool rf_chain_sums_fit_result(const rf_chain *ch)
{
    if (ch->late.len != 1)
        return false;
    const rf_store *s = ch->late.data[0];
    return !s->guard && s->type && rf_type_same(s->type, ch->second->type) &&
           !reads_outside(ch, s->value, s->base);
}

/* ---- the whole ---- */

static bool check_store(rf_chaining *c, const rf_store *s, bool late)
{
    return check_uses(c, s, late) && check_value(c, s->value, s->at) &&
           check_value(c, s->guard, s->at) && check_value(c, s->index, s->at) &&
           check_overlap(c, s) && check_injective(c, s);
}

static bool check_all(rf_chaining *c)
{
    rf_chain *ch = c->chain;
    RF_ARRAY(const rf_store *) all = { 0 };
    bool ok = true;
    for (size_t i = 0; i < ch->early.len && ok; i++) {
        ok = check_store(c, ch->early.data[i], false);
        RF_PUSH(all, ch->early.data[i]);
    }
    for (size_t i = 0; i < ch->late.len && ok; i++) {
        ok = check_store(c, ch->late.data[i], true);
        RF_PUSH(all, ch->late.data[i]);
    }
    for (size_t i = 0; i < all.len && ok; i++)
        for (size_t k = i + 1; k < all.len && ok; k++)
            ok = check_writes(c, all.data[i], all.data[k]);
    RF_CLEAR(all);
    return ok;
}

bool rf_chain_stores(rf_chaining *c)
{
    rf_chain *ch = c->chain;
    for (size_t i = 0; i < c->trace->stores.len; i++) {
        const rf_store *s = &c->trace->stores.data[i];
        if (is_overwritten(c, i) ||
            (is_own_array(c, s) && !is_needed_later(c, s)))
            continue;
        if (!place_store(c, s))
            return false;
    }
    if (!ch->late.len)
        return rf_chain_refuse(c, RF_DIAG_UNSUPPORTED, ch->second->at,
                               "the result of the chain is not stored");
    return check_value(c, ch->second->result, ch->second->at) && check_all(c);
}
