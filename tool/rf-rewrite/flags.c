/* The compiler flags of a file: --extra-arg-before, the command line's own,
 * --extra-arg. */
#include "flags.h"

static void add_all(rf_words *to, const rf_words *from)
{
    for (size_t i = 0; i < from->list.len; i++)
        RF_PUSH(to->list, from->list.data[i]);
}

void rf_flags_for(rf_arena *arena, const rf_run *run, const char *path,
                  rf_words *flags, const char **folder)
{
    (void)arena, (void)path;
    *folder = NULL;
    add_all(flags, &run->options->extra_before);
    add_all(flags, &run->options->flags);
    add_all(flags, &run->options->extra);
}
