/* Recurrences that stay as they are: the emitted update is the source's, step
 * for step and in the same order, with corresponding running values. */
#include "proof/proving.h"

typedef struct {
    RF_ARRAY(const rf_val *) from; /* of the source */
    RF_ARRAY(const rf_val *) to;   /* of the emitted code */
} pairs;

static void add_pair(pairs *list, const rf_val *from, const rf_val *to)
{
    RF_PUSH(list->from, from);
    RF_PUSH(list->to, to);
}

static void pair_shared(rf_prover *p, pairs *list)
{
    for (size_t i = 0; i < p->n_updates; i++)
        for (size_t k = 0; k < p->acc.len; k++) {
            const rf_update *u = &p->trace->updates.data[i];
            const rf_update *e = p->acc.data[k].update;
            if (u->result != e->result)
                continue;
            RF_PUSH(p->counterparts, (rf_counterpart){ u, e });
            if (u->phi->loop == e->phi->loop)
                add_pair(list, u->phi, e->phi);
        }
}

/* Is "u" of the source what "a" does, given the pairs so far? */
static bool corresponds(rf_prover *p, const pairs *list, const rf_update *u,
                        const rf_accumulator *a)
{
    const rf_red *r = u->result->red;
    if (a->is_same || a->red->op != RF_REDUCE_FOLD || r == a->red ||
        r->op != RF_REDUCE_FOLD || u->phi->loop != a->update->phi->loop ||
        r->team || a->red->team || r->n_outer || r->n_free || a->red->n_free ||
        r->path != a->red->path ||
        rf_in_scene(p, r->init) != rf_in_scene(p, a->red->init))
        return false;
    pairs with = { 0 };
    for (size_t i = 0; i < list->from.len; i++)
        add_pair(&with, list->from.data[i], list->to.data[i]);
    add_pair(&with, u->phi, a->update->phi);
    const rf_val *next =
        rf_val_subst(p->trace->vals, u->next, (unsigned)with.from.len,
                     with.from.data, with.to.data);
    bool same = rf_in_scene(p, next) == rf_in_scene(p, a->update->next);
    RF_CLEAR(with.from);
    RF_CLEAR(with.to);
    return same;
}

static bool match_any(rf_prover *p, pairs *list, rf_accumulator *a)
{
    for (size_t i = 0; i < p->n_updates; i++) {
        const rf_update *u = &p->trace->updates.data[i];
        if (u->result->kind != RF_VAL_RESULT || !corresponds(p, list, u, a))
            continue;
        a->is_same = true;
        rf_reals_bind(p->reals, u->result, a->final);
        add_pair(list, u->phi, a->update->phi);
        RF_PUSH(p->counterparts, (rf_counterpart){ u, a->update });
        rf_oblige(p, "T-1", u->at, RF_PROVEN, "'%s' is the source's recurrence",
                  a->name);
        return true;
    }
    return false;
}

void rf_match_recurrences(rf_prover *p)
{
    pairs list = { 0 };
    pair_shared(p, &list);
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < p->acc.len; i++)
            found |= match_any(p, &list, &p->acc.data[i]);
    }
    RF_CLEAR(list.from);
    RF_CLEAR(list.to);
}
