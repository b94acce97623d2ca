/* One file: read, analyse, write, and say what became of every mark. */
#include "handle.h"

#include "config.h"
#include "explain.h"
#include "flags.h"
#include "manifest.h"
#include "suggest.h"
#include "support/hash.h"
#include "verify.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const rf_run *run;
    rf_arena *arena;
    const char *path; /* as given */
    rf_file file;
    rf_source source;
    rf_buf *out;
    json_t *result;
    bool written;
    bool only_read;
} job;

const char *rf_path_absolute(rf_arena *arena, const char *path)
{
    char here[PATH_MAX];
    if (!strcmp(path, "-"))
        return "<stdin>";
    if (*path == '/' || !getcwd(here, sizeof here))
        return rf_arena_strdup(arena, path);
    while (!strncmp(path, "./", 2))
        path += 2;
    return rf_arena_printf(arena, "%s/%s", here, path);
}

static bool from_stdin(const job *j)
{
    return !strcmp(j->path, "-");
}

/* ---- The result ----------------------------------------------------- */

static void count(job *j, const char *name, json_int_t n)
{
    json_t *counts = json_object_get(j->result, "counts");
    json_int_t old = json_integer_value(json_object_get(counts, name));
    json_object_set_new(counts, name, json_integer(old + n));
}

static json_t *result_new(const char *path, const char *shown)
{
    static const char *const names[] = {
        "regions", "fused",  "fusible",  "current", "refused",  "edited",
        "skipped", "errors", "warnings", "stale",   "reverted", "candidates",
    };
    json_t *r = json_object(), *counts = json_object();
    json_object_set_new(r, "path", rf_json_text(path, strlen(path)));
    json_object_set_new(r, "shown", rf_json_text(shown, strlen(shown)));
    json_object_set_new(r, "written", json_false());
    for (size_t i = 0; i < RF_COUNTOF(names); i++)
        json_object_set_new(counts, names[i], json_integer(0));
    json_object_set_new(r, "counts", counts);
    json_object_set_new(r, "regions", json_array());
    json_object_set_new(r, "findings", json_array());
    return r;
}

static void add_findings(job *j, const rf_report_file *file,
                         const rf_findings *findings)
{
    json_t *list = json_object_get(j->result, "findings");
    for (size_t i = 0; i < findings->list.len; i++) {
        const rf_finding *f = &findings->list.data[i];
        json_array_append_new(list, rf_finding_json(file, f, j->run->color));
        count(j, "errors", f->severity == RF_ERROR);
        count(j, "warnings", f->severity == RF_WARNING);
    }
}

/* Report a failure of the file as a whole. */
static void fail(job *j, const char *why)
{
    rf_report_file file = { j->source.path, "", 0 };
    rf_finding f = { .name = RF_DIAG_ERROR,
                     .severity = RF_ERROR,
                     .at = { .file = j->source.path },
                     .text = why };
    rf_findings one = { 0 };
    RF_PUSH(one.list, f);
    add_findings(j, &file, &one);
    RF_CLEAR(one.list);
}

/* Whether the edits reach what the user asked to be written. */
static bool applied(const job *j)
{
    const rf_options *o = j->run->options;
    return j->written || o->output || (from_stdin(j) && rf_options_write(o));
}

/* ---- Regions -------------------------------------------------------- */

/* What became of a region, in one word. */
static const char *outcome(const job *j, const rf_analysis *a,
                           const rf_outcome *r, bool lost)
{
    bool in_lines = rf_region_in_lines(j->run, &a->file, r);
    if (a->failed || lost || r->status == RF_REGION_ERROR)
        return r->status == RF_REGION_REFUSED ? "refused" : "error";
    if (r->status == RF_REGION_REFUSED)
        return "refused";
    if (!in_lines)
        return "skipped";
    const char *done = applied(j) ? "fused" : "fusible";
    const char *const words[] = {
        [RF_EDIT_NEW] = done,
        [RF_EDIT_CURRENT] = "current",
        [RF_EDIT_STALE] = done,
        [RF_EDIT_BY_HAND] = "edited",
        [RF_EDIT_IMPOSSIBLE] = "refused",
    };
    return words[r->edit.state];
}

