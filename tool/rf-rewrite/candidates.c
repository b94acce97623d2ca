/* The search for candidates: suspects by a plan, candidates by the pipeline. */
#include "candidates.h"

#include "analysis.h"
#include "flags.h"
#include "plan/chain.h"
#include "plan/plan.h"

#include <string.h>

/* A function that the analysis would fuse, and the mark that it would need. */
typedef struct {
    rf_range at;
    rf_mark_kind kind;
    size_t mark_at; /* the '#' in the copy that is marked */
} suspect;

typedef struct {
    rf_arena *arena;
    const rf_options *options;
    const rf_source *source;
    RF_ARRAY(suspect) suspects;
    const char *eol;
} finder;

const char *rf_candidate_mark(const rf_candidate *c)
{
    return c->outcome.reason == RF_DIAG_GEMM_CHAIN ? "gemm_chain" : "cascade";
}

static const char *mark_of(const suspect *s)
{
    return s->kind == RF_MARK_GEMM_CHAIN ? "gemm_chain" : "cascade";
}

/* ---- a scan --------------------------------------------------------- */

static size_t occurrences(const char *bytes, size_t len, const char *word)
{
    size_t n = 0, at = 0, size = strlen(word);
    const char *found;
    while ((found = memmem(bytes + at, len - at, word, size))) {
        n++;
        at = (size_t)(found - bytes) + size;
    }
    return n;
}

bool rf_may_have_candidates(const char *bytes, size_t len)
{
    return (memmem(bytes, len, "__global__", 10) ||
            memmem(bytes, len, "__device__", 10)) &&
           occurrences(bytes, len, "for") + occurrences(bytes, len, "while") >=
               2;
}

/* ---- suspects ------------------------------------------------------- */

enum { CALLS_FOLLOWED = 4 };

static unsigned loops_in_expr(const rf_expr *e, unsigned depth);

/* How many loops run below "s", those of called functions too. */
static unsigned loops_in(const rf_stmt *s, unsigned depth)
{
    if (!s)
        return 0;
    unsigned n = s->kind == RF_STMT_FOR || s->kind == RF_STMT_WHILE ||
                 s->kind == RF_STMT_DO;
    n += loops_in(s->init, depth) + loops_in(s->body, depth) +
         loops_in(s->orelse, depth) + loops_in_expr(s->expr, depth);
    for (unsigned i = 0; i < s->n; i++)
        n += loops_in(s->list[i], depth);
    return n;
}

static unsigned loops_in_expr(const rf_expr *e, unsigned depth)
{
    if (!e)
        return 0;
    unsigned n = e->callee && depth < CALLS_FOLLOWED
                     ? loops_in(e->callee->body, depth + 1)
                     : 0;
    for (unsigned i = 0; i < e->n; i++)
        n += loops_in_expr(e->arg[i], depth);
    return n;
}

/* The author has been here: what is marked, or told to be left alone. */
static bool is_marked(const rf_unit *unit, const rf_func *f)
{
    for (size_t i = 0; i < unit->regions.len; i++)
        if (unit->regions.data[i].func == f)
            return true;
    const char *text = unit->bytes + f->at.begin;
    size_t len = f->at.end - f->at.begin;
    return rf_has_mark(text, len) || memmem(text, len, "RF_REFERENCE", 12);
}

static bool is_open(const rf_unit *unit, const rf_func *f)
{
    return f->body && !f->has_error && f->at.begin != UINT32_MAX &&
           f->at.end <= unit->size && !is_marked(unit, f) &&
           loops_in(f->body, 0) >= 2;
}

static bool plans(finder *d, const rf_unit *unit, const rf_region *region)
{
    rf_plans found = { 0 };
    rf_plan_region(d->arena, unit, region, &found, NULL);
    bool any = found.len > 0;
    RF_CLEAR(found);
    return any;
}

static bool chains(finder *d, const rf_unit *unit, const rf_region *region)
{
    rf_chain *chain = rf_chain_find(d->arena, unit, region, NULL);
    bool any = chain != NULL;
    if (chain)
        rf_chain_clear(chain);
    return any;
}

/* Plan "f" as if it were marked. */
static void suspect_func(finder *d, const rf_unit *unit, rf_func *f)
{
    rf_region region = { .func = f, .stmt = f->body, .whole_function = true };
    region.mark.place = rf_unit_place(unit, f->at.begin);
    region.mark.text = "";
    suspect s = { .at = f->at, .kind = RF_MARK_CASCADE };
    region.mark.kind = RF_MARK_CASCADE;
    bool fits = plans(d, unit, &region);
    if (!fits) {
        region.mark.kind = s.kind = RF_MARK_GEMM_CHAIN;
        fits = chains(d, unit, &region);
    }
    if (fits)
        RF_PUSH(d->suspects, s);
}

static void find_suspects(finder *d, rf_candidates *out)
{
    rf_unit *unit;
    rf_front_options front = rf_flags_front(d->options, d->source);
    rf_diags *diags = rf_diags_new();
    int rc = rf_front_parse(&unit, d->arena, d->source->path, d->source->bytes,
                            d->source->len, &front, diags);
    for (size_t i = 0; rc && i < diags->list.len; i++)
        if (diags->list.data[i].severity == RF_ERROR)
            out->problem = rf_arena_strdup(d->arena, diags->list.data[i].text);
    for (size_t i = 0; !rc && i < unit->funcs.len; i++)
        if (is_open(unit, unit->funcs.data[i]))
            suspect_func(d, unit, unit->funcs.data[i]);
    rf_diags_free(diags);
}

