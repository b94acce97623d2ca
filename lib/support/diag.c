/* Diagnostics: an append-only list. */
#include "support/diag.h"

#include <string.h>

rf_diags *rf_diags_new(void)
{
    rf_diags *diags = rf_malloc(sizeof *diags);
    *diags = (rf_diags){ .arena = rf_arena_new() };
    return diags;
}

void rf_diags_free(rf_diags *diags)
{
    if (!diags)
        return;
    for (size_t i = 0; i < diags->list.len; i++)
        RF_CLEAR(diags->list.data[i].notes);
    RF_CLEAR(diags->list);
    rf_arena_free(diags->arena);
    free(diags);
}

static rf_place place_copy(rf_diags *diags, rf_place at)
{
    if (at.file)
        at.file = rf_arena_strdup(diags->arena, at.file);
    return at;
}

void rf_diag_add(rf_diags *diags, rf_severity severity, rf_diag_name name,
                 rf_place at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    rf_diag d = { .name = name,
                  .severity = severity,
                  .at = place_copy(diags, at),
                  .text = rf_arena_vprintf(diags->arena, format, args) };
    va_end(args);
    RF_PUSH(diags->list, d);
}

void rf_diag_note_add(rf_diags *diags, rf_place at, const char *format, ...)
{
    if (!diags->list.len)
        return;
    va_list args;
    va_start(args, format);
    rf_diag_note n = { .at = place_copy(diags, at),
                       .text = rf_arena_vprintf(diags->arena, format, args) };
    va_end(args);
    RF_PUSH(RF_LAST(diags->list).notes, n);
}

void rf_diag_note_macro(rf_diags *diags, size_t i, rf_place definition,
                        const char *name)
{
    rf_diag_note n = { .at = place_copy(diags, definition),
                       .text = rf_arena_printf(diags->arena,
                                               RF_EXPANDED " '%s'", name) };
    RF_PUSH(diags->list.data[i].notes, n);
}

static const struct {
    const char *spelling, *help;
} names[] = {
#define X(id, spelling, help) { spelling, help },
    RF_DIAG_NAMES(X)
#undef X
};

const char *rf_diag_spelling(rf_diag_name name)
{
    return names[name].spelling;
}

const char *rf_diag_help(rf_diag_name name)
{
    return names[name].help;
}

rf_diag_name rf_diag_find(const char *text)
{
    int i = 0;
    while (i < RF_DIAG_COUNT && strcmp(names[i].spelling, text))
        i++;
    return (rf_diag_name)i;
}

const char *rf_severity_spelling(rf_severity severity)
{
    static const char *const words[] = { "note", "remark", "warning", "error" };
    return words[severity];
}

int rf_diags_count(const rf_diags *diags, rf_severity at_least)
{
    int n = 0;
    for (size_t i = 0; i < diags->list.len; i++)
        n += diags->list.data[i].severity >= at_least;
    return n;
}
