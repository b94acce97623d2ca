/* The tables of types, atomics and checks. */
#include "exec/machine.h"

#include <string.h>

static const struct {
    const char *spelling;
    uint8_t bytes;
    char class;
} types[] = {
#define X(id, spelling, bytes, class) { spelling, bytes, class },
    RF_TYPES(X)
#undef X
};

uint32_t rf_type_bytes(rf_type type)
{
    return types[type].bytes;
}

const char *rf_type_spelling(rf_type type)
{
    return types[type].spelling;
}

char rf_type_class(rf_type type)
{
    return types[type].class;
}

rf_type rf_type_find(const char *text)
{
    for (int t = RF_T_NONE + 1; t < RF_T_COUNT; t++)
        if (!strcmp(types[t].spelling, text))
            return (rf_type)t;
    return RF_T_NONE;
}

static const struct {
    const char *spelling, *help;
} checks[] = {
#define X(id, spelling, help) { spelling, help },
    RF_CHECKS(X)
#undef X
};

const char *rf_check_spelling(rf_check c)
{
    return checks[c].spelling;
}

const char *rf_check_help(rf_check c)
{
    return checks[c].help;
}
