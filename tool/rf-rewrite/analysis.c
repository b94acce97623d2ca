/* From a source to edits, by way of the pipeline. */
#include "analysis.h"

#include "suggest.h"

#include <regex.h>
#include <string.h>

/* What clang-tidy calls the default checks. */
static const char default_checks[] = "*,-rf-candidate,";

void rf_run_prepare(rf_run *run, rf_arena *arena, const rf_options *options)
{
    run->options = options;
    run->checks = rf_arena_printf(arena, "%s%s", default_checks,
                                  options->checks ? options->checks : "");
    run->errors = options->werror ? "*" : options->warnings_as_errors;
}

/* Skip what may stand between "pragma" and "rf": blanks and, in the operator's
 * form, the parenthesis and the quote. */
static size_t skip_to_word(const char *s, size_t len, size_t at)
{
    while (at < len && s[at] && strchr(" \t(\"L", s[at]))
        at++;
    return at;
}

bool rf_has_mark(const char *bytes, size_t len)
{
    size_t at = 0;
    const char *found;
    while ((found = memmem(bytes + at, len - at, "ragma", 5))) {
        at = (size_t)(found - bytes) + 5;
        size_t word = skip_to_word(bytes, len, at);
        if (word > at && len - word > 2 && !memcmp(bytes + word, "rf", 2) &&
            strchr(" \t\"\r\n\\", bytes[word + 2]))
            return true;
    }
    return false;
}

bool rf_run_reports_candidates(const rf_run *run)
{
    return rf_checks_select(run->checks, rf_diag_spelling(RF_DIAG_CANDIDATE));
}

bool rf_run_searches(const rf_run *run)
{
    return run->candidates || run->options->suggest ||
           rf_run_reports_candidates(run);
}

static bool source_valid(rf_analysis *a)
{
    size_t bad = rf_utf8_check(a->file.bytes, a->file.len);
    rf_place at = { .file = a->file.path, .offset = (uint32_t)bad };
    if (a->file.len > UINT32_MAX) {
        at.offset = 0;
        rf_diag_add(a->diags, RF_ERROR, RF_DIAG_ERROR, at,
                    "the file is larger than 4 GB");
        return false;
    }
    if (bad == a->file.len)
        return true;
    rf_place_complete(&a->file, &at);
    rf_diag_add(a->diags, RF_ERROR, RF_DIAG_ERROR, at,
                "the file is not UTF-8: byte 0x%02x",
                (unsigned char)a->file.bytes[bad]);
    return false;
}

/* A change of any line of a region changes what it is rewritten to. */
bool rf_region_in_lines(const rf_run *run, const rf_report_file *file,
                        const rf_outcome *r)
{
    size_t end = r->end < file->len ? r->end : file->len;
    uint32_t line = r->at.line;
    bool passes = rf_line_filter_passes(run->line_filter, file->path, line);
    for (size_t i = r->at.offset; i < end && !passes; i++)
        if (file->bytes[i] == '\n')
            passes =
                rf_line_filter_passes(run->line_filter, file->path, ++line);
    return passes;
}

static bool wanted(const rf_analysis *a, const rf_run *run, const rf_outcome *r)
{
    return r->status == RF_REGION_FUSED && rf_region_in_lines(run, &a->file, r);
}

static void plan_edits(rf_analysis *a, const rf_run *run)
{
    rf_edit_rules rules = { .force = run->options->force,
                            .keep_orphans = run->line_filter != NULL };
    for (size_t i = 0; i < a->regions.list.len; i++)
        if (wanted(a, run, &a->regions.list.data[i]))
            RF_PUSH(a->edits_of, a->regions.list.data[i].edit);
    rf_edit_plan(a->arena, a->file.bytes, a->file.len, a->edits_of.data,
                 a->edits_of.len, rules, &a->edits, &a->orphans);
    for (size_t i = 0, k = 0; i < a->regions.list.len; i++)
        if (wanted(a, run, &a->regions.list.data[i]))
            a->regions.list.data[i].edit = a->edits_of.data[k++];
}

static bool any_error(const rf_analysis *a)
{
    for (size_t i = 0; i < a->regions.list.len; i++)
        if (a->regions.list.data[i].status == RF_REGION_ERROR)
            return true;
    return rf_diags_count(a->diags, RF_ERROR) > 0;
}

