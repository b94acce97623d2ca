/* Options as text: "name=value,name=value", as rf-run hands them on. */
#include "exec/exec.h"
#include "support/array.h"

#include <string.h>

const char *rf_rounding_spelling(rf_rounding rounding)
{
    static const char *const names[] = { "nearest", "up", "down", "scattered",
                                         "opposite" };
    return names[rounding];
}

static void set_number(const char *value, void *field)
{
    *(uint32_t *)field = (uint32_t)strtoul(value, NULL, 0);
}

static void set_wide(const char *value, void *field)
{
    *(uint64_t *)field = strtoull(value, NULL, 0);
}

static void set_byte(const char *value, void *field)
{
    *(uint8_t *)field = (uint8_t)strtoul(value, NULL, 0);
}

static void set_schedule(const char *value, void *field)
{
    static const char *const names[] = { "round", "run", "reverse", "random" };
    for (int i = 0; i < 4; i++)
        if (!strcmp(names[i], value))
            *(rf_schedule *)field = (rf_schedule)i;
}

static void set_rounding(const char *value, void *field)
{
    for (int i = 0; i < RF_ROUNDING_COUNT; i++)
        if (!strcmp(rf_rounding_spelling((rf_rounding)i), value))
            *(rf_rounding *)field = (rf_rounding)i;
}

/* "race", "rf-run-race" or "all" */
static void disable(const char *value, void *field)
{
    for (int c = 0; c < RF_CHECK_COUNT; c++) {
        const char *name = rf_check_spelling((rf_check)c);
        if (!strcmp(name, value) || !strcmp("all", value) ||
            !strcmp(name + strlen("rf-run-"), value))
            *(uint32_t *)field |= 1u << c;
    }
}

static const struct {
    const char *name;
    void (*set)(const char *value, void *field);
    size_t offset;
} table[] = {
    { "threads", set_number, offsetof(rf_exec_options, threads) },
    { "quantum", set_number, offsetof(rf_exec_options, quantum) },
    { "latency", set_number, offsetof(rf_exec_options, latency) },
    { "room", set_number, offsetof(rf_exec_options, room) },
    { "max-lines", set_number, offsetof(rf_exec_options, max_lines) },
    { "seed", set_wide, offsetof(rf_exec_options, seed) },
    { "spin", set_wide, offsetof(rf_exec_options, spin) },
    { "poison", set_byte, offsetof(rf_exec_options, poison) },
    { "schedule", set_schedule, offsetof(rf_exec_options, schedule) },
    { "rounding", set_rounding, offsetof(rf_exec_options, rounding) },
    { "no-check", disable, offsetof(rf_exec_options, disabled) },
};

static void set_option(rf_exec_options *options, char *item)
{
    char *value = strchr(item, '=');
    if (value)
        *value++ = 0;
    for (size_t i = 0; i < RF_COUNTOF(table); i++)
        if (!strcmp(table[i].name, item))
            table[i].set(value ? value : "1",
                         (char *)options + table[i].offset);
}

void rf_exec_options_parse(rf_exec_options *options, const char *text)
{
    char *copy = rf_strdup(text), *rest = copy, *item;
    while ((item = strsep(&rest, ",")))
        set_option(options, item);
    free(copy);
}
