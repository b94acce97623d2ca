/* What may differ between the reference and the fused program.
 *
 * The guards of the file name a class for every rewrite, in a line
 *
 *     #else // rf: fused, ..., rescaled, ...
 *
 * `exact`: the same bits. `reassociated` and `rescaled`: the same real numbers,
 * rounded elsewhere, so two values may differ as far as rounding moves them on
 * these inputs. That is measured (exec/compare.h): both programs run again
 * with every rounding up, then down, then up or down without pattern, until
 * the samples explain all differences or there are no more. */
#include "rf_run.h"

#include <string.h>

/* Does the word stand in the line between commas or at its end? */
static bool has_word(const char *line, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = line; (p = strstr(p, word)); p += n)
        if (p[-1] == ' ' && strchr(",;\n", p[n]))
            return true;
    return false;
}

/* Does a guard of the file claim a class that rounds elsewhere? */
static bool file_rounds(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[1024];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *guard = strstr(line, "// rf: fused");
        found = guard && (has_word(guard, "rescaled") ||
                          has_word(guard, "reassociated"));
    }
    if (file)
        fclose(file);
    return found;
}

static bool is_measured(const rf_run_options *o)
{
    if (o->has_tolerance)
        return o->measured;
    for (size_t i = 0; i < o->nvcc.len; i++)
        if (o->nvcc.data[i][0] != '-' && file_rounds(o->nvcc.data[i]))
            return true;
    return file_rounds(o->file);
}

static rf_comparison compare(const rf_run_logs *l, rf_arena *arena,
                             rf_tolerance t, bool tell)
{
    return rf_compare_logs(arena, l->bytes[0], l->size[0], l->bytes[1],
                           l->size[1], t, tell ? l->report : NULL, l->context);
}

static void add_samples(const rf_run_logs *l, rf_rounding rounding,
                        rf_sample *to)
{
    for (int fused = 0; fused < 2; fused++) {
        to[fused].fused = fused;
        to[fused].bytes =
            l->again(l->context, fused, rounding, &to[fused].size);
    }
}

rf_comparison rf_run_compare_logs(const rf_run_options *o, rf_arena *arena,
                                  const rf_run_logs *logs)
{
    rf_sample samples[2 * RF_ROUNDING_COUNT];
    rf_tolerance t = { .relative = o->relative, .absolute = o->absolute };
    if (!is_measured(o))
        return compare(logs, arena, t, true);
    t.samples = samples;
    rf_comparison c = compare(logs, arena, t, false);
    for (int r = 1; r < RF_ROUNDING_COUNT && c.differing && !c.mismatch; r++) {
        add_samples(logs, (rf_rounding)r, samples + t.n_samples);
        t.n_samples += 2;
        c = compare(logs, arena, t, false);
    }
    c = c.differing ? compare(logs, arena, t, true) : c;
    for (size_t i = 0; i < t.n_samples; i++)
        free((char *)samples[i].bytes);
    return c;
}

bool rf_run_undecided(const rf_run_options *o, const rf_comparison *c)
{
    if (!c->undecided)
        return false;
    bool most = c->undecided > c->moved / 2;
    printf("%s: %s: rounding alone moves %llu of %llu values by more than a "
           "sixteenth: nothing is said of them%s [rf-run-compare]\n",
           o->file, most ? "error" : "warning",
           (unsigned long long)c->undecided, (unsigned long long)c->elements,
           most ? "; --tolerance=REL,ABS decides" : "");
    return most;
}
