/* The stages in order: front, plan, emit, proof; one outcome a mark. */
#include "pipeline.h"

#include "certify.h"
#include "chains.h"
#include "emit/emit.h"
#include "explain.h"
#include "flags.h"
#include "levels.h"
#include "missed.h"
#include "plan/plan.h"
#include "region.h"
#include "teams.h"

#include <string.h>

typedef struct {
    const rf_options *options;
    const rf_source *source;
    rf_outcomes *out;
    rf_diags *diags;
    rf_unit *unit;
    rf_arena *arena;
} pipeline;

static const char *text(pipeline *p, const rf_buf *buf)
{
    return rf_arena_strdup(p->arena, rf_buf_text(buf));
}

/* ---- reading ---- */

/* A note at the macro's definition for what was said of its use. */
static void note_macros(pipeline *p, size_t first)
{
    for (size_t i = first; i < p->diags->list.len; i++) {
        const rf_diag *d = &p->diags->list.data[i];
        const rf_macro_use *use = NULL;
        bool here = d->at.file && !strcmp(d->at.file, p->unit->path);
        for (size_t k = 0; here && !use && k < p->unit->macros.len; k++) {
            const rf_macro_use *m = &p->unit->macros.data[k];
            if (m->at.begin <= d->at.offset && d->at.offset < m->at.end)
                use = m;
        }
        if (use && d->severity >= RF_WARNING)
            rf_diag_note_macro(p->diags, i, use->definition, use->name);
    }
}

/* What was said of the mark at "place" as "name", or -1. */
static ptrdiff_t finding_at(const pipeline *p, rf_place place,
                            rf_diag_name name)
{
    for (size_t i = 0; i < p->diags->list.len; i++) {
        const rf_diag *d = &p->diags->list.data[i];
        if (d->name == name && d->at.offset == place.offset)
            return (ptrdiff_t)i;
    }
    return -1;
}

/* Each mark that has no region has an outcome nevertheless. */
static void add_lost(pipeline *p)
{
    for (size_t i = 0; i < p->unit->lost.len; i++) {
        const rf_lost_mark *l = &p->unit->lost.data[i];
        rf_outcome o = { .status =
                             l->is_error ? RF_REGION_ERROR : RF_REGION_REFUSED,
                         .reason = l->reason,
                         .at = l->mark.place };
        o.finding = finding_at(p, l->mark.place, l->reason);
        o.end = l->end;
        o.edit.mark_begin = l->mark.at.begin;
        o.edit.mark_end = l->mark.at.end;
        if (l->mark.kind != RF_MARK_OFF || l->is_error)
            RF_PUSH(p->out->list, o);
    }
}

static int read_unit(pipeline *p)
{
    rf_front_options front = rf_flags_front(p->options, p->source);
    return rf_front_parse(&p->unit, p->arena, p->source->path, p->source->bytes,
                          p->source->len, &front, p->diags);
}

/* ---- one region ---- */

static bool refuse(pipeline *p, rf_outcome *o, rf_diag_name name, rf_place at,
                   const char *why)
{
    return rf_region_refuse(o, p->diags, name, at, why);
}

/* What can be said before any analysis. */
static bool admit(pipeline *p, const rf_region *r, rf_outcome *o)
{
    if (r->has_directive)
        return refuse(p, o, RF_DIAG_MACRO, r->directive,
                      "a preprocessor directive divides the region");
    if (r->stmt && r->stmt->in_macro)
        return refuse(p, o, RF_DIAG_MACRO,
                      rf_unit_place(p->unit, r->stmt->at.begin),
                      "the marked statement comes from a macro");
    return true;
}

static bool emit_parts(pipeline *p, const rf_region *r, const rf_plans *plans,
                       rf_emitted_list *parts, rf_outcome *o)
{
    for (size_t i = 0; i < plans->len; i++) {
        rf_refusal why;
        if (!rf_emit_plan(p->arena, p->unit, r, plans->data[i], parts, &why))
            continue;
        return refuse(p, o, why.name, rf_unit_place(p->unit, why.at.begin),
                      why.text);
    }
    rf_emitted_sort(parts->data, parts->len);
    rf_edit_part *part = RF_NEW(p->arena, rf_edit_part);
    rf_range whole = rf_region_range(r);
    part->begin = whole.begin;
    part->end = whole.end;
    part->text = rf_emit_region(p->arena, p->unit, r, parts->data, parts->len);
    o->edit.parts = part;
    o->edit.n_parts = 1;
    return true;
}

