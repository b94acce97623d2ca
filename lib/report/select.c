/* Which findings are wanted: name globs and line filters. */
#include "report/report.h"

#include <fnmatch.h>
#include <string.h>

bool rf_checks_select(const char *globs, const char *name)
{
    bool chosen = !globs;
    while (globs && *globs) {
        size_t n = strcspn(globs, ",\n");
        size_t skip = strspn(globs, " \t");
        char glob[128];
        if (skip < n && n - skip < sizeof glob) {
            memcpy(glob, globs + skip, n - skip);
            glob[n - skip] = 0;
            glob[strcspn(glob, " \t")] = 0;
            bool exclude = *glob == '-';
            if (!fnmatch(glob + exclude, name, 0))
                chosen = !exclude;
        }
        globs += n + (globs[n] != 0);
    }
    return chosen;
}

struct rf_line_filter {
    json_t *entries;
};

/* An entry is { "name": "a.cu", "lines": [[1, 3], ...] }; lines are optional.
 */
static const char *entry_problem(const json_t *entry)
{
    if (!json_is_string(json_object_get(entry, "name")))
        return "an entry has no \"name\"";
    const json_t *lines = json_object_get(entry, "lines"), *pair;
    size_t i;
    if (lines && !json_is_array(lines))
        return "\"lines\" is not a list";
    json_array_foreach(
        lines, i, pair) if (json_array_size(pair) != 2 ||
                            !json_is_integer(json_array_get(pair, 0)) ||
                            !json_is_integer(json_array_get(
                                pair, 1))) return "\"lines\" holds something "
                                                  "that is not [first, last]";
    return NULL;
}

static const char *filter_problem(const json_t *entries)
{
    const char *why = NULL;
    if (!json_is_array(entries))
        return "it is not a list";
    for (size_t i = 0; !why && i < json_array_size(entries); i++)
        why = entry_problem(json_array_get(entries, i));
    return why;
}

rf_line_filter *rf_line_filter_read(rf_arena *arena, const char *json,
                                    const char **why)
{
    json_error_t error;
    json_t *entries = json_loads(json, 0, &error);
    *why = entries ? filter_problem(entries)
                   : rf_arena_printf(arena, "%d:%d: %s", error.line,
                                     error.column, error.text);
    if (*why) {
        json_decref(entries);
        return NULL;
    }
    rf_line_filter *filter = rf_malloc(sizeof *filter);
    filter->entries = entries;
    return filter;
}

void rf_line_filter_free(rf_line_filter *filter)
{
    if (filter)
        json_decref(filter->entries);
    free(filter);
}

static bool has_suffix(const char *path, const char *suffix)
{
    size_t n = strlen(path), m = strlen(suffix);
    return m <= n && !strcmp(path + n - m, suffix);
}

static bool in_lines(const json_t *lines, uint32_t line)
{
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *pair = json_array_get(lines, i);
        if (line >= json_integer_value(json_array_get(pair, 0)) &&
            line <= json_integer_value(json_array_get(pair, 1)))
            return true;
    }
    return !json_array_size(lines);
}

bool rf_line_filter_passes(const rf_line_filter *filter, const char *path,
                           uint32_t line)
{
    if (!filter || !json_array_size(filter->entries))
        return true;
    for (size_t i = 0; i < json_array_size(filter->entries); i++) {
        const json_t *entry = json_array_get(filter->entries, i);
        const char *name = json_string_value(json_object_get(entry, "name"));
        if (has_suffix(path, name) &&
            in_lines(json_object_get(entry, "lines"), line))
            return true;
    }
    return false;
}
