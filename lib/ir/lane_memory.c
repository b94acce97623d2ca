/* Shared memory of a block: values by slot, and who touched them when.
 *
 * Two accesses to one slot by different lanes, one of them a write, need a
 * barrier in between; __syncwarp is enough within a warp. Thread 0 also comes
 * after all that the others did before they gave it what it has reduced. */
#include "ir/lanes.h"

rf_shared *rf_lane_shared(rf_world *w, rf_var *var, bool make)
{
    for (size_t i = 0; i < w->shared.len; i++)
        if (w->shared.data[i].var == var)
            return &w->shared.data[i];
    if (!make)
        return NULL;
    RF_PUSH(w->shared, (rf_shared){ .var = var });
    return &RF_LAST(w->shared);
}

/* Scalars in an object of "type"; -1: not known. */
static int64_t extent(const rf_type *type)
{
    int64_t n = 1;
    for (; type && type->kind == RF_TYPE_ARRAY; type = type->elem) {
        if (type->count < 0)
            return -1;
        n *= type->count;
    }
    return n;
}

rf_lane rf_lane_element(rf_team_run *r, rf_lane p, rf_lane i)
{
    if (p.kind != RF_LANE_PLACE)
        return rf_lane_mixed("an address that is not known");
    if (i.kind != RF_LANE_NUM)
        return rf_lane_mixed("an index that is not known");
    int64_t stride = extent(p.place->type);
    rf_lane_place *made = RF_NEW(r->w->arena, rf_lane_place);
    *made = *p.place;
    made->at += i.num * (stride < 0 ? 1 : stride);
    return (rf_lane){ .kind = RF_LANE_PLACE, .place = made };
}

static rf_slot_state *slot(rf_team_run *r, unsigned t, const rf_lane_place *p,
                           rf_range at)
{
    int64_t n = extent(p->var->type);
    if (p->at < 0 || p->at > 65536 || (n >= 0 && p->at >= n)) {
        rf_lane_drop(r, RF_DIAG_RACE, at,
                     "thread %u of %u is outside the array '%s' here", t,
                     r->w->size, p->var->name);
        return NULL;
    }
    for (size_t i = 0; n < 0 && i < r->w->shared.len; i++)
        if (r->w->shared.data[i].var != p->var &&
            extent(r->w->shared.data[i].var->type) < 0)
            rf_lane_fail(r, RF_DIAG_UNSUPPORTED, at,
                         "'%s' and '%s' are the same shared memory",
                         p->var->name, r->w->shared.data[i].var->name);
    rf_shared *s = rf_lane_shared(r->w, p->var, true);
    while ((int64_t)s->slots.len <= p->at)
        RF_PUSH(s->slots, (rf_slot_state){ 0 });
    return &s->slots.data[p->at];
}

static unsigned warp_of(unsigned t)
{
    return t / RF_WARP;
}

/* True if lane "t" now comes after the last write. */
static bool is_ordered(const rf_world *w, unsigned t, const rf_slot_state *s)
{
    unsigned other = s->writer;
    return t == other || s->write_epoch < w->epoch ||
           (t == 0 && s->write_gather < w->gathered) ||
           (warp_of(t) == warp_of(other) &&
            s->write_warp_epoch < w->warp_epoch[warp_of(t)]);
}

static void report(rf_team_run *r, const rf_lane_place *p, unsigned t,
                   unsigned other, const char *what, rf_range at)
{
    rf_lane_fail(r, RF_DIAG_RACE, at,
                 "thread %u %s '%s' that thread %u accesses without a barrier "
                 "in between (%u threads)",
                 t, what, p->var->name, other, r->w->size);
}

static void note_read(rf_world *w, rf_slot_state *s, unsigned t)
{
    s->read_gather = w->gathered;
    if (s->read_epoch != w->epoch) {
        s->read_epoch = w->epoch;
        s->reader = t;
        s->read_warp_epoch = w->warp_epoch[warp_of(t)];
        s->many_readers = s->many_warps = false;
        return;
    }
    s->many_warps |= warp_of(t) != warp_of(s->reader);
    if (s->reader != t) {
        s->many_readers = true;
        s->reader = t;
    }
    s->read_warp_epoch = w->warp_epoch[warp_of(t)];
}

rf_lane rf_lane_load(rf_team_run *r, unsigned t, const rf_lane_place *p,
                     rf_range at)
{
    rf_slot_state *s = slot(r, t, p, at);
    if (!s)
        return rf_lane_undef("outside the array");
    note_read(r->w, s, t);
    if (!s->written)
        return rf_lane_undef("shared memory that was never written");
    if (!is_ordered(r->w, t, s))
        report(r, p, t, s->writer, "reads", at);
    return s->value;
}

static bool read_by_others(const rf_world *w, const rf_slot_state *s,
                           unsigned t)
{
    if (s->read_epoch != w->epoch || (t == 0 && s->read_gather < w->gathered))
        return false;
    if (!s->many_readers && s->reader == t)
        return false;
    return s->many_warps || warp_of(s->reader) != warp_of(t) ||
           s->read_warp_epoch >= w->warp_epoch[warp_of(t)];
}

/* "value": what is written, or NULL for an atomic operation. */
static rf_slot_state *begin_write(rf_team_run *r, unsigned t,
                                  const rf_lane_place *p, const rf_lane *value,
                                  rf_range at)
{
    rf_slot_state *s = slot(r, t, p, at);
    if (!s)
        return NULL;
    bool atomic = !value;
    bool harmless = atomic ? s->is_atomic : rf_lane_equal(s->value, *value);
    if (s->written && !harmless && !is_ordered(r->w, t, s))
        report(r, p, t, s->writer, "writes", at);
    else if (read_by_others(r->w, s, t))
        report(r, p, t, s->reader, "writes", at);
    if (!s->first_epoch) {
        s->first_epoch = r->w->epoch;
        s->first_writer = t;
    }
    s->writer = t;
    s->write_epoch = r->w->epoch;
    s->write_gather = r->w->gathered;
    s->write_warp_epoch = r->w->warp_epoch[warp_of(t)];
    s->is_atomic = atomic;
    return s;
}

void rf_lane_store(rf_team_run *r, unsigned t, const rf_lane_place *p,
                   rf_lane value, rf_range at)
{
    rf_slot_state *s = begin_write(r, t, p, &value, at);
    if (!s)
        return;
    s->value = value;
    s->written = true;
}

void rf_lane_atomic(rf_team_run *r, unsigned t, const rf_lane_place *p,
                    rf_reduce_op op, rf_lane value, rf_range at)
{
    rf_slot_state *s = begin_write(r, t, p, NULL, at);
    if (!s)
        return;
    rf_lane out;
    if (!s->written)
        out = rf_lane_undef("shared memory that was never written");
    else if (!rf_lane_combine(r, op, s->value, value, &out))
        out = rf_lane_mixed("an atomic operation on something else");
    s->value = out;
    s->written = true;
}