static void set_text(json_t *object, const char *name, const char *text)
{
    if (text)
        json_object_set_new(object, name, rf_json_text(text, strlen(text)));
}

/* Where the marked statement ends, as far as is known. */
static size_t region_end(const rf_outcome *r)
{
    size_t end = r->end > r->edit.mark_end ? r->end : r->edit.mark_end;
    if (r->edit.n_parts && r->edit.parts[0].end > end)
        end = r->edit.parts[0].end;
    return end;
}

static json_t *region_json(const rf_outcome *r, const char *word)
{
    json_t *json = json_object();
    set_text(json, "outcome", word);
    set_text(json, "check", rf_diag_spelling(r->reason));
    set_text(json, "title", r->title);
    set_text(json, "function", r->function);
    set_text(json, "words", r->edit.words);
    set_text(json, "explain", r->explain);
    json_object_set_new(json, "begin",
                        json_integer((json_int_t)r->edit.mark_begin));
    json_object_set_new(json, "end", json_integer((json_int_t)region_end(r)));
    json_object_set_new(json, "line", json_integer(r->at.line));
    json_object_set_new(json, "column", json_integer(r->at.column));
    if (r->passes_before) {
        json_object_set_new(json, "passes_before",
                            json_integer(r->passes_before));
        json_object_set_new(json, "passes_after",
                            json_integer(r->passes_after));
    }
    if (r->bytes_before > 0) {
        json_object_set_new(json, "bytes_before", json_real(r->bytes_before));
        json_object_set_new(json, "bytes_after", json_real(r->bytes_after));
        set_text(json, "moved_before", r->moved_before);
        set_text(json, "moved_after", r->moved_after);
    }
    if (r->n_bounds)
        json_object_set_new(json, "rounding",
                            rf_bounds_json(r->bounds, r->n_bounds));
    return json;
}

/* Why a region is not fused is its explanation. */
static void explain_refusal(const rf_analysis *a, const rf_outcome *r,
                            json_t *json)
{
    rf_buf text = { 0 };
    rf_explain_refusal(&text, r, a->diags);
    set_text(json, "explain", rf_buf_text(&text));
    rf_buf_free(&text);
}

/* "lost": the edits were planned and could not be written. */
static void add_regions(job *j, const rf_analysis *a, bool lost)
{
    json_t *list = json_object_get(j->result, "regions");
    for (size_t i = 0; i < a->regions.list.len; i++) {
        const rf_outcome *r = &a->regions.list.data[i];
        const char *word = outcome(j, a, r, lost);
        json_t *json = region_json(r, word);
        if (j->run->options->explain && r->status == RF_REGION_REFUSED)
            explain_refusal(a, r, json);
        json_array_append_new(list, json);
        count(j, "regions", 1);
        if (strcmp(word, "error"))
            count(j, word, 1);
        else
            count(j, "failed", 1);
    }
}

/* What --check finds: everything a rewrite would change or leave unproven. */
static void count_stale(job *j, const rf_analysis *a)
{
    for (size_t i = 0; i < a->edits_of.len; i++) {
        rf_edit_state state = a->edits_of.data[i].state;
        count(j, "stale",
              state == RF_EDIT_NEW || state == RF_EDIT_STALE ||
                  state == RF_EDIT_BY_HAND);
    }
    if (!j->run->line_filter)
        count(j, "stale", (json_int_t)a->orphans.list.len);
}

/* ---- Output --------------------------------------------------------- */

static void put_explain(job *j, const rf_analysis *a)
{
    for (size_t i = 0; i < a->regions.list.len; i++) {
        const rf_outcome *r = &a->regions.list.data[i];
        if (r->status == RF_REGION_REFUSED)
            rf_explain_refusal(j->out, r, a->diags);
        else if (r->explain)
            rf_buf_puts(j->out, r->explain);
    }
}

