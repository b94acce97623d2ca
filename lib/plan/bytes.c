/* The bytes that a thread's loops move for each element of the axis, before
 * and after: places of memory that differ, each once a pass.
 *
 *     of a load      bytes * trips of the inner loops that its place depends on
 *                          * trips of the loops around the axis (source)
 *     of a store     bytes * trips of all loops but the axis
 *
 * A place that does not depend on the axis is read once for the row, before
 * the loop; but inside a loop whose trips are no number nothing can hold it.
 * What a pass has just stored is at hand. */
#include "plan/formula.h"
#include "plan/planning.h"
#include "plan/resident.h"

#include <string.h>

typedef struct {
    const rf_val *base, *index;
} place;

/* "bytes" for each step of "loops". */
typedef struct {
    double bytes;
    RF_ARRAY(const rf_loop *) loops;
} term;

typedef struct {
    rf_planner *p;
    const rf_plan *plan;
    RF_ARRAY(place) places; /* of one pass */
    RF_ARRAY(const rf_val *) seen;
    RF_ARRAY(term) terms; /* of all passes */
} tally;

/* ---- elements ---- */

static double bytes_of(const rf_type *t)
{
    static const double widths[] = {
        [RF_F32] = 4,  [RF_F64] = 8,  [RF_F16] = 2,
        [RF_BF16] = 2, [RF_E4M3] = 1, [RF_E5M2] = 1
    };
    double sum = 0;
    if (t->kind == RF_TYPE_FLOAT)
        return widths[t->format];
    if (t->kind == RF_TYPE_INT)
        return t->bits / 8.0;
    for (unsigned i = 0; t->kind == RF_TYPE_RECORD && i < t->n_fields; i++)
        sum += bytes_of(t->field_types[i]);
    return t->kind == RF_TYPE_BOOL ? 1 : sum > 0 ? sum : 4;
}

static bool moves_with(const place *at, const rf_loop *l)
{
    return rf_val_mentions(at->index, l->index) ||
           rf_val_mentions(at->base, l->index);
}

/* ---- trips of loops ---- */

static bool is_number(const rf_loop *l, double *trips)
{
    int64_t low, high, step;
    if (!rf_val_is_int(l->lower, &low) || !rf_val_is_int(l->upper, &high) ||
        !rf_val_is_int(l->step, &step) || !step)
        return false;
    int64_t way = step > 0 ? high - low : low - high;
    way += l->is_inclusive;
    step = step > 0 ? step : -step;
    *trips = way > 0 ? (double)((way + step - 1) / step) : 0;
    return true;
}

/* The most trips that are known of; 1 where nothing is. */
static double usual_trips(const tally *t, const rf_loop *l)
{
    int64_t most;
    return rf_plan_extent(t->p, l, &most) ? (double)most : 1;
}

/* "v" in the signs that all programs read: "2*d". */
static void put_plain(rf_buf *out, const tally *t, const rf_val *v)
{
    static const char times[] = "\u00b7";
    rf_formula f = { .plan = t->plan, .before = "" };
    rf_buf text = { 0 };
    rf_formula_put(&text, &f, v);
    const char *from = rf_buf_text(&text);
    for (const char *to; (to = strstr(from, times)); from = to + strlen(times))
        rf_buf_printf(out, "%.*s*", (int)(to - from), from);
    rf_buf_puts(out, from);
    rf_buf_free(&text);
}

static void put_trips(rf_buf *out, const tally *t, const rf_loop *l)
{
    int64_t low, step;
    bool plain = rf_val_is_int(l->step, &step) && step == 1;
    rf_buf text = { 0 };
    put_plain(&text, t, l->upper);
    if (!(rf_val_is_int(l->lower, &low) && low == 0)) {
        rf_buf_puts(&text, " - ");
        put_plain(&text, t, l->lower);
    }
    if (l->is_inclusive)
        rf_buf_puts(&text, " + 1");
    bool bare = plain && text.len && !strchr(rf_buf_text(&text), ' ');
    rf_buf_printf(out, bare ? "%s" : "(%s)", rf_buf_text(&text));
    if (!plain) {
        rf_buf_puts(out, "/");
        put_plain(out, t, l->step);
    }
    rf_buf_free(&text);
}

