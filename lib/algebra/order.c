/* The distinct nodes of expressions, operands before their node: what an
 * evaluation walks through. Found by address in an open hash table. */
#include "algebra/internal.h"

#include <stdlib.h>
#include <string.h>

static size_t hash(const rf_sym *e)
{
    uint64_t h = e->id * 0x9e3779b97f4a7c15u;
    return (size_t)(h ^ (h >> 32));
}

/* The slot of "e": holds its index + 1, or 0. */
static unsigned *slot_of(const rf_order *o, const rf_sym *e)
{
    size_t i = hash(e) & (o->cap - 1);
    while (o->slot[i] && o->nodes.data[o->slot[i] - 1] != e)
        i = (i + 1) & (o->cap - 1);
    return &o->slot[i];
}

static void grow(rf_order *o)
{
    free(o->slot);
    o->cap *= 2;
    o->slot = calloc(o->cap, sizeof *o->slot);
    for (size_t i = 0; i < o->nodes.len; i++)
        *slot_of(o, o->nodes.data[i]) = i + 1;
}

void rf_order_init(rf_order *o)
{
    *o = (rf_order){ .cap = 64 };
    o->slot = calloc(o->cap, sizeof *o->slot);
}

void rf_order_clear(rf_order *o)
{
    RF_CLEAR(o->nodes);
    free(o->slot);
}

void rf_order_add(rf_order *o, const rf_sym *e)
{
    if (*slot_of(o, e))
        return;
    for (unsigned i = 0; i < e->n; i++)
        rf_order_add(o, e->arg[i]);
    if (2 * (o->nodes.len + 1) > o->cap)
        grow(o);
    RF_PUSH(o->nodes, e);
    *slot_of(o, e) = o->nodes.len;
}

unsigned rf_order_index(const rf_order *o, const rf_sym *e)
{
    return *slot_of(o, e) - 1;
}
