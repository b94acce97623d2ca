/* The compiler flags of a file:
 *
 *     --extra-arg-before, the database's, the command line's, --extra-arg
 *
 * without what --removed-arg names. */
#include "flags.h"

#include <string.h>

static bool removed(const rf_options *o, const char *flag)
{
    for (size_t i = 0; i < o->removed.list.len; i++) {
        const char *name = o->removed.list.data[i];
        size_t n = strlen(name);
        if (!strcmp(flag, name) ||
            (n && name[n - 1] == '*' && !strncmp(flag, name, n - 1)))
            return true;
    }
    return false;
}

static void add_all(rf_words *to, const rf_options *o, const char *const *list,
                    size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!removed(o, list[i]))
            RF_PUSH(to->list, list[i]);
}

/* Whether the command line alone says how to compile. */
static bool given(const rf_options *o)
{
    return o->flags.list.len > 0 && !o->database;
}

void rf_flags_for(rf_arena *arena, const rf_run *run, const char *path,
                  rf_words *flags)
{
    const rf_options *o = run->options;
    rf_command own = { 0 };
    if (run->database && !given(o))
        rf_database_flags(run->database, arena, path, &own);
    add_all(flags, o, o->extra_before.list.data, o->extra_before.list.len);
    add_all(flags, o, own.list.data, own.list.len);
    add_all(flags, o, o->flags.list.data, o->flags.list.len);
    add_all(flags, o, o->extra.list.data, o->extra.list.len);
    RF_CLEAR(own.list);
}

rf_front_options rf_flags_front(const rf_options *options,
                                const rf_source *source)
{
    return (rf_front_options){ .cuda_path = options->cuda_path,
                               .arch = options->arch,
                               .flags = source->flags,
                               .n_flags = source->n_flags,
                               .use_cache = true,
                               .reference = true,
                               .session = source->session };
}