/* ---- terms ---- */

static bool same_loops(const term *a, const term *b)
{
    bool same = a->loops.len == b->loops.len;
    for (size_t i = 0; same && i < a->loops.len; i++)
        same = a->loops.data[i] == b->loops.data[i];
    return same;
}

static void add_term(tally *t, term *e)
{
    for (size_t i = 0; i < t->terms.len; i++)
        if (same_loops(&t->terms.data[i], e)) {
            t->terms.data[i].bytes += e->bytes;
            RF_CLEAR(e->loops);
            return;
        }
    RF_PUSH(t->terms, *e);
}

static void repeat(term *e, const rf_loop *l)
{
    double trips;
    if (is_number(l, &trips))
        e->bytes *= trips;
    else
        RF_PUSH(e->loops, l);
}

/* ---- loads ---- */

static bool is_counted(tally *t, const place *at)
{
    for (size_t i = 0; i < t->places.len; i++)
        if (t->places.data[i].base == at->base &&
            t->places.data[i].index == at->index)
            return true;
    RF_PUSH(t->places, *at);
    return false;
}

/* A load from "at" in a loop over the axis, "around" which others run. */
static void count_load(tally *t, const place *at, const rf_type *type,
                       const rf_loop *const *around, unsigned n)
{
    const rf_trace *trace = t->plan->trace;
    term e = { .bytes = bytes_of(type) };
    bool open = false;
    double trips;
    if (!rf_plan_array_behind(t->plan, at->base) || is_counted(t, at))
        return;
    for (size_t i = 0; i < trace->loops.len; i++) {
        const rf_loop *l = trace->loops.data[i];
        if (l == t->plan->axis || !moves_with(at, l))
            continue;
        open |= !is_number(l, &trips);
        repeat(&e, l);
    }
    for (unsigned i = 0; i < n; i++)
        if (!moves_with(at, around[i]))
            repeat(&e, around[i]);
    if (open || moves_with(at, t->plan->axis))
        add_term(t, &e);
    else
        RF_CLEAR(e.loops);
}

/* ---- the source ---- */

/* True if the pass of "l" has stored there before it loads. */
static bool is_at_hand(const rf_trace *trace, const rf_load *l)
{
    for (size_t i = 0; i < trace->stores.len && i < l->n_stores; i++) {
        const rf_store *s = &trace->stores.data[i];
        if (s->pass == l->pass && s->base == l->base && s->index == l->index &&
            !s->hint)
            return true;
    }
    return false;
}

static void count_source_load(tally *t, const rf_load *l)
{
    place at = { l->base, l->index };
    unsigned axis = 0;
    while (axis < l->n_loops && l->loops[axis] != t->plan->axis)
        axis++;
    if (axis < l->n_loops && !is_at_hand(t->plan->trace, l))
        count_load(t, &at, l->value->type, l->loops, axis);
}

static void count_source(tally *t)
{
    const rf_trace *trace = t->plan->trace;
    for (size_t i = 0; i < trace->passes.len; i++) {
        t->places.len = 0;
        for (size_t k = 0; k < trace->loads.len; k++)
            if (trace->loads.data[k].pass == trace->passes.data[i].pass)
                count_source_load(t, &trace->loads.data[k]);
    }
}

/* ---- the plan ---- */

