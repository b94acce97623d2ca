/* rf-rewrite: from the command line to an exit code. */
#include "batch.h"
#include "handle.h"

#include <string.h>
#include <unistd.h>

/* What clang-tidy calls the default checks. */
static const char default_checks[] = "*,-rf-candidate,";

static int list_checks(const rf_run *run)
{
    printf("Enabled checks:\n");
    for (int i = 0; i < RF_DIAG_COUNT; i++) {
        const char *name = rf_diag_spelling((rf_diag_name)i);
        if (rf_checks_select(run->checks, name))
            printf("    %s\n", name);
    }
    printf("\n");
    return 0;
}

/* ---- Outputs -------------------------------------------------------- */

typedef void writer(rf_buf *, const json_t *);

static int write_report(const char *path, writer *write, const json_t *results)
{
    if (!path)
        return 0;
    rf_arena *arena = rf_arena_new();
    rf_buf text = { 0 };
    const char *why;
    write(&text, results);
    int rc =
        !strcmp(path, "-")
            ? (fwrite(rf_buf_text(&text), 1, text.len, stdout), 0)
            : rf_file_write(arena, path, rf_buf_text(&text), text.len, &why);
    if (rc)
        fprintf(stderr, "rf-rewrite: error: '%s': %s\n", path, why);
    rf_buf_free(&text);
    rf_arena_free(arena);
    return rc;
}

static int write_reports(const rf_options *o, const json_t *results)
{
    return write_report(o->export_fixes, rf_results_yaml, results) |
           write_report(o->sarif, rf_results_sarif, results) |
           write_report(o->remarks, rf_results_remarks, results) |
           write_report(o->summary, rf_results_summary, results);
}

/* Whether stdout carries something other than findings. */
static bool stdout_taken(const rf_options *o)
{
    bool from_stdin = false;
    for (size_t i = 0; i < o->files.list.len; i++)
        from_stdin |= !strcmp(o->files.list.data[i], "-");
    return o->diff || o->dump || o->explain || o->suggest ||
           (o->output && !strcmp(o->output, "-")) ||
           (from_stdin && rf_options_write(o));
}

static int print_findings(const rf_options *o, const json_t *results,
                          const rf_buf *out)
{
    rf_buf text = { 0 };
    rf_results_text(&text, results);
    FILE *to = stdout_taken(o) ? stderr : stdout;
    fwrite(rf_buf_text(&text), 1, text.len, to);
    rf_buf_free(&text);
    fwrite(rf_buf_text(out), 1, out->len, stdout);
    if (!fflush(stdout) && !ferror(stdout))
        return 0;
    perror("rf-rewrite: error: cannot write to stdout");
    return -1;
}

static const char *plural(long n)
{
    return n == 1 ? "" : "s";
}

static void print_summary(const rf_options *o, const json_t *results)
{
    static const struct {
        const char *name, *word;
        bool always;
    } parts[] = {
        { "fused", "fused", true },      { "current", "up to date", false },
        { "refused", "refused", true },  { "edited", "edited by hand", false },
        { "skipped", "skipped", false }, { "failed", "failed", false },
    };
    long regions = rf_results_count(results, "regions");
    long errors = rf_results_count(results, "errors");
    size_t files = json_array_size(results);
    if (o->quiet || (!regions && !errors && !o->revert))
        return;
    if (o->revert) {
        long n = rf_results_count(results, "reverted");
        fprintf(stderr, "rf-rewrite: %ld guard%s taken away", n, plural(n));
    } else {
        fprintf(stderr, "rf-rewrite: %ld marked region%s in %zu file%s",
                regions, plural(regions), files, plural((long)files));
    }
    for (size_t i = 0; i < RF_COUNTOF(parts) && !o->revert; i++) {
        long n = rf_results_count(results, parts[i].name);
        if (n || parts[i].always)
            fprintf(stderr, "%s %ld %s", i ? "," : ":", n, parts[i].word);
    }
    fprintf(stderr, ", %ld error%s\n", errors, plural(errors));
}

/* ---- Exit code ------------------------------------------------------ */

static int exit_code(const rf_options *o, const json_t *results)
{
    if (rf_results_count(results, "errors"))
        return 1;
    return o->check && rf_results_count(results, "stale") ? 1 : 0;
}

static int run_files(const rf_run *run)
{
    rf_buf out = { 0 };
    json_t *results = rf_batch_run(run, &out);
    rf_results_unique(results);
    int rc = exit_code(run->options, results);
    if (print_findings(run->options, results, &out))
        rc = 1;
    if (write_reports(run->options, results))
        rc = 1;
    print_summary(run->options, results);
    json_decref(results);
    rf_buf_free(&out);
    return rc;
}

/* ---- Start ---------------------------------------------------------- */

static bool want_color(const rf_options *o)
{
    const char *c = o->color;
    if (!c || !strcmp(c, "auto"))
        return isatty(stdout_taken(o) ? 2 : 1) && !getenv("NO_COLOR");
    return !strcmp(c, "yes") || !strcmp(c, "true") || !strcmp(c, "1");
}

static int prepare(rf_run *run, rf_arena *arena)
{
    const rf_options *o = run->options;
    const char *why = NULL;
    run->checks = rf_arena_printf(arena, "%s%s", default_checks,
                                  o->checks ? o->checks : "");
    run->errors = o->werror ? "*" : o->warnings_as_errors;
    run->color = want_color(o);
    if (o->line_filter)
        run->line_filter = rf_line_filter_read(arena, o->line_filter, &why);
    if (!why)
        return 0;
    fprintf(stderr, "rf-rewrite: error: --line-filter: %s\n", why);
    return -1;
}

/* What can be answered without a file; -1 when there is work to do. */
static int answer(const rf_run *run)
{
    const rf_options *o = run->options;
    if (o->help)
        rf_options_help(stdout);
    else if (o->version)
        printf("rf-rewrite %s\n", RF_VERSION);
    else if (o->list_checks)
        list_checks(run);
    else if (o->man)
        rf_options_man(stdout);
    else if (o->completion)
        return rf_options_completion(stdout, o->completion) ? 2 : 0;
    else
        return -1;
    return 0;
}

int main(int argc, char **argv)
{
    rf_options options;
    rf_run run = { .options = &options };
    rf_arena *arena = rf_arena_new();
    int rc = rf_options_parse(&options, argc, argv);
    if (!rc)
        rc = prepare(&run, arena);
    if (rc) {
        rc = 2;
    } else {
        rc = answer(&run);
        if (rc < 0)
            rc = run_files(&run);
    }
    rf_line_filter_free(run.line_filter);
    rf_options_free(&options);
    rf_arena_free(arena);
    return rc;
}