/* ", 18 barriers -> 1" for a block; nothing where there were none. */
static const char *barriers(pipeline *p, const rf_plans *plans)
{
    unsigned before = 0, after = 0;
    for (size_t i = 0; i < plans->len; i++) {
        before += plans->data[i]->barriers_before;
        after += plans->data[i]->barriers_after;
    }
    if (!before)
        return "";
    return rf_arena_printf(p->arena, ", %u %s -> %u", before,
                           before == 1 ? "barrier" : "barriers", after);
}

static void describe(pipeline *p, const rf_region *r, const rf_plans *plans,
                     rf_outcome *o)
{
    rf_buf title = { 0 };
    rf_buf_puts(&title, "cascade ");
    for (size_t i = 0; i < plans->len; i++) {
        rf_buf_printf(&title, "%s%s", i ? ", " : "", plans->data[i]->formula);
        o->passes_before += plans->data[i]->passes_before;
        o->passes_after += plans->data[i]->passes_after;
        o->bytes_before += plans->data[i]->bytes_before;
        o->bytes_after += plans->data[i]->bytes_after;
    }
    if (plans->len == 1) {
        o->moved_before = plans->data[0]->moved_before;
        o->moved_after = plans->data[0]->moved_after;
    }
    rf_region_set_bounds(p->arena, plans, o);
    o->title = text(p, &title);
    rf_buf_free(&title);
    o->edit.keep = !r->mark.replace && !p->options->replace;
    o->edit.hash_input = r->mark.text;
    o->edit.words = rf_arena_printf(
        p->arena, "fused, %u %s -> %u%s%s, %s", o->passes_before,
        o->passes_before == 1 ? "pass" : "passes", o->passes_after,
        barriers(p, plans),
        plans->data[0]->resident ? ", the row in registers" : "",
        rf_rounding_name(plans->data[0]->rounding));
}

static void explain(pipeline *p, const rf_plans *plans, const char *obligations,
                    rf_outcome *o)
{
    if (p->options->explain)
        o->explain = rf_explain_plans(p->arena, p->unit, plans, obligations);
}

/* States that the lanes of the author's team merge about two means (T-9) are
 * followed by no proof yet. */
static bool merges_moments(const rf_plans *plans)
{
    for (size_t i = 0; i < plans->len; i++)
        for (size_t k = 0; k < plans->data[i]->members.len; k++)
            if (plans->data[i]->trace->team &&
                plans->data[i]->members.data[k]->merge)
                return true;
    return false;
}

/* The emitted text does what the author's does, or the region is refused. */
static bool prove_parts(pipeline *p, const rf_region *r, const rf_plans *plans,
                        const rf_emitted_list *parts, rf_outcome *o)
{
    rf_front_options front = rf_flags_front(p->options, p->source);
    rf_certificate c = { .unit = p->unit,
                         .region = r,
                         .parts = parts->data,
                         .n = parts->len,
                         .text = o->edit.parts->text,
                         .front = &front,
                         .folder = p->options->proof,
                         .bounds = o->bounds,
                         .n_bounds = o->n_bounds };
    if (p->options->quick)
        return true;
    const char *why = rf_certify(p->arena, &c);
    if (p->options->dump && !strcmp(p->options->dump, "proof"))
        rf_buf_puts(&p->out->dump, c.dump);
    bool tested = why && !c.is_refuted && merges_moments(plans);
    if (why && !tested)
        return refuse(p, o, c.name, rf_unit_place(p->unit, c.at), why);
    explain(p, plans, tested ? NULL : c.table, o);
    o->edit.words =
        tested ? rf_arena_printf(p->arena, "%s, merge of moments tested only",
                                 o->edit.words)
               : rf_arena_printf(p->arena, "%s, proof %zu/%zu", o->edit.words,
                                 c.n_items, c.n_items);
    return true;
}