/* Whatever computing "v" loads, results of members given. */
static void collect(tally *t, const rf_val *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < t->seen.len; i++)
        if (t->seen.data[i] == v)
            return;
    RF_PUSH(t->seen, v);
    if (v->kind == RF_VAL_LOAD) {
        place at = { v->arg[0], v->arg[1] };
        count_load(t, &at, v->type, NULL, 0);
    }
    if (v->kind == RF_VAL_RESULT && !rf_plan_member_of(t->plan, v)) {
        collect(t, v->red->term);
        collect(t, v->red->guard);
        collect(t, v->red->init);
    }
    for (unsigned i = 0; i < v->n; i++)
        collect(t, v->arg[i]);
}

static void begin_loop(tally *t, bool once)
{
    if (once)
        return;
    t->places.len = 0;
    t->seen.len = 0;
}

static void collect_stores(tally *t, unsigned pass, bool in_pass)
{
    for (size_t i = 0; i < t->plan->stores.len; i++) {
        const rf_placed_store *s = &t->plan->stores.data[i];
        if (s->pass != pass || s->in_pass != in_pass || s->store->is_result ||
            !s->store->n_loops)
            continue;
        collect(t, s->store->value);
        collect(t, s->store->guard);
    }
}

/* "once": what one loop has read, the others need not. */
static void count_loads(tally *t, bool once)
{
    t->places.len = 0;
    t->seen.len = 0;
    for (unsigned pass = 0; pass <= t->plan->n_loops; pass++) {
        begin_loop(t, once);
        for (size_t i = 0; i < t->plan->members.len; i++) {
            const rf_member *m = t->plan->members.data[i];
            collect(t, m->pass == pass ? m->term : NULL);
            collect(t, m->pass == pass ? m->guard : NULL);
        }
        collect_stores(t, pass, true);
        begin_loop(t, once);
        collect_stores(t, pass, false);
    }
}

/* ---- stores ---- */

static void count_store(tally *t, const rf_store *s)
{
    term e = { .bytes = bytes_of(s->type) };
    bool along = false;
    if (s->is_result || !rf_plan_array_behind(t->plan, s->base))
        return;
    for (unsigned i = 0; i < s->n_loops; i++)
        if (s->loops[i] == t->plan->axis)
            along = true;
        else
            repeat(&e, s->loops[i]);
    if (along)
        add_term(t, &e);
    else
        RF_CLEAR(e.loops);
}

static void count_plan(tally *t, bool once)
{
    count_loads(t, once);
    for (size_t i = 0; i < t->plan->stores.len; i++)
        count_store(t, t->plan->stores.data[i].store);
}

/* ---- the whole ---- */

/* "4*d + 8", and its number with the most trips that are known of. */
static const char *finish(tally *t, double *bytes)
{
    rf_buf text = { 0 };
    *bytes = 0;
    for (size_t i = 0; i < t->terms.len; i++) {
        term *e = &t->terms.data[i];
        double n = e->bytes;
        rf_buf_printf(&text, "%s%g", i ? " + " : "", e->bytes);
        for (size_t k = 0; k < e->loops.len; k++) {
            rf_buf_puts(&text, "*");
            put_trips(&text, t, e->loops.data[k]);
            n *= usual_trips(t, e->loops.data[k]);
        }
        *bytes += n;
        RF_CLEAR(e->loops);
    }
    const char *copy =
        rf_arena_strdup(t->p->arena, text.len ? rf_buf_text(&text) : "0");
    rf_buf_free(&text);
    RF_CLEAR(t->terms);
    return copy;
}

void rf_plan_count_bytes(rf_planner *p)
{
    rf_plan *plan = p->plan;
    tally t = { .p = p, .plan = plan };
    count_source(&t);
    for (size_t i = 0; i < plan->trace->stores.len; i++)
        count_store(&t, &plan->trace->stores.data[i]);
    plan->moved_before = finish(&t, &plan->bytes_before);
    count_plan(&t, true);
    finish(&t, &plan->bytes_least);
    count_plan(&t, plan->resident);
    plan->moved_after = finish(&t, &plan->bytes_after);
    RF_CLEAR(t.places);
    RF_CLEAR(t.seen);
}