/* ---- the marked copy ------------------------------------------------ */

static size_t line_begin(const rf_source *s, size_t at)
{
    while (at && s->bytes[at - 1] != '\n')
        at--;
    return at;
}

/* Put the mark on the line above: the function keeps its column. */
static rf_edit insertion(finder *d, const suspect *s)
{
    const char *bytes = d->source->bytes;
    size_t line = line_begin(d->source, s->at.begin), indent = line;
    while (indent < s->at.begin && strchr(" \t", bytes[indent]))
        indent++;
    int n = (int)(indent - line);
    const char *text = rf_arena_printf(
        d->arena, "%s%.*s#pragma rf %s%s%.*s",
        indent < s->at.begin ? d->eol : "", indent < s->at.begin ? n : 0,
        bytes + line, mark_of(s), d->eol, n, bytes + line);
    return (rf_edit){ s->at.begin, s->at.begin, text, strlen(text) };
}

/* The text with a mark at every suspect; sets where they stand. */
static void mark_copy(finder *d, rf_buf *copy)
{
    size_t done = 0;
    for (size_t i = 0; i < d->suspects.len; i++) {
        suspect *s = &d->suspects.data[i];
        rf_edit e = insertion(d, s);
        rf_buf_add(copy, d->source->bytes + done, e.begin - done);
        s->mark_at = copy->len + (size_t)(strchr(e.text, '#') - e.text);
        rf_buf_add(copy, e.text, e.len);
        done = e.begin;
    }
    rf_buf_add(copy, d->source->bytes + done, d->source->len - done);
}

static const rf_outcome *outcome_at(const rf_outcomes *all, size_t at)
{
    for (size_t i = 0; i < all->list.len; i++)
        if (all->list.data[i].at.offset == at)
            return &all->list.data[i];
    return NULL;
}

/* Whether the edits of "o" can be made in "copy". */
static bool fits_in(finder *d, const rf_buf *copy, const rf_outcome *o)
{
    rf_edits own = { 0 };
    rf_edit_region region = o->edit;
    rf_edit_plan(d->arena, copy->data, copy->len, &region, 1,
                 (rf_edit_rules){ .force = true, .keep_orphans = true }, &own,
                 NULL);
    RF_CLEAR(own.list);
    return region.state == RF_EDIT_NEW;
}

static rf_candidate candidate(finder *d, const suspect *s, const rf_outcome *o,
                              const rf_diags *diags)
{
    const char *said = o->finding >= 0 && (size_t)o->finding < diags->list.len
                           ? diags->list.data[o->finding].text
                           : o->title;
    return (rf_candidate){
        .begin = s->at.begin,
        .end = s->at.end,
        .outcome = *o,
        .edit = insertion(d, s),
        .text = rf_arena_printf(d->arena, "not marked, and would fuse: %s",
                                said ? said : ""),
    };
}

/* One run of the pipeline over a copy with all suspects marked. Keep those
 * that fuse; true if there were others, whose marks were in the way of none
 * but must not be counted on. */
static bool run_copy(finder *d, rf_candidates *out)
{
    rf_buf copy = { 0 };
    mark_copy(d, &copy);
    size_t *only = RF_NEW_ARRAY(d->arena, d->suspects.len, size_t);
    for (size_t i = 0; i < d->suspects.len; i++)
        only[i] = d->suspects.data[i].mark_at;
    rf_source source = *d->source;
    source.bytes = rf_buf_text(&copy);
    source.len = copy.len;
    source.only = only;
    source.n_only = d->suspects.len;
    rf_options options = *d->options;
    options.dump = options.proof = NULL;
    rf_diags *diags = rf_diags_new();
    rf_outcomes all = { .arena = d->arena };
    size_t kept = 0;
    out->list.len = 0;
    if (!rf_pipeline_run(&options, &source, &all, diags))
        for (size_t i = 0; i < d->suspects.len; i++) {
            const suspect s = d->suspects.data[i];
            const rf_outcome *o = outcome_at(&all, s.mark_at);
            if (!o || o->status != RF_REGION_FUSED || !fits_in(d, &copy, o))
                continue;
            RF_PUSH(out->list, candidate(d, &s, o, diags));
            d->suspects.data[kept++] = s;
        }
    bool fewer = kept < d->suspects.len;
    d->suspects.len = kept;
    RF_CLEAR(all.list);
    rf_buf_free(&all.dump);
    rf_diags_free(diags);
    rf_buf_free(&copy);
    return fewer;
}

void rf_candidates_find(rf_arena *arena, const rf_options *options,
                        const rf_source *source, rf_candidates *out)
{
    finder d = { .arena = arena, .options = options, .source = source };
    d.eol = memmem(source->bytes, source->len, "\r\n", 2) ? "\r\n" : "\n";
    *out = (rf_candidates){ 0 };
    if (!rf_may_have_candidates(source->bytes, source->len))
        return;
    find_suspects(&d, out);
    while (d.suspects.len && run_copy(&d, out))
        ;
    if (!d.suspects.len)
        out->list.len = 0;
    RF_CLEAR(d.suspects);
}