void rf_analyse(rf_analysis *a, const rf_run *run, const rf_source *source)
{
    *a = (rf_analysis){ .arena = rf_arena_new(),
                        .file = { source->path, source->bytes, source->len },
                        .diags = rf_diags_new() };
    a->regions.arena = a->arena;
    a->first_candidate = -1;
    bool marked =
        rf_has_mark(source->bytes, source->len) && !run->options->suggest;
    bool search = rf_run_searches(run);
    if ((marked || search) && !source_valid(a))
        a->failed = true;
    else if (marked &&
             rf_pipeline_run(run->options, source, &a->regions, a->diags))
        a->failed = true;
    a->failed |= any_error(a);
    if (!a->failed && !run->options->suggest)
        plan_edits(a, run);
    if (search && !a->failed)
        rf_analysis_search(a, run, source);
}

void rf_analysis_free(rf_analysis *a)
{
    RF_CLEAR(a->regions.list);
    RF_CLEAR(a->edits_of);
    RF_CLEAR(a->edits.list);
    RF_CLEAR(a->orphans.list);
    RF_CLEAR(a->findings.list);
    RF_CLEAR(a->candidates.list);
    rf_buf_free(&a->regions.dump);
    rf_diags_free(a->diags);
    rf_arena_free(a->arena);
}

/* ---- Findings ------------------------------------------------------- */

/* The edits of one region alone, for those who apply findings one by one. */
static void attach_fixes(rf_analysis *a, const rf_outcome *r, rf_finding *f)
{
    rf_edits own = { 0 };
    rf_edit_region copy = r->edit;
    rf_edit_plan(a->arena, a->file.bytes, a->file.len, &copy, 1,
                 (rf_edit_rules){ .force = true, .keep_orphans = true }, &own,
                 NULL);
    rf_edit *kept = RF_NEW_ARRAY(a->arena, own.list.len, rf_edit);
    if (own.list.len)
        memcpy(kept, own.list.data, own.list.len * sizeof *kept);
    f->fixes = kept;
    f->n_fixes = own.list.len;
    RF_CLEAR(own.list);
}

/* The finding of a region, or a new one where the pipeline said nothing. */
static rf_finding *region_finding(rf_analysis *a, const rf_outcome *r)
{
    if (r->finding >= 0 && (size_t)r->finding < a->diags->list.len)
        return &a->findings.list.data[r->finding];
    rf_finding f = { .name = r->reason, .severity = RF_WARNING, .at = r->at };
    f.text = r->title ? r->title : rf_diag_help(r->reason);
    RF_PUSH(a->findings.list, f);
    return &RF_LAST(a->findings.list);
}

static void say_impossible(rf_analysis *a, const rf_outcome *r, rf_finding *f)
{
    f->name = RF_DIAG_MACRO;
    f->severity = RF_WARNING;
    f->at.offset = (uint32_t)r->edit.problem_at;
    rf_place_complete(&a->file, &f->at);
    f->text = rf_arena_printf(a->arena, "not fused: %s", r->edit.problem);
}

static void say_stale(rf_analysis *a, rf_finding *f, const char *why)
{
    f->name = RF_DIAG_STALE;
    f->text = rf_arena_printf(a->arena, "%s", why);
}

/* What is said of a fused region depends on what became of it. */
static void tell_region(rf_analysis *a, const rf_run *run, const rf_outcome *r,
                        bool applied)
{
    rf_finding *f = region_finding(a, r);
    f->function = r->function;
    if (r->status != RF_REGION_FUSED || !wanted(a, run, r))
        return;
    switch (r->edit.state) {
    case RF_EDIT_NEW:
    case RF_EDIT_STALE:
        attach_fixes(a, r, f);
        f->fixed = applied;
        if (applied)
            f->severity = RF_REMARK;
        else if (r->edit.state == RF_EDIT_STALE)
            say_stale(a, f, "the generated code is out of date");
        break;
    case RF_EDIT_CURRENT:
        f->text = NULL;
        break;
    case RF_EDIT_BY_HAND:
        say_stale(a, f,
                  "the generated code was edited by hand; --force overwrites "
                  "it, --revert takes it away");
        break;
    case RF_EDIT_IMPOSSIBLE:
        say_impossible(a, r, f);
    }
}

