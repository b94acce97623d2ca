/* --compare: the same program with -DRF_REFERENCE and without, run on the same
 * inputs; every copy to the host and every buffer at the end must agree. */
#include "rf_run.h"

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

static void print_difference(const rf_run_options *o, const rf_difference *d)
{
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

typedef struct {
    const rf_run_options *o;
    side *of[2]; /* reference, fused */
} pair;

static void report(void *context, const rf_difference *d)
{
    const pair *p = context;
    print_difference(p->o, d);
}

/* The log of a side in another rounding. */
static char *again(void *context, bool fused, rf_rounding rounding,
                   size_t *size)
{
    const pair *p = context;
    side *s = p->of[fused];
    rf_run_options o = *p->o;
    rf_buf log = { 0 };
    size_t reports;
    o.options = (rf_buf){ 0 };
    o.report = NULL;
    o.quiet = true;
    rf_buf_printf(&o.options, "%s%srounding=%s,no-check=all",
                  rf_buf_text(&p->o->options), p->o->options.len ? "," : "",
                  rf_rounding_spelling(rounding));
    rf_buf_printf(&log, "%s/again", s->folder);
    rf_run_program(&o, s->executable.data, s->folder, log.data, &reports);
    char *bytes = rf_run_read(log.data, size);
    rf_buf_free(&log);
    rf_buf_free(&o.options);
    return bytes;
}

static void print_verdict(const rf_comparison *c, bool bad)
{
    printf("rf-run: %zu of %zu records differ, %llu elements compared",
           c->differing, c->records, (unsigned long long)c->elements);
    if (c->worst_relative > 0)
        printf(", largest accepted relative difference %.3g",
               c->worst_relative);
    printf(": %s\n", bad ? "DIFFERENT" : "equal");
}

static int judge(const rf_run_options *o, side *reference, side *fused)
{
    rf_arena *arena = rf_arena_new();
    pair p = { o, { reference, fused } };
    size_t fresh = new_reports(reference, fused);
    rf_comparison c = rf_run_compare_logs(
        o, arena,
        &(rf_run_logs){ .bytes = { reference->bytes, fused->bytes },
                        .size = { reference->size, fused->size },
                        .context = &p,
                        .again = again,
                        .report = report });
    bool bad =
        fresh || c.differing || c.mismatch || reference->code != fused->code;
    if (c.mismatch)
        printf("%s: error: the programs do not do the same: %s "
               "[rf-run-compare]\n",
               o->file, c.mismatch);
    if (reference->code != fused->code)
        printf("%s: error: exit code %d of the reference, %d of the fused "
               "program [rf-run-compare]\n",
               o->file, reference->code, fused->code);
    if (rf_run_undecided(o, &c))
        bad = true;
    print_verdict(&c, bad);
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
