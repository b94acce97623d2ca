/* --compare: the same program with -DRF_REFERENCE and without, run on the same
 * inputs; every copy to the host and every buffer at the end must agree. */
#include "rf_run.h"

#include "exec/compare.h"

#include <math.h>
#include <string.h>

/* ---- one side ---- */

typedef struct {
    char *folder;
    rf_buf executable, log, reports;
    char *bytes; /* the log, owned */
    size_t size;
    int code;
    size_t n_reports;
} side;

static bool run_side(const rf_run_options *o, const char *define, side *s)
{
    s->folder = rf_run_folder();
    rf_buf_printf(&s->executable, "%s/program", s->folder);
    rf_buf_printf(&s->log, "%s/log", s->folder);
    rf_buf_printf(&s->reports, "%s/reports", s->folder);
    if (!rf_run_build(o, define, s->executable.data))
        return false;
    s->code = rf_run_program(o, s->executable.data, s->folder, s->log.data,
                             &s->n_reports);
    s->bytes = rf_run_read(s->log.data, &s->size);
    return true;
}

static void free_side(const rf_run_options *o, side *s)
{
    if (s->folder)
        rf_run_remove(o, s->folder);
    free(s->folder);
    free(s->bytes);
    rf_buf_free(&s->executable);
    rf_buf_free(&s->log);
    rf_buf_free(&s->reports);
}

/* ---- checks that only the fused program trips ---- */

static bool has_line(const char *text, const char *line, size_t n)
{
    for (const char *p = text; p && *p;) {
        const char *name = strchr(p, ' '), *end = strchr(p, '\n');
        if (name && end && (size_t)(end - name) == n && !memcmp(name, line, n))
            return true;
        p = end ? end + 1 : NULL;
    }
    return false;
}

/* Lines are "count check function"; the first is the total. */
static size_t new_reports(const side *reference, const side *fused)
{
    size_t n, count = 0;
    char *a = rf_run_read(reference->reports.data, &n);
    char *b = rf_run_read(fused->reports.data, &n);
    const char *p = b ? strchr(b, '\n') : NULL;
    for (p = p ? p + 1 : NULL; p && *p;) {
        const char *name = strchr(p, ' '), *end = strchr(p, '\n');
        if (!name || !end)
            break;
        if (!has_line(a, name, (size_t)(end - name))) {
            printf("rf-run: new in the fused program:%.*s\n", (int)(end - name),
                   name);
            count++;
        }
        p = end + 1;
    }
    free(a);
    free(b);
    return count;
}

/* ---- the verdict ---- */

static void print_bits(const rf_difference *d)
{
    if (d->reference == d->fused || isnan(d->reference) || isnan(d->fused))
        printf(" (bits 0x%llx and 0x%llx)",
               (unsigned long long)d->reference_bits,
               (unsigned long long)d->fused_bits);
}

static void print_difference(void *context, const rf_difference *d)
{
    const rf_run_options *o = context;
    printf("%s: error: ", o->file);
    if (!strcmp(d->kind, "copy"))
        printf("a copy to the host after kernel %s", d->kernel);
    else
        printf("memory at exit");
    printf(" differs: buffer %u, element %llu (%s): reference %.9g, fused "
           "%.9g",
           d->buffer, (unsigned long long)d->index, d->element, d->reference,
           d->fused);
    print_bits(d);
    if (isfinite(d->reference) && isfinite(d->fused) && d->ulps > 0)
        printf(", %.0f ulp", d->ulps);
    printf("; %llu of %llu elements differ [rf-run-compare]\n",
           (unsigned long long)d->differing, (unsigned long long)d->compared);
}

/* The user's tolerance, else what the guards of the file claim: a line
 * `#else // rf: fused, ..., rescaled, ...` allows for sums in another order,
 * `exact` for nothing. */
static rf_tolerance tolerance_of(const rf_run_options *o)
{
    rf_tolerance t = { o->relative, o->absolute };
    FILE *file = o->has_tolerance ? NULL : fopen(o->file, "r");
    char line[1024];
    while (file && fgets(line, sizeof line, file)) {
        const char *guard = strstr(line, "// rf: fused");
        if (guard &&
            (strstr(guard, "rescaled") || strstr(guard, "reassociated")))
            t = (rf_tolerance){ 1e-4, 1e-5 };
    }
    if (file)
        fclose(file);
    return t;
}

static int judge(const rf_run_options *o, const side *reference,
                 const side *fused)
{
    rf_arena *arena = rf_arena_new();
    rf_tolerance t = tolerance_of(o);
    rf_comparison c =
        rf_compare_logs(arena, reference->bytes, reference->size, fused->bytes,
                        fused->size, t, print_difference, (void *)o);
    bool bad = c.differing || c.mismatch || reference->code != fused->code;
    if (c.mismatch)
        printf("%s: error: the programs do not do the same: %s "
               "[rf-run-compare]\n",
               o->file, c.mismatch);
    if (reference->code != fused->code)
        printf("%s: error: exit code %d of the reference, %d of the fused "
               "program [rf-run-compare]\n",
               o->file, reference->code, fused->code);
    if (new_reports(reference, fused))
        bad = true;
    printf("rf-run: %zu of %zu records differ, %llu elements compared",
           c.differing, c.records, (unsigned long long)c.elements);
    if (c.worst_relative > 0)
        printf(", largest accepted relative difference %.3g", c.worst_relative);
    printf(": %s\n", bad ? "DIFFERENT" : "equal");
    rf_arena_free(arena);
    return bad;
}

int rf_run_compare(const rf_run_options *o)
{
    side reference = { 0 }, fused = { 0 };
    int code = 1;
    if (run_side(o, "-DRF_REFERENCE", &reference) && run_side(o, NULL, &fused))
        code = judge(o, &reference, &fused);
    free_side(o, &reference);
    free_side(o, &fused);
    return code;
}
