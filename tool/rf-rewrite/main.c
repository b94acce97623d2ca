/* rf-rewrite: from the command line to an exit code. */
#include "apply.h"
#include "batch.h"
#include "config.h"
#include "handle.h"
#include "lsp.h"
#include "manifest.h"
#include "suggest.h"

#include <regex.h>
#include <string.h>
#include <unistd.h>

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

/* A report without a word makes no file, but empties the one before. */
static int write_report(const char *path, writer *write, const json_t *results)
{
    if (!path)
        return 0;
    rf_arena *arena = rf_arena_new();
    rf_buf text = { 0 };
    const char *why;
    write(&text, results);
    int rc = 0;
    if (!strcmp(path, "-"))
        fwrite(rf_buf_text(&text), 1, text.len, stdout);
    else if (text.len || !access(path, F_OK))
        rc = rf_file_write(arena, path, rf_buf_text(&text), text.len, &why);
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

static void print_table(const rf_options *o, const json_t *results)
{
    rf_buf table = { 0 };
    if (o->suggest)
        rf_suggest_table(&table, results);
    fwrite(rf_buf_text(&table), 1, table.len, stdout);
    rf_buf_free(&table);
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
    print_table(o, results);
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
        { "fused", "fused", true },
        { "fusible", "to be fused", false },
        { "current", "up to date", false },
        { "refused", "refused", true },
        { "edited", "edited by hand", false },
        { "skipped", "skipped", false },
        { "failed", "failed", false },
    };
    long regions = rf_results_count(results, "regions");
    long errors = rf_results_count(results, "errors");
    size_t files = json_array_size(results);
    if (o->suggest && !o->quiet)
        fprintf(stderr, "rf-rewrite: %ld candidate%s in %zu file%s\n",
                rf_results_count(results, "candidates"),
                plural(rf_results_count(results, "candidates")), files,
                plural((long)files));
    if (o->suggest || o->quiet || (!regions && !errors && !o->revert))
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

/* Said once, however many files there are. */
static void say_no_database(const rf_run *run, const json_t *results)
{
    const rf_options *o = run->options;
    if (!o->quiet && !run->database->path && !o->flags.list.len &&
        rf_results_count(results, "regions"))
        fprintf(stderr, "rf-rewrite: no compile_commands.json was found: read "
                        "with default flags\n");
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
    say_no_database(run, results);
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

/* Wrong configuration is wrong usage: say so before any file is touched. */
static int check_config(const rf_options *o, rf_arena *arena)
{
    rf_config config;
    const char *why, *last = "";
    int rc = 0;
    for (size_t i = 0; i < o->files.list.len; i++) {
        if (rf_config_read(arena, o, o->files.list.data[i], &config, &why)) {
            rc = -1;
            if (strcmp(last, why))
                fprintf(stderr, "%s\n", why);
            last = why;
        }
        rf_config_free(&config);
    }
    return rc;
}

/* A database that was found and cannot be read is passed over; one that was
 * asked for is missed by the first file that has a mark. */
static void open_database(rf_run *run, rf_arena *arena, rf_database *db)
{
    const rf_options *o = run->options;
    const char *why, *first = o->files.list.len ? o->files.list.data[0] : ".";
    run->database = db;
    if (!rf_database_open(arena, o->database, strcmp(first, "-") ? first : ".",
                          db, &why))
        return;
    if (o->database)
        run->database_problem = why;
    else if (!o->quiet)
        fprintf(stderr, "rf-rewrite: warning: %s\n", why);
}

static bool bad_regex(const char *text)
{
    regex_t regex;
    if (!text)
        return false;
    if (regcomp(&regex, text, REG_EXTENDED | REG_NOSUB))
        return true;
    regfree(&regex);
    return false;
}

/* With -p and no file, the database says which: all that it has. Return what is
 * wrong, after saying so, or NULL. */
static const char *take_all_files(rf_options *o, const rf_run *run,
                                  rf_arena *arena)
{
    if (o->files.list.len || !o->database || o->apply || rf_options_idle(o))
        return NULL;
    if (!run->database_problem)
        rf_database_files(run->database, arena, &o->files);
    if (o->files.list.len)
        return NULL;
    const char *why = run->database_problem ? run->database_problem
                                            : "the database has no file";
    fprintf(stderr, "rf-rewrite: error: %s\n", why);
    return why;
}

static int prepare(rf_options *o, rf_run *run, rf_arena *arena, rf_database *db)
{
    const char *why = NULL;
    rf_run_prepare(run, arena, o);
    run->color = want_color(o);
    if (o->line_filter)
        run->line_filter = rf_line_filter_read(arena, o->line_filter, &why);
    if (why)
        fprintf(stderr, "rf-rewrite: error: --line-filter: %s\n", why);
    if (!why && bad_regex(o->header_filter)) {
        why = o->header_filter;
        fprintf(stderr,
                "rf-rewrite: error: --header-filter: '%s' is not a "
                "regular expression\n",
                why);
    }
    if ((o->files.list.len || o->database) && !o->apply && !o->list_checks)
        open_database(run, arena, db);
    if (!why)
        why = take_all_files(o, run, arena);
    return why || check_config(o, arena) ? -1 : 0;
}

static int dump_config(const rf_options *o, rf_arena *arena)
{
    rf_config config;
    const char *why;
    const char *path = o->files.list.len ? o->files.list.data[0] : "-";
    int rc = rf_config_read(arena, o, path, &config, &why);
    if (rc)
        fprintf(stderr, "%s\n", why);
    else if (o->dump_config)
        rf_config_dump(&config, stdout);
    else
        printf("No config errors detected.\n");
    rf_config_free(&config);
    return rc ? 2 : 0;
}

/* The server asks for findings only. */
static int serve(const rf_run *run, rf_arena *arena)
{
    rf_options options = *run->options;
    rf_run own = *run;
    options.check = options.explain = true;
    options.quiet = false;
    rf_run_prepare(&own, arena, &options);
    own.color = false;
    own.candidates = true;
    return rf_lsp_serve(&own);
}

/* What can be answered without a file; -1 when there is work to do. */
static int answer(const rf_run *run, rf_arena *arena)
{
    const rf_options *o = run->options;
    if (o->help)
        rf_options_help(stdout);
    else if (o->version)
        printf("rf-rewrite %s\n", RF_VERSION);
    else if (o->list_checks)
        list_checks(run);
    else if (o->dump_config || o->verify_config)
        return dump_config(o, arena);
    else if (o->apply)
        return rf_apply(o);
    else if (o->lsp)
        return serve(run, arena);
    else if (o->proof_check)
        return rf_manifest_check(arena, o->proof_check) ? 1 : 0;
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
    rf_database database = { 0 };
    rf_arena *arena = rf_arena_new();
    int rc = rf_options_parse(&options, argc, argv);
    if (!rc)
        rc = prepare(&options, &run, arena, &database);
    if (rc) {
        rc = 2;
    } else {
        rc = answer(&run, arena);
        if (rc < 0)
            rc = run_files(&run);
    }
    rf_line_filter_free(run.line_filter);
    rf_database_close(&database);
    rf_options_free(&options);
    rf_arena_free(arena);
    return rc;
}