static void tell_orphan(rf_analysis *a, const rf_guard *g, bool applied)
{
    rf_finding f = { .name = RF_DIAG_STALE, .severity = RF_WARNING };
    f.at = (rf_place){ .file = a->file.path, .offset = (uint32_t)g->begin };
    rf_place_complete(&a->file, &f.at);
    bool gone = applied && !g->damaged && !g->edited;
    f.fixed = gone;
    f.severity = gone ? RF_REMARK : RF_WARNING;
    f.text = g->damaged  ? "this guard has lost a directive"
             : gone      ? "no mark accounts for this guard: the author's "
                           "code is back"
             : g->edited ? "no mark accounts for this guard, and its code was "
                           "edited by hand"
                         : "no mark accounts for this guard";
    RF_PUSH(a->findings.list, f);
}

/* Findings of other files pass by --header-filter; without, all do. */
static bool header_passes(const rf_analysis *a, const rf_run *run,
                          const rf_finding *f)
{
    regex_t regex;
    const char *text = run->options->header_filter;
    if (!text || !strcmp(f->at.file, a->file.path) ||
        regcomp(&regex, text, REG_EXTENDED | REG_NOSUB))
        return true;
    bool match = !regexec(&regex, f->at.file, 0, NULL, 0);
    regfree(&regex);
    return match;
}

/* The region that finding "i" is about, or NULL. */
static const rf_outcome *region_of(const rf_analysis *a, size_t i)
{
    const rf_finding *f = &a->findings.list.data[i];
    for (size_t k = 0; k < a->regions.list.len; k++) {
        const rf_outcome *r = &a->regions.list.data[k];
        if (r->finding == (ptrdiff_t)i ||
            (f->at.file && !strcmp(f->at.file, a->file.path) &&
             f->at.offset >= r->at.offset && f->at.offset < r->end))
            return r;
    }
    return NULL;
}

/* NOLINT counts where the finding is, at the mark of its region, and where its
 * macro is defined. */
static bool is_nolint(const rf_analysis *a, const rf_nolint *nolint,
                      const rf_finding *f, const rf_outcome *region)
{
    const char *name = rf_diag_spelling(f->name);
    bool any = rf_nolint_covers(nolint, f->at.line, name) ||
               (region && rf_nolint_covers(nolint, region->at.line, name));
    for (size_t i = 0; i < f->n_notes && !any; i++) {
        const rf_diag_note *n = &f->notes[i];
        any = !strncmp(n->text, RF_EXPANDED, strlen(RF_EXPANDED)) &&
              !strcmp(n->at.file, a->file.path) &&
              rf_nolint_covers(nolint, n->at.line, name);
    }
    return any;
}

static bool shown(const rf_analysis *a, const rf_run *run,
                  const rf_nolint *nolint, size_t i)
{
    const rf_finding *f = &a->findings.list.data[i];
    const rf_outcome *region = region_of(a, i);
    const char *name = rf_diag_spelling(f->name);
    if (!f->text)
        return false;
    if (f->severity == RF_ERROR)
        return true;
    if (f->severity == RF_REMARK && run->options->quiet)
        return false;
    if (!f->at.file)
        return true;
    return rf_checks_select(run->checks, name) && header_passes(a, run, f) &&
           (rf_line_filter_passes(run->line_filter, f->at.file, f->at.line) ||
            (region && rf_region_in_lines(run, &a->file, region))) &&
           !is_nolint(a, nolint, f, region);
}

static void promote(const rf_run *run, rf_finding *f)
{
    if (f->severity != RF_WARNING || !run->errors ||
        !rf_checks_select(run->errors, rf_diag_spelling(f->name)))
        return;
    f->severity = RF_ERROR;
    f->promoted = true;
}

void rf_analysis_findings(rf_analysis *a, const rf_run *run, bool applied)
{
    rf_nolint *nolint = rf_nolint_read(&a->file, a->diags);
    size_t kept = 0;
    a->findings = rf_findings_from(a->diags);
    for (size_t i = 0; i < a->regions.list.len && !a->failed; i++)
        tell_region(a, run, &a->regions.list.data[i], applied);
    rf_analysis_offer_marks(a, applied);
    for (size_t i = 0; i < a->orphans.list.len && !run->line_filter; i++)
        tell_orphan(a, &a->orphans.list.data[i], applied);
    for (size_t i = 0; i < a->findings.list.len; i++) {
        rf_finding f = a->findings.list.data[i];
        if (!shown(a, run, nolint, i))
            continue;
        promote(run, &f);
        a->findings.list.data[kept++] = f;
    }
    a->findings.list.len = kept;
    rf_findings_sort(&a->findings);
    rf_nolint_free(nolint);
}
