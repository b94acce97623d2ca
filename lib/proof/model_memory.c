/* Memory of the model. An array is a table of the elements that were touched;
 * an element of an argument that nobody stored has the value h(array, number).
 *
 * Two accesses of one element by different threads, one of them a store, need
 * a barrier in between: of the block if both threads are of one block, of the
 * cluster if they are of one cluster; threads of two clusters never meet. */
#include "proof/model.h"

#include <stdlib.h>
#include <string.h>

static void stop(rf_model *m, rf_range at, const char *why, bool unsupported)
{
    if (m->stopped)
        return;
    m->stopped = true;
    m->unsupported = unsupported;
    m->why = why;
    m->at = at;
}

void rf_model_stop(rf_model *m, rf_range at, const char *why)
{
    stop(m, at, why, false);
}

void rf_model_give_up(rf_model *m, rf_range at, const char *why)
{
    stop(m, at, why, true);
}

/* ---- objects ---- */

const rf_type *rf_model_leaf(const rf_type *t)
{
    while (t && t->kind == RF_TYPE_ARRAY)
        t = t->elem;
    return t;
}

int64_t rf_model_leaves(const rf_type *t)
{
    int64_t n = 1;
    for (; t && t->kind == RF_TYPE_ARRAY; t = t->elem)
        n *= t->count;
    return n;
}

rf_object *rf_model_object(rf_model *m, const rf_var *var, int owner,
                           const char *name, const rf_type *leaf, int64_t size)
{
    for (rf_object *o = m->objects; o; o = o->next)
        if (o->owner == owner && (var ? o->var == var : !strcmp(o->name, name)))
            return o;
    rf_object *o = RF_NEW(m->arena, rf_object);
    *o = (rf_object){ .name = name,
                      .type = leaf,
                      .var = var,
                      .owner = owner,
                      .size = size,
                      .next = m->objects };
    m->objects = o;
    return o;
}

void rf_model_forget(rf_object *o)
{
    free(o->elements);
    o->elements = NULL;
    o->n_used = o->cap = 0;
}

void rf_model_free(rf_model *m)
{
    for (rf_object *o = m->objects; o; o = o->next)
        rf_model_forget(o);
}

int rf_model_lane_number(const rf_model *m, int lane)
{
    int block = m->first_block[1] * m->grid[0] + m->first_block[0];
    return block * m->block + lane;
}

void *rf_model_table(rf_model *m, void *old, size_t *n, unsigned number)
{
    if (number < *n)
        return old;
    void **more = RF_NEW_ARRAY(m->arena, number + 64, void *);
    if (*n)
        memcpy(more, old, *n * sizeof *more);
    *n = number + 64;
    return more;
}

/* Where the object that "lane" sees as "var" is remembered. */
static rf_object **seen(rf_model *m, const rf_var *var, int lane)
{
    m->arrays = rf_model_table(m, m->arrays, &m->n_arrays, var->id);
    rf_object **list = m->arrays[var->id];
    if (!list) {
        list = RF_NEW_ARRAY(m->arena, RF_MODEL_LANES, rf_object *);
        m->arrays[var->id] = list;
    }
    return &list[lane];
}

rf_object *rf_model_array(rf_model *m, const rf_var *var, int lane)
{
    bool outside =
        var->storage == RF_VAR_GLOBAL || var->storage == RF_VAR_CONSTANT;
    int number = rf_model_lane_number(m, lane);
    int owner = outside                         ? -1
                : var->storage == RF_VAR_SHARED ? number / m->block
                                                : number;
    rf_object **known = seen(m, var, lane);
    if (*known && (*known)->owner == owner)
        return *known;
    int64_t size = rf_model_leaves(var->type);
    rf_object *o =
        rf_model_object(m, outside ? NULL : var, owner, var->name,
                        rf_model_leaf(var->type), size > 0 ? size : -1);
    o->shared = outside || var->storage == RF_VAR_SHARED;
    o->given = outside;
    return *known = o;
}

/* ---- elements ---- */

static size_t slot_of(const rf_object *o, int64_t at)
{
    uint64_t h = (uint64_t)at * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t)(h >> 20) & (o->cap - 1);
    while (o->elements[i].used && o->elements[i].at != at)
        i = (i + 1) & (o->cap - 1);
    return i;
}

static void grow(rf_object *o)
{
    rf_object old = *o;
    o->cap = o->cap ? 2 * o->cap : 32;
    o->elements = calloc(o->cap, sizeof(rf_element));
    if (!o->elements)
        abort();
    for (size_t i = 0; i < old.cap; i++)
        if (old.elements[i].used)
            o->elements[slot_of(o, old.elements[i].at)] = old.elements[i];
    free(old.elements);
}

