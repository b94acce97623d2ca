/* Local arrays (D7): no access that the emitted code makes in a loop lies
 * behind the end of an array of its own. Indices and ends that are constants,
 * or counters of loops with constant ends, are looked at; a counter with
 * another end has to be one by which the source goes through the same array. */
#include "proof/proving.h"

#include <string.h>

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

typedef struct {
    const rf_val *base, *index;
} access;
typedef RF_ARRAY(access) accesses;

static const rf_var *array_of(const access *a)
{
    return a->base && a->base->kind == RF_VAL_ENTRY && a->index &&
                   a->base->var->type->kind == RF_TYPE_ARRAY
               ? a->base->var
               : NULL;
}

/* The source goes through an array of this name, but not by this counter. */
static bool is_foreign(const accesses *source, const rf_var *array,
                       const rf_val *index)
{
    bool any = false;
    for (size_t i = 0; i < source->len; i++) {
        const access *a = &source->data[i];
        if (!array_of(a) || strcmp(array_of(a)->name, array->name))
            continue;
        any = true;
        if (a->index == index)
            return false;
    }
    return any && index->kind == RF_VAL_INDEX && index->loop->is_inclusive;
}

static void check(rf_prover *p, const accesses *source, const access *a)
{
    const rf_var *array = array_of(a);
    int64_t most;
    if (!array || p->stopped || holds_row(p, array))
        return;
    if (array->type->count >= 0 && largest(a->index, &most)) {
        if (most >= array->type->count)
            rf_oblige(p, "D7", rf_source_place(p, array->name), RF_REFUTED,
                      "'%s' has an element %lld", array->name, (long long)most);
    } else if (is_foreign(source, array, a->index)) {
        rf_oblige(p, "D7", rf_source_place(p, array->name), RF_UNDECIDED,
                  "'%s' has the elements that a loop over '%s' uses",
                  array->name, a->index->loop->name);
    }
}

/* Accesses of the source come first in the lists of the trace. */
static void collect(const rf_prover *p, bool of_source, accesses *out)
{
    const rf_trace *t = p->trace;
    size_t s = of_source ? 0 : p->n_stores, l = of_source ? 0 : p->n_loads;
    size_t u = of_source ? 0 : p->n_updates;
    for (; s < (of_source ? p->n_stores : t->stores.len); s++)
        RF_PUSH(*out,
                (access){ t->stores.data[s].base, t->stores.data[s].index });
    for (; l < (of_source ? p->n_loads : t->loads.len); l++)
        RF_PUSH(*out,
                (access){ t->loads.data[l].base, t->loads.data[l].index });
    for (; u < (of_source ? p->n_updates : t->updates.len); u++) {
        const rf_val *r = t->updates.data[u].result;
        if (r->kind == RF_VAL_RESULT)
            RF_PUSH(*out, (access){ r->red->base, r->red->index });
    }
}

void rf_prove_bounds(rf_prover *p)
{
    accesses source = { 0 }, emitted = { 0 };
    collect(p, true, &source);
    collect(p, false, &emitted);
    for (size_t i = 0; i < emitted.len; i++)
        check(p, &source, &emitted.data[i]);
    RF_CLEAR(source);
    RF_CLEAR(emitted);
}
