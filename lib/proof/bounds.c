/* Local arrays (D7): no access that the emitted code makes in a loop lies
 * behind the end of an array of its own. Indices and ends that are constants,
 * or counters of loops with constant ends, are looked at; the others are those
 * of the source. */
#include "proof/proving.h"

/* Its elements are those of a row by now; slots.c has looked at it. */
static bool holds_row(const rf_prover *p, const rf_var *array)
{
    for (size_t i = 0; i < p->slots.len; i++)
        if (p->slots.data[i] == array)
            return true;
    return false;
}

/* The largest value of "index"; false: it is not known. */
static bool largest(const rf_val *index, int64_t *most)
{
    int64_t lower, step;
    if (index->kind == RF_VAL_CAST)
        return largest(index->arg[0], most);
    if (index->kind != RF_VAL_INDEX)
        return rf_val_is_int(index, most);
    const rf_loop *l = index->loop;
    if (!rf_val_is_int(l->lower, &lower) || !rf_val_is_int(l->upper, most) ||
        !rf_val_is_int(l->step, &step) || step < 1 || *most < lower)
        return false;
    *most = l->is_inclusive ? *most : *most - 1;
    *most -= (*most - lower) % step;
    return true;
}

static void check(rf_prover *p, const rf_val *base, const rf_val *index)
{
    int64_t most;
    if (!base || base->kind != RF_VAL_ENTRY || !index || p->stopped ||
        base->var->type->kind != RF_TYPE_ARRAY || base->var->type->count < 0 ||
        holds_row(p, base->var) || !largest(index, &most) ||
        most < base->var->type->count)
        return;
    rf_oblige(p, "D7", rf_source_place(p, base->var->name), RF_REFUTED,
              "'%s' has an element %lld", base->var->name, (long long)most);
}

void rf_prove_bounds(rf_prover *p)
{
    const rf_trace *t = p->trace;
    for (size_t i = p->n_stores; i < t->stores.len; i++)
        check(p, t->stores.data[i].base, t->stores.data[i].index);
    for (size_t i = p->n_loads; i < t->loads.len; i++)
        check(p, t->loads.data[i].base, t->loads.data[i].index);
    for (size_t i = p->n_updates; i < t->updates.len; i++) {
        const rf_val *r = t->updates.data[i].result;
        if (r->kind == RF_VAL_RESULT)
            check(p, r->red->base, r->red->index);
    }
}
