/* Reductions as objects: interned, so that a dot product that two passes
 * compute is one object, with a result that names the iteration it is for:
 *
 *     RESULT(red; outer indices, free indices) */
#include "ir/tracing.h"

static bool same_loops(unsigned n, const rf_loop *const *a, unsigned m,
                       const rf_loop *const *b)
{
    if (n != m)
        return false;
    for (unsigned i = 0; i < n; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static bool same_red(const rf_red *a, const rf_red *b)
{
    return a->op == b->op && a->axis == b->axis && a->init == b->init &&
           a->term == b->term && a->guard == b->guard && a->path == b->path &&
           a->team == b->team && rf_type_same(a->type, b->type) &&
           (a->op != RF_REDUCE_FOLD || a->next == b->next) &&
           same_loops(a->n_outer, a->outer, b->n_outer, b->outer) &&
           same_loops(a->n_free, a->free, b->n_free, b->free);
}

static void set_outer(rf_tracer *tr, rf_red *red)
{
    red->n_outer = 0;
    for (rf_frame *f = tr->frame; f; f = f->outer)
        red->n_outer++;
    const rf_loop **outer =
        RF_NEW_ARRAY(tr->t->arena, red->n_outer + 1, const rf_loop *);
    unsigned i = red->n_outer;
    for (rf_frame *f = tr->frame; f; f = f->outer)
        outer[--i] = f->loop;
    red->outer = outer;
}

static const rf_val *result_of(rf_trace *trace, const rf_red *red)
{
    unsigned n = red->n_outer + red->n_free;
    const rf_val **args = RF_NEW_ARRAY(trace->arena, n + 1, const rf_val *);
    for (unsigned i = 0; i < red->n_outer; i++)
        args[i] = red->outer[i]->index;
    for (unsigned i = 0; i < red->n_free; i++)
        args[red->n_outer + i] = red->free[i]->index;
    return rf_val_make(trace->vals, &(rf_val){ .kind = RF_VAL_RESULT,
                                               .type = red->type,
                                               .red = red,
                                               .n = n,
                                               .arg = args });
}

static const rf_val *find_red(const rf_trace *trace, const rf_red *proto)
{
    for (size_t i = 0; i < trace->reds.len; i++)
        if (same_red(trace->reds.data[i], proto))
            return trace->reds.data[i]->result;
    return NULL;
}

const rf_val *rf_trace_red(rf_trace *trace, const rf_red *proto)
{
    const rf_val *known = find_red(trace, proto);
    if (known)
        return known;
    rf_red *made = RF_NEW(trace->arena, rf_red);
    *made = *proto;
    made->id = (unsigned)trace->reds.len;
    made->result = result_of(trace, made);
    RF_PUSH(trace->reds, made);
    return made->result;
}

/* ---- loops that have no part in it ---- */

static bool is_of_this_iteration(const rf_val *v, const void *red)
{
    return (v->kind == RF_VAL_PHI || v->kind == RF_VAL_CELL ||
            v->kind == RF_VAL_LAST || v->kind == RF_VAL_UNKNOWN) &&
           v != ((const rf_red *)red)->phi;
}

/* Is every part of "red" fixed by the counters that it names? */
static bool is_timeless(const rf_red *red, const rf_val *const *parts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (parts[i] && rf_val_find(parts[i], is_of_this_iteration, red))
            return false;
    return !red->base && !red->team;
}

/* True if "twin" may count the axis of "red" as well: it is the same loop but
 * for its place in a nest, and "red" does not name it. */
static bool is_free_twin(const rf_red *red, const rf_loop *twin)
{
    const rf_loop *a = red->axis;
    bool same = twin != a && twin->twin != a->twin && twin->lower == a->lower &&
                twin->upper == a->upper && twin->step == a->step &&
                twin->is_inclusive == a->is_inclusive &&
                twin->at_least_once == a->at_least_once &&
                twin->is_reversed == a->is_reversed &&
                rf_type_same(twin->type, a->type);
    for (unsigned i = 0; i < red->n_outer; i++)
        same &= red->outer[i] != twin;
    return same && red->op != RF_REDUCE_FOLD && !red->n_free &&
           !rf_varies(red->term, twin) &&
           (!red->guard || !rf_varies(red->guard, twin));
}

static rf_red over_twin(rf_tracer *tr, const rf_red *red, const rf_loop *twin)
{
    const rf_val *from[] = { red->axis->index }, *to[] = { twin->index };
    rf_red out = *red;
    out.axis = twin;
    out.term = rf_val_subst(tr->vals, red->term, 1, from, to);
    if (red->guard)
        out.guard = rf_val_subst(tr->vals, red->guard, 1, from, to);
    return out;
}

/* A dot that is computed anew for every k, and does not depend on k, is the
 * dot that an earlier pass computes without k; or NULL. */
static const rf_val *without_idle_loops(rf_tracer *tr, const rf_red *red)
{
    const rf_val *parts[] = { red->init,        red->term,
                              red->guard,       red->path,
                              red->next,        red->axis->lower,
                              red->axis->upper, red->axis->step };
    if (!is_timeless(red, parts, RF_COUNTOF(parts)))
        return NULL;
    const rf_loop **outer =
        RF_NEW_ARRAY(tr->t->arena, red->n_outer + 1, const rf_loop *);
    rf_red less = *red;
    less.outer = outer;
    less.n_outer = 0;
    for (unsigned i = 0; i < red->n_outer; i++)
        for (size_t k = 0; k < RF_COUNTOF(parts); k++)
            if (parts[k] && rf_varies(parts[k], red->outer[i])) {
                outer[less.n_outer++] = red->outer[i];
                break;
            }
    if (less.n_outer == red->n_outer)
        return NULL;
    const rf_val *known = find_red(tr->t, &less);
    for (size_t i = 0; i < tr->t->loops.len && !known; i++)
        if (is_free_twin(&less, tr->t->loops.data[i])) {
            rf_red twin = over_twin(tr, &less, tr->t->loops.data[i]);
            known = find_red(tr->t, &twin);
        }
    return known;
}

/* With "frame", the loops around it are the outer ones; without, the outer
 * loops of "proto" stay. */
const rf_val *rf_make_red(rf_tracer *tr, rf_frame *frame, const rf_red *proto)
{
    rf_red red = *proto;
    if (frame) {
        set_outer(tr, &red);
        red.path = frame->path;
        red.pass = tr->pass;
        const rf_val *known = without_idle_loops(tr, &red);
        if (known)
            return known;
    }
    return rf_trace_red(tr->t, &red);
}

/* The neutral element of "op" as a constant, NULL where C has no name. */
const rf_val *rf_identity_of(rf_tracer *tr, rf_reduce_op op,
                             const rf_type *type)
{
    bool is_float = type->kind == RF_TYPE_FLOAT && type->format <= RF_F64;
    int64_t value;
    switch (op) {
    case RF_REDUCE_SUM:
    case RF_REDUCE_OR:
    case RF_REDUCE_BIT_OR:
    case RF_REDUCE_BIT_XOR:
        value = 0;
        break;
    case RF_REDUCE_PRODUCT:
    case RF_REDUCE_AND:
        value = 1;
        break;
    default:
        return NULL;
    }
    if (!is_float)
        return rf_val_int(tr->vals, value, type);
    rf_expr *e = rf_expr_new(tr->t->arena, RF_OP_FLOAT, type, 0, NULL);
    e->value.f = (double)value;
    return rf_val_const(tr->vals, e);
}
