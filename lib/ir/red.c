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

const rf_val *rf_trace_red(rf_trace *trace, const rf_red *proto)
{
    for (size_t i = 0; i < trace->reds.len; i++)
        if (same_red(trace->reds.data[i], proto))
            return trace->reds.data[i]->result;
    rf_red *made = RF_NEW(trace->arena, rf_red);
    *made = *proto;
    made->id = (unsigned)trace->reds.len;
    made->result = result_of(trace, made);
    RF_PUSH(trace->reds, made);
    return made->result;
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
