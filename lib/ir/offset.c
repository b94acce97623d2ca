/* Offsets of pointers. C extends each part of p + a + b to 64 bits by itself.
 * One sum of 32 bits in its place means the same where no part is negative or
 * all are signed; a negative part beside an unsigned one would turn into
 * 2^32 less a little: such sums are made in 64 bits. */
#include "ir/collective.h"

static bool is_word(const rf_val *v)
{
    return v->type && v->type->kind == RF_TYPE_INT;
}

/* threadIdx.x and its kin are below 2^31. */
static bool is_place(const rf_val *v)
{
    return v->kind == RF_VAL_OP && v->op == RF_OP_FIELD &&
           v->arg[0]->kind == RF_VAL_ENTRY &&
           v->arg[0]->var->storage == RF_VAR_BUILTIN;
}

/* Runs upwards from 0 or above, or downwards to a place above -1. */
static bool counts_above(const rf_loop *l)
{
    int64_t step;
    bool is_number = l->step && rf_val_is_int(l->step, &step);
    if (!l->step || (l->is_equal_exit && (!is_number || step != 1)))
        return false;
    const rf_val *least = is_number && step < 0 ? l->upper : l->lower;
    return (is_number || !rf_val_may_be_negative(l->step)) && least &&
           !rf_val_may_be_negative(least);
}

static bool keeps_signs(const rf_val *v)
{
    if (v->kind == RF_VAL_CAST && v->arg[0]->type)
        return v->arg[0]->type->kind == RF_TYPE_BOOL || is_place(v->arg[0]) ||
               (is_word(v) && is_word(v->arg[0]) &&
                v->type->bits > v->arg[0]->type->bits);
    return v->kind == RF_VAL_OP &&
           (v->op == RF_OP_ADD || v->op == RF_OP_MUL || v->op == RF_OP_DIV ||
            v->op == RF_OP_REM || v->op == RF_OP_SHR || v->op == RF_OP_BIT_AND);
}

bool rf_val_may_be_negative(const rf_val *v)
{
    int64_t known;
    if (rf_val_is_int(v, &known))
        return known < 0;
    if (v->type &&
        (v->type->kind == RF_TYPE_BOOL || (is_word(v) && v->type->is_unsigned)))
        return false;
    if (v->kind == RF_VAL_INDEX)
        return !counts_above(v->loop);
    bool any = !keeps_signs(v);
    for (unsigned i = 0; i < v->n && !any; i++)
        any = rf_val_may_be_negative(v->arg[i]);
    return any;
}

static bool is_unsigned_word(const rf_val *v)
{
    return is_word(v) && v->type->is_unsigned && v->type->bits == 32;
}

const rf_val *rf_offset_sum(rf_tracer *tr, rf_op op, const rf_val *a,
                            const rf_val *b)
{
    const rf_type *t = rf_common_type(a->type, b->type);
    bool wraps = t->kind == RF_TYPE_INT && t->bits <= 32 &&
                 (is_unsigned_word(a) || is_unsigned_word(b));
    if (!wraps || (op == RF_OP_ADD && !rf_val_may_be_negative(a) &&
                   !rf_val_may_be_negative(b)))
        return rf_val_op2(tr->vals, op, t, a, b);
    return rf_val_op2(tr->vals, op, &rf_type_long_long,
                      rf_val_cast(tr->vals, &rf_type_long_long, a, NULL),
                      rf_val_cast(tr->vals, &rf_type_long_long, b, NULL));
}