static const char *times(unsigned n)
{
    return n == 0   ? "no more"
           : n == 1 ? "once"
           : n == 2 ? "twice"
                    : "several times";
}

/* What a rewrite rests on that the types do not say. */
static void note_objects(pipeline *p, const rf_plan *plan)
{
    for (size_t i = 0; i < plan->apart.len; i++) {
        const rf_apart *x = &plan->apart.data[i];
        if (x->why != RF_APART_OBJECTS)
            rf_diag_note_add(p->diags, rf_unit_place(p->unit, x->store.begin),
                             "'%s' and '%s' do not overlap: %s",
                             rf_plan_object_name(x->a),
                             rf_plan_object_name(x->b), rf_apart_words(x->why));
    }
}

static void report_fusible(pipeline *p, const rf_region *r,
                           const rf_plans *plans, rf_outcome *o)
{
    const rf_plan *plan = plans->data[0];
    o->status = RF_REGION_FUSED;
    o->reason = RF_DIAG_CASCADE;
    o->finding = (ptrdiff_t)p->diags->list.len;
    if (plan->array && plan->reads_after < plan->reads_before)
        rf_diag_add(p->diags, RF_WARNING, RF_DIAG_CASCADE, o->at,
                    "%s reads '%s' %u times; fusing reads it %s", o->title,
                    plan->array, plan->reads_before, times(plan->reads_after));
    else
        rf_diag_add(p->diags, RF_WARNING, RF_DIAG_CASCADE, o->at,
                    "%s takes %u passes; fusing takes %u", o->title,
                    o->passes_before, o->passes_after);
    for (size_t i = 0; i < plans->len; i++)
        note_objects(p, plans->data[i]);
    rf_missed_note(p->arena, p->unit, r, plans, p->diags);
}

static bool is_strict_enough(pipeline *p, const rf_region *r,
                             const rf_plans *plans, rf_outcome *o)
{
    for (size_t i = 0; i < plans->len; i++) {
        rf_rounding_class class = plans->data[i]->rounding;
        if ((r->mark.strict || p->options->strict) &&
            class != RF_ROUNDING_EXACT)
            return refuse(p, o, RF_DIAG_STRICT, r->mark.place,
                          rf_arena_printf(p->arena,
                                          "strict, and the rewrite is %s",
                                          rf_rounding_name(class)));
    }
    return true;
}

/* level(warp) and level(block) say how the source folds its rows. */
static bool is_level(pipeline *p, const rf_region *r, const rf_plans *plans,
                     rf_outcome *o)
{
    for (size_t i = 0; i < plans->len; i++) {
        const rf_team *team = plans->data[i]->trace->team;
        bool fits = r->mark.level >= RF_LEVEL_CLUSTER ? false
                    : r->mark.level == RF_LEVEL_BLOCK ? team && !team->width
                    : r->mark.level == RF_LEVEL_WARP  ? team && team->width
                                                      : true;
        if (!fits)
            return refuse(p, o, RF_DIAG_UNSUPPORTED, r->mark.place,
                          "rows can only be folded at the level of the source "
                          "yet");
    }
    return true;
}

static void dump(pipeline *p, const rf_plans *plans)
{
    const char *stage = p->options->dump;
    for (size_t i = 0; stage && i < plans->len; i++) {
        if (!strcmp(stage, "trace") || !strcmp(stage, "ir"))
            rf_trace_dump(&p->out->dump, plans->data[i]->trace);
        if (!strcmp(stage, "plan"))
            rf_plan_dump(&p->out->dump, plans->data[i]);
    }
}

