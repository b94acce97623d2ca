/* The pure library functions that the analysis understands, by meaning. */
#ifndef RF_IR_MATH_H
#define RF_IR_MATH_H

#include "ir/ast.h"

typedef enum {
    RF_MATH_NONE, /* not a known function */
    RF_MATH_EXP,  /* base e */
    RF_MATH_EXP2,
    RF_MATH_EXP10,
    RF_MATH_LOG,
    RF_MATH_LOG2,
    RF_MATH_LOG10,
    RF_MATH_SQRT,
    RF_MATH_RSQRT,
    RF_MATH_RCP,
    RF_MATH_ADD,
    RF_MATH_SUB,
    RF_MATH_MUL,
    RF_MATH_DIV,
    RF_MATH_FMA, /* a * b + c */
    RF_MATH_MAX,
    RF_MATH_MIN,
    RF_MATH_ABS,
    RF_MATH_NEG,
    RF_MATH_POW,
    RF_MATH_CONVERT, /* to the result type; may round */
    RF_MATH_LOAD,    /* reads through its pointer argument */
    RF_MATH_STORE,   /* writes its second argument through the first */
    RF_MATH_PURE     /* a pure function without algebra: tanh, erf, ... */
} rf_math;

/* What the library function "name" means; RF_MATH_NONE: unknown. */
rf_math rf_math_find(const char *name);

/* The function that takes the larger or smaller of two "type"; of a type that a
 * template leaves open, one with overloads. */
const char *rf_math_extremum(bool max, const rf_type *type);

/* The value of "meaning" at its "n" arguments; false if it is not one function
 * of numbers (NONE, CONVERT, LOAD, PURE), or one of another number of them. */
bool rf_math_value(rf_math meaning, unsigned n, const double *a, double *value);

/* x OP y for a relation, RF_OP_LT to RF_OP_NE. */
bool rf_relation_holds(rf_op op, double x, double y);

#endif