static const char *relative(const char *path)
{
    char here[PATH_MAX];
    size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool below = n && !strncmp(path, here, n) && path[n] == '/';
    return below ? path + n + 1 : path;
}

/* Write the result where it belongs. Return -1 after saying why not. */
static int deliver(job *j, const rf_edits *edits)
{
    const rf_options *o = j->run->options;
    const char *why = NULL;
    rf_buf text = { 0 };
    int rc = 0;
    rf_edits_apply(edits, j->file.bytes, j->file.len, &text);
    if (o->diff)
        rf_edits_diff(edits, j->file.bytes, j->file.len,
                      relative(j->source.path), j->out);
    else if (o->output && strcmp(o->output, "-"))
        rc = rf_file_write(j->arena, o->output, rf_buf_text(&text), text.len,
                           &why);
    else if (o->output || (from_stdin(j) && rf_options_write(o)))
        rf_buf_add(j->out, rf_buf_text(&text), text.len);
    else if (rf_options_write(o) && edits->list.len && o->verify &&
             rf_verify(j->arena, o, j->path, rf_buf_text(&text), text.len,
                       &why)) {
        rc = -1;
    } else if (rf_options_write(o) && edits->list.len) {
        rc = rf_file_replace(j->arena, j->path, &j->file, rf_buf_text(&text),
                             text.len, &why);
        j->written = !rc;
    }
    if (rc && o->output)
        why = rf_arena_printf(j->arena, "'%s': %s", o->output, why);
    if (rc)
        fail(j, why);
    rf_buf_free(&text);
    return rc;
}

static void revert(job *j)
{
    rf_edits edits = { 0 };
    if (rf_revert_plan(j->arena, j->file.bytes, j->file.len, &edits))
        fail(j, "a guard has lost a directive; nothing was reverted");
    else if (!deliver(j, &edits))
        count(j, "reverted", (json_int_t)edits.list.len / 2);
    RF_CLEAR(edits.list);
}

/* Read the file into the session, for an analysis that will follow. */
static void read_ahead(job *j)
{
    rf_unit *unit;
    rf_diags *diags = rf_diags_new();
    rf_front_options front = rf_flags_front(j->run->options, &j->source);
    rf_front_parse(&unit, j->arena, j->source.path, j->source.bytes,
                   j->source.len, &front, diags);
    rf_diags_free(diags);
}

static void rewrite(job *j)
{
    rf_analysis a;
    const rf_options *o = j->run->options;
    rf_edits none = { 0 };
    bool lost = false;
    rf_analyse(&a, j->run, &j->source);
    if (o->dump)
        rf_buf_add(j->out, rf_buf_text(&a.regions.dump), a.regions.dump.len);
    if (o->explain)
        put_explain(j, &a);
    if (!a.failed)
        lost = deliver(j, &a.edits);
    else if (from_stdin(j) && rf_options_write(o))
        deliver(j, &none);
    rf_analysis_findings(&a, j->run, !a.failed && !lost && applied(j));
    add_findings(j, &a.file, &a.findings);
    add_regions(j, &a, lost);
    count_stale(j, &a);
    json_object_set_new(j->result, "candidates",
                        rf_candidates_json(&a.candidates));
    count(j, "candidates", (json_int_t)a.candidates.list.len);
    json_object_set_new(j->result, "edits",
                        rf_edits_json(a.edits.list.data, a.edits.list.len));
    rf_analysis_free(&a);
}

static void set_hash(job *j)
{
    char text[20];
    snprintf(text, sizeof text, "%016llx",
             (unsigned long long)rf_hash64(j->file.bytes, j->file.len));
    json_object_set_new(j->result, "hash", json_string(text));
}