static void run_region_at(pipeline *p, const rf_region *r)
{
    rf_outcome o = { .at = r->mark.place,
                     .end = rf_region_range(r).end,
                     .function = r->func ? r->func->name : NULL,
                     .scope = r->func ? r->func->scope : NULL,
                     .status = RF_REGION_REFUSED,
                     .finding = -1,
                     .edit = { .mark_begin = r->mark.at.begin,
                               .mark_end = r->mark.at.end } };
    rf_plans plans = { 0 };
    if (p->options->dump && !strcmp(p->options->dump, "ast"))
        rf_stmt_dump(&p->out->dump, r->stmt, 0);
    bool admitted = admit(p, r, &o);
    if (admitted && r->mark.kind == RF_MARK_GEMM_CHAIN) {
        rf_front_options front = rf_flags_front(p->options, p->source);
        rf_chain_region(p->options, p->unit, r, &front, p->out, &o, p->diags);
    } else if (admitted) {
        size_t before = p->diags->list.len;
        rf_plan_region(p->arena, p->unit, r, &plans, p->diags);
        dump(p, &plans);
        if (!plans.len) {
            o.finding = (ptrdiff_t)before;
            o.reason = p->diags->list.data[before].name;
        } else {
            rf_emitted_list parts = { 0 };
            rf_front_options front = rf_flags_front(p->options, p->source);
            describe(p, r, &plans, &o);
            bool wide = rf_is_widened(r, &plans);
            if ((wide || is_level(p, r, &plans, &o)) &&
                is_strict_enough(p, r, &plans, &o) &&
                emit_parts(p, r, &plans, &parts, &o) &&
                prove_parts(p, r, &plans, &parts, &o) &&
                (!wide || rf_widen_region(p->options, p->unit, r, &plans,
                                          &front, p->out, &o, p->diags)))
                report_fusible(p, r, &plans, &o);
            RF_CLEAR(parts);
        }
    }
    RF_CLEAR(plans);
    RF_PUSH(p->out->list, o);
}

static bool is_asked_for(const rf_source *s, const rf_mark *mark)
{
    for (size_t i = 0; i < s->n_only; i++)
        if (s->only[i] == mark->at.begin)
            return true;
    return !s->only;
}

/* ---- the level ---- */

/* Forget what was said and done from here on. */
static void forget(pipeline *p, size_t outcomes, size_t findings)
{
    for (size_t i = findings; i < p->diags->list.len; i++)
        RF_CLEAR(p->diags->list.data[i].notes);
    p->diags->list.len = findings;
    p->out->list.len = outcomes;
}

/* The fastest of the "n" choices that can be had; a thread a row is what the
 * source does. */
static bool run_best(pipeline *p, const rf_region *r,
                     const rf_level_choice *choices, unsigned n)
{
    size_t outcomes = p->out->list.len, findings = p->diags->list.len;
    for (unsigned i = 0; i < n; i++) {
        if (choices[i].level == RF_LEVEL_THREAD)
            return false;
        run_region_at(p, rf_region_at(p->arena, r, &choices[i]));
        if (RF_LAST(p->out->list).status == RF_REGION_FUSED)
            return true;
        forget(p, outcomes, findings);
    }
    return false;
}

static void run_region(pipeline *p, const rf_region *r)
{
    rf_level_choice choices[RF_LEVEL_CHOICES];
    const char *table = NULL;
    bool cascade = r->mark.kind == RF_MARK_CASCADE && r->stmt &&
                   !r->has_directive && !r->stmt->in_macro;
    unsigned n = 0;
    if (cascade && (r->mark.picks_level || p->options->explain))
        n = rf_level_choices(p->options, p->arena, p->unit, r, choices, &table);
    if (!r->mark.picks_level || !run_best(p, r, choices, n))
        run_region_at(p, r);
    rf_outcome *o = &RF_LAST(p->out->list);
    if (p->options->explain && table)
        o->explain =
            o->explain ? rf_arena_printf(p->arena, "%s\n%s", o->explain, table)
                       : table;
}

int rf_pipeline_run(const rf_options *options, const rf_source *source,
                    rf_outcomes *out, rf_diags *diags)
{
    pipeline p = { .options = options,
                   .source = source,
                   .out = out,
                   .diags = diags,
                   .arena = out->arena };
    size_t first = diags->list.len;
    if (read_unit(&p) < 0)
        return -1;
    add_lost(&p);
    for (size_t i = 0; i < p.unit->regions.len; i++) {
        const rf_region *r = &p.unit->regions.data[i];
        if (r->mark.kind != RF_MARK_OFF && is_asked_for(source, &r->mark))
            run_region(&p, r);
    }
    note_macros(&p, first);
    return 0;
}
