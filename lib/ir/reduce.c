/* The table of reductions, read column by column. */
#include "ir/reduce.h"

static const struct {
    const char *name, *identity;
    bool idempotent, order;
} table[] = {
#define X(id, name, identity, idempotent, order)                               \
    { name, identity, idempotent, order },
    RF_REDUCE_OPS(X)
#undef X
};

const char *rf_reduce_name(rf_reduce_op op)
{
    return table[op].name;
}

const char *rf_reduce_identity(rf_reduce_op op)
{
    return table[op].identity;
}

bool rf_reduce_is_idempotent(rf_reduce_op op)
{
    return table[op].idempotent;
}

bool rf_reduce_is_order(rf_reduce_op op)
{
    return table[op].order;
}

bool rf_reduce_is_extremum(rf_reduce_op op)
{
    return op == RF_REDUCE_MAX || op == RF_REDUCE_MIN;
}

rf_reduce_op rf_reduce_mirror(rf_reduce_op op)
{
    switch (op) {
    case RF_REDUCE_MAX:
        return RF_REDUCE_MIN;
    case RF_REDUCE_MIN:
        return RF_REDUCE_MAX;
    case RF_REDUCE_ARGMAX:
        return RF_REDUCE_ARGMIN;
    case RF_REDUCE_ARGMIN:
        return RF_REDUCE_ARGMAX;
    case RF_REDUCE_TOPK:
        return RF_REDUCE_BOTTOMK;
    case RF_REDUCE_BOTTOMK:
        return RF_REDUCE_TOPK;
    default:
        return op;
    }
}

/* ---- operators ---- */

static const struct {
    rf_op op;
    rf_reduce_op reduce;
} operators[] = {
    { RF_OP_ADD, RF_REDUCE_SUM },         { RF_OP_MUL, RF_REDUCE_PRODUCT },
    { RF_OP_AND, RF_REDUCE_AND },         { RF_OP_OR, RF_REDUCE_OR },
    { RF_OP_BIT_AND, RF_REDUCE_BIT_AND }, { RF_OP_BIT_OR, RF_REDUCE_BIT_OR },
    { RF_OP_BIT_XOR, RF_REDUCE_BIT_XOR },
};

bool rf_reduce_of_op(rf_op op, rf_reduce_op *out)
{
    for (size_t i = 0; i < RF_COUNTOF(operators); i++) {
        if (operators[i].op != op)
            continue;
        *out = operators[i].reduce;
        return true;
    }
    return false;
}

rf_op rf_op_of_reduce(rf_reduce_op reduce)
{
    for (size_t i = 0; i < RF_COUNTOF(operators); i++)
        if (operators[i].reduce == reduce)
            return operators[i].op;
    return RF_OP_COUNT;
}