static void handle_read(job *j)
{
    rf_edits none = { 0 };
    bool guarded = memmem(j->file.bytes, j->file.len, "RF_REFERENCE", 12);
    bool marked = rf_has_mark(j->file.bytes, j->file.len) ||
                  (rf_run_searches(j->run) &&
                   rf_may_have_candidates(j->file.bytes, j->file.len));
    set_hash(j);
    if (j->run->options->revert)
        revert(j);
    else if (marked && j->run->database_problem)
        fail(j, j->run->database_problem);
    else if ((guarded || marked) && j->only_read)
        read_ahead(j);
    else if (guarded || marked)
        rewrite(j);
    else
        deliver(j, &none);
    if (j->written)
        json_object_set_new(j->result, "written", json_true());
}

static void handle_flags(job *j)
{
    rf_words flags = { 0 };
    j->source.bytes = j->file.bytes;
    j->source.len = j->file.len;
    rf_flags_for(j->arena, j->run, j->source.path, &flags);
    j->source.flags = flags.list.data;
    j->source.n_flags = flags.list.len;
    rf_session *own = j->run->session ? NULL : rf_session_new(true);
    j->source.session = own ? own : j->run->session;
    handle_read(j);
    rf_session_free(own);
    RF_CLEAR(flags.list);
}

/* With the options as the file's configuration completes them. */
static void handle_configured(job *j, const rf_config *config)
{
    rf_options options = *j->run->options;
    rf_run run = *j->run;
    rf_words *const lists[] = { &options.extra, &options.extra_before,
                                &options.removed };
    for (size_t i = 0; i < RF_COUNTOF(lists); i++) {
        rf_words own = { 0 };
        for (size_t k = 0; k < lists[i]->list.len; k++)
            RF_PUSH(own.list, lists[i]->list.data[k]);
        *lists[i] = own;
    }
    rf_config_apply(config, j->arena, &options);
    rf_run_prepare(&run, j->arena, &options);
    j->run = &run;
    handle_flags(j);
    for (size_t i = 0; i < RF_COUNTOF(lists); i++)
        RF_CLEAR(lists[i]->list);
}

/* Handle the file as soon as its bytes are there. */
static void handle_bytes(job *j)
{
    const char *why;
    rf_config config;
    if (rf_config_read(j->arena, j->run->options, j->path, &config, &why))
        fail(j, why);
    else
        handle_configured(j, &config);
    rf_config_free(&config);
}

/* A source without a byte is one that something failed to write; a header
 * may be empty. */
static bool is_lost(const job *j)
{
    size_t n = strlen(j->path);
    return !j->file.len && n > 3 && !strcmp(j->path + n - 3, ".cu");
}

json_t *rf_handle(const rf_run *run, const char *path, rf_buf *out)
{
    const char *why;
    job j = { .run = run, .arena = rf_arena_new(), .path = path, .out = out };
    j.source.path = rf_path_absolute(j.arena, path);
    j.result = result_new(j.source.path, path);
    if (rf_file_read(j.arena, path, &j.file, &why)) {
        fail(&j, why);
    } else if (is_lost(&j)) {
        fail(&j, "the file is empty");
        rf_file_free(&j.file);
    } else {
        handle_bytes(&j);
        rf_file_free(&j.file);
    }
    rf_arena_free(j.arena);
    return j.result;
}

static json_t *examine(const rf_run *run, const char *path, const rf_file *file,
                       bool only_read)
{
    rf_buf out = { 0 };
    job j = { .run = run,
              .arena = rf_arena_new(),
              .path = path,
              .file = *file,
              .out = &out,
              .only_read = only_read };
    j.source.path = path;
    j.result = result_new(path, path);
    handle_bytes(&j);
    rf_buf_free(&out);
    rf_arena_free(j.arena);
    return j.result;
}

json_t *rf_examine(const rf_run *run, const char *path, const rf_file *file)
{
    return examine(run, path, file, false);
}

void rf_read_ahead(const rf_run *run, const char *path, const rf_file *file)
{
    json_decref(examine(run, path, file, true));
}
