/* What is said of candidates. The table ranks them by what fusing saves: the
 * share of the traffic along the axis first, then the passes. */
#include "suggest.h"

#include <string.h>
#include <unistd.h>

/* ---- findings ------------------------------------------------------- */

static bool is_shown(const rf_run *run, const rf_nolint *nolint,
                     const rf_place *at)
{
    const char *name = rf_diag_spelling(RF_DIAG_CANDIDATE);
    return rf_line_filter_passes(run->line_filter, at->file, at->line) &&
           !rf_nolint_covers(nolint, at->line, name);
}

static void say_candidate(rf_analysis *a, const rf_run *run,
                          const rf_nolint *nolint, rf_candidate *c)
{
    const rf_options *o = run->options;
    rf_diag_add(a->diags, RF_WARNING, RF_DIAG_CANDIDATE, c->outcome.at, "%s",
                c->text);
    bool wanted = o->fix || (o->diff && o->checks);
    if (!wanted || a->failed || !is_shown(run, nolint, &c->outcome.at))
        return;
    c->inserted = true;
    RF_PUSH(a->edits.list, c->edit);
}

static void say_problem(rf_analysis *a, const char *problem)
{
    rf_place at = { .file = a->file.path };
    if (!a->failed)
        rf_diag_add(a->diags, RF_WARNING, RF_DIAG_ERROR, at,
                    "not searched for candidates: %s", problem);
}

void rf_analysis_search(rf_analysis *a, const rf_run *run,
                        const rf_source *source)
{
    rf_diags *scratch = rf_diags_new();
    rf_nolint *nolint = rf_nolint_read(&a->file, scratch);
    bool told = rf_run_reports_candidates(run);
    rf_candidates_find(a->arena, run->options, source, &a->candidates);
    a->first_candidate = -1;
    if (told)
        a->first_candidate = (ptrdiff_t)a->diags->list.len;
    for (size_t i = 0; i < a->candidates.list.len; i++) {
        rf_candidate *c = &a->candidates.list.data[i];
        c->outcome.at =
            (rf_place){ .file = a->file.path, .offset = (uint32_t)c->begin };
        rf_place_complete(&a->file, &c->outcome.at);
        if (told)
            say_candidate(a, run, nolint, c);
    }
    rf_edits_sort(&a->edits);
    if (a->candidates.problem && (told || run->options->suggest))
        say_problem(a, a->candidates.problem);
    rf_nolint_free(nolint);
    rf_diags_free(scratch);
}

void rf_analysis_offer_marks(rf_analysis *a, bool applied)
{
    for (size_t i = 0; a->first_candidate >= 0 && i < a->candidates.list.len;
         i++) {
        const rf_candidate *c = &a->candidates.list.data[i];
        rf_finding *f = &a->findings.list.data[(size_t)a->first_candidate + i];
        f->function = c->outcome.function;
        f->fixes = &c->edit;
        f->n_fixes = 1;
        f->fixed = applied && c->inserted;
        if (f->fixed)
            f->severity = RF_REMARK;
    }
}

/* ---- JSON ----------------------------------------------------------- */

static json_t *candidate_json(const rf_candidate *c)
{
    const rf_outcome *o = &c->outcome;
    const char *function = o->function ? o->function : "";
    const char *title = o->title ? o->title : "";
    return json_pack(
        "{s:i, s:i, s:I, s:I, s:s, s:o, s:o, s:o, s:i, s:i, s:f, s:f, s:s, "
        "s:o}",
        "line", (int)o->at.line, "column", (int)o->at.column, "begin",
        (json_int_t)c->begin, "end", (json_int_t)c->end, "mark",
        rf_candidate_mark(c), "function",
        rf_json_text(function, strlen(function)), "title",
        rf_json_text(title, strlen(title)), "message",
        rf_json_text(c->text, strlen(c->text)), "passes_before",
        (int)o->passes_before, "passes_after", (int)o->passes_after,
        "bytes_before", o->bytes_before, "bytes_after", o->bytes_after, "check",
        rf_diag_spelling(o->reason), "fixes", rf_edits_json(&c->edit, 1));
}

json_t *rf_candidates_json(const rf_candidates *candidates)
{
    json_t *list = json_array();
    for (size_t i = 0; i < candidates->list.len; i++)
        json_array_append_new(list, candidate_json(&candidates->list.data[i]));
    return list;
}

/* ---- the table ------------------------------------------------------ */

typedef struct {
    const char *path, *title, *function;
    json_int_t line, before, after;
    double bytes_before, bytes_after;
    size_t order;
} row;

static row read_row(const json_t *file, const json_t *c, size_t order)
{
    return (row){
        .path = rf_json_string(file, "shown"),
        .title = rf_json_string(c, "title"),
        .function = rf_json_string(c, "function"),
        .line = json_integer_value(json_object_get(c, "line")),
        .before = json_integer_value(json_object_get(c, "passes_before")),
        .after = json_integer_value(json_object_get(c, "passes_after")),
        .bytes_before = json_real_value(json_object_get(c, "bytes_before")),
        .bytes_after = json_real_value(json_object_get(c, "bytes_after")),
        .order = order,
    };
}

static double share(const row *r)
{
    return r->bytes_before > 0 ? 1 - r->bytes_after / r->bytes_before
           : r->before         ? 1 - (double)r->after / (double)r->before
                               : 0;
}

static int by_reward(const void *a, const void *b)
{
    const row *x = a, *y = b;
    double p = share(x), q = share(y);
    json_int_t m = x->before - x->after, n = y->before - y->after;
    if (p != q)
        return p > q ? -1 : 1;
    if (m != n)
        return m > n ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void put_row(rf_buf *out, const row *r)
{
    char passes[32], bytes[48] = "?";
    snprintf(passes, sizeof passes, "%d -> %d", (int)r->before, (int)r->after);
    if (r->bytes_before > 0)
        snprintf(bytes, sizeof bytes, "%g -> %g", r->bytes_before,
                 r->bytes_after);
    rf_buf_printf(out, "%4.0f %%  %-7s  %-9s  %s:%d: %s: %s\n", 100 * share(r),
                  passes, bytes, r->path, (int)r->line, r->function, r->title);
}

void rf_suggest_table(rf_buf *out, const json_t *results)
{
    RF_ARRAY(row) rows = { 0 };
    const json_t *file, *c;
    size_t i, k;
    json_array_foreach((json_t *)results, i, file)
    {
        json_array_foreach(json_object_get(file, "candidates"), k, c)
        {
            row r = read_row(file, c, rows.len);
            RF_PUSH(rows, r);
        }
    }
    if (rows.len)
        qsort(rows.data, rows.len, sizeof *rows.data, by_reward);
    if (rows.len)
        rf_buf_puts(out, " saved  passes   bytes*     candidate\n");
    for (i = 0; i < rows.len; i++)
        put_row(out, &rows.data[i]);
    if (rows.len)
        rf_buf_puts(out, "* of memory traffic for each element of the axis "
                         "(of the intermediate in a\n  chain), before and "
                         "after; '--checks=rf-candidate --fix' adds the "
                         "marks\n");
    RF_CLEAR(rows);
}
