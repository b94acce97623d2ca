/* The reductions of a cascade: (+) of T-1 and what each one promises. */
#ifndef RF_IR_REDUCE_H
#define RF_IR_REDUCE_H

#include "ir/ast.h"

#include <stdbool.h>

/* id, name, identity as text, idempotent (a (+) a = a, so an element that is
 * seen twice does no harm), is an order (keeps one of its operands) */
#define RF_REDUCE_OPS(X)                                                       \
    X(SUM, "sum", "0", false, false)                                           \
    X(PRODUCT, "product", "1", false, false)                                   \
    X(MAX, "max", "-inf", true, true)                                          \
    X(MIN, "min", "+inf", true, true)                                          \
    X(AND, "and", "true", true, false)                                         \
    X(OR, "or", "false", true, false)                                          \
    X(BIT_AND, "bitwise and", "~0", true, false)                               \
    X(BIT_OR, "bitwise or", "0", true, false)                                  \
    X(BIT_XOR, "bitwise xor", "0", false, false)                               \
    X(FOLD, "recurrence", "none", false, false) /* kept in order */            \
    X(ARGMAX, "argmax", "(-inf, none)", true, true)                            \
    X(ARGMIN, "argmin", "(+inf, none)", true, true)                            \
    X(TOPK, "top-k", "none", false, true)                                      \
    X(BOTTOMK, "bottom-k", "none", false, true)

typedef enum {
#define X(id, name, identity, idempotent, order) RF_REDUCE_##id,
    RF_REDUCE_OPS(X)
#undef X
        RF_REDUCE_COUNT
} rf_reduce_op;

const char *rf_reduce_name(rf_reduce_op op);
/* The identity as text for people: "0", "-inf". */
const char *rf_reduce_identity(rf_reduce_op op);
bool rf_reduce_is_idempotent(rf_reduce_op op);
bool rf_reduce_is_order(rf_reduce_op op);
/* The largest or the smallest of numbers, without its place. */
bool rf_reduce_is_extremum(rf_reduce_op op);
/* The reduction that repeats "op", if there is one, and back: RF_OP_COUNT where
 * no operator of C does it. */
bool rf_reduce_of_op(rf_op op, rf_reduce_op *out);
rf_op rf_op_of_reduce(rf_reduce_op op);
/* The reduction of -a where "op" reduces a: min for max, else "op". */
rf_reduce_op rf_reduce_mirror(rf_reduce_op op);

#endif