static rf_cell first_value(const rf_model *m, const rf_object *o, int64_t at)
{
    if (!o->given)
        return (rf_cell){ .kind = RF_CELL_NONE };
    uint64_t h = rf_model_hash(m, o->name, (uint64_t)at, 7);
    rf_cell c = rf_model_real(h);
    if (o->type->kind == RF_TYPE_INT || o->type->kind == RF_TYPE_BOOL) {
        c = rf_model_int((int64_t)(h >> 8));
        return rf_model_convert(m, &c, NULL, o->type);
    }
    return c;
}

static rf_element *element_of(rf_model *m, rf_object *o, int64_t at)
{
    if (2 * (o->n_used + 1) > o->cap)
        grow(o);
    rf_element *e = &o->elements[slot_of(o, at)];
    if (e->used)
        return e;
    *e = (rf_element){ .at = at,
                       .used = true,
                       .value = first_value(m, o, at),
                       .writer = { .lane = -1 },
                       .reader = { .lane = -1 },
                       .other_reader = { .lane = -1 } };
    o->n_used++;
    return e;
}

/* ---- who else was here ---- */

static rf_touch now(const rf_model *m, int lane)
{
    return (rf_touch){ .lane = rf_model_lane_number(m, lane),
                       .block_epoch = m->block_epoch[lane / m->block],
                       .cluster_epoch = m->cluster_epoch };
}

/* Can "a" happen at the same time as the later "b"? */
static bool may_meet(const rf_model *m, const rf_touch *a, const rf_touch *b)
{
    if (a->lane < 0 || a->lane == b->lane)
        return false;
    int block_a = a->lane / m->block, block_b = b->lane / m->block;
    if (block_a == block_b)
        return a->block_epoch == b->block_epoch &&
               a->cluster_epoch == b->cluster_epoch;
    bool together = block_a / m->cluster == block_b / m->cluster;
    return !together || a->cluster_epoch == b->cluster_epoch;
}

static bool is_valid(rf_model *m, const rf_cell *p, rf_range at)
{
    if (p->kind != RF_CELL_POINTER || !p->object) {
        rf_model_give_up(m, at, "what is accessed here is no array");
        return false;
    }
    if (p->i < 0 || (p->object->size >= 0 && p->i >= p->object->size)) {
        bool inside = p->object->given && p->object->size < 0;
        if (!inside)
            rf_model_stop(m, at, "an element outside of an array is accessed");
        return inside;
    }
    return true;
}

rf_cell rf_model_load(rf_model *m, int lane, const rf_cell *p, rf_range at)
{
    rf_cell none = { .kind = RF_CELL_NONE };
    if (!is_valid(m, p, at))
        return none;
    rf_element *e = element_of(m, p->object, p->i);
    if (!p->object->shared)
        return e->value;
    rf_touch t = now(m, lane);
    if (may_meet(m, &e->writer, &t))
        rf_model_stop(m, at, "this element may be written at the same time");
    if (e->reader.lane == t.lane || !may_meet(m, &e->reader, &t))
        e->reader = t;
    else
        e->other_reader = t;
    return e->value;
}

void rf_model_store(rf_model *m, int lane, const rf_cell *p,
                    const rf_cell *value, rf_range at)
{
    if (!is_valid(m, p, at))
        return;
    rf_element *e = element_of(m, p->object, p->i);
    if (p->object->given && value->kind == RF_CELL_NONE)
        rf_model_stop(m, at, "a value that was never computed is stored");
    rf_touch t = now(m, lane);
    if (p->object->shared &&
        (may_meet(m, &e->writer, &t) || may_meet(m, &e->reader, &t) ||
         may_meet(m, &e->other_reader, &t)))
        rf_model_stop(m, at, "two threads may use this element at one time");
    e->value = *value;
    e->written = true;
    e->writer = t;
}

/* ---- barriers ---- */

void rf_model_barrier(rf_model *m, rf_lane_mask mask, bool of_cluster,
                      rf_range at)
{
    int here = 0;
    for (int i = 0; i < m->n; i++)
        here += mask[i];
    for (int i = 0; i < m->n; i++)
        if (mask[i] && m->copies[i])
            rf_model_stop(m, at, "copies are not waited for before this");
    for (int i = 0; i < m->n && !of_cluster; i++)
        if (mask[i] != mask[i / m->block * m->block])
            here = -1;
    if (here < 0 || (of_cluster && here != m->n))
        rf_model_stop(m, at, "not every thread reaches this barrier");
    for (int b = 0; b < m->n / m->block && !of_cluster; b++)
        m->block_epoch[b] += mask[b * m->block];
    m->cluster_epoch += of_cluster;
}
