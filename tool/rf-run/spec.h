/* What --args, --launch and --set say.
 *
 *     args    item {"," item}
 *     item    type "[" expression "]" ["=" fill]     a buffer
 *             type "=" expression | number           a value
 *     fill    random | normal | edge | ramp | zero | none | a number
 *     launch  "grid=" shape ",block=" shape [",cluster=" shape]
 *             [",shared=" expression] [",cooperative=1"]
 *     shape   expression [":" expression [":" expression]]
 *     set     name "=" number {"," name "=" number}
 *
 * Expressions have + - * / %, parentheses and the names that --set gives. */
#ifndef RF_RUN_SPEC_H
#define RF_RUN_SPEC_H

#include "exec/exec.h"
#include "exec/machine.h"
#include "support/array.h"

typedef struct {
    char name[32];
    int64_t value;
} rf_variable_value;

typedef RF_ARRAY(rf_variable_value) rf_variables;

typedef struct {
    rf_type type;
    bool is_buffer;
    const char *size;  /* expression of a buffer's length */
    const char *value; /* of a value; fill of a buffer, "" if none */
} rf_spec_arg;

typedef struct {
    RF_ARRAY(rf_spec_arg) args;
    const char *grid, *block, *cluster, *shared;
    bool cooperative;
    rf_arena *arena;
} rf_spec;

/* Parse the two texts; false with a message on stderr. */
bool rf_spec_parse(rf_spec *spec, const char *args, const char *launch);
bool rf_spec_variables(rf_variables *variables, const char *text);
/* The value of an expression; false with a message. */
bool rf_spec_value(const char *text, const rf_variables *variables,
                   int64_t *value);
bool rf_spec_shape(const char *text, const rf_variables *variables,
                   rf_dim3 *shape);

/* fill.c: fill "n" elements of "type" at "to". "special" (may be NULL) stands
 * in for fills that are random: one of rf_fill_specials. */
bool rf_fill(void *to, rf_type type, size_t n, const char *fill,
             const char *special, uint64_t seed);
extern const char *const rf_fill_specials[];
/* The bits of a number as a value of "type"; an integer is kept exactly. */
uint64_t rf_fill_number(rf_type type, double number);

/* The value of the bits. */
double rf_fill_value(rf_type type, uint64_t bits);

#endif
