/* The fused program of a plan:
 *
 *     states                        float m = -INFINITY, l = 0;
 *     pass 0:  update the shifts    m_old = m; m = max(m, x);
 *              rescale              if (m != m_old) l *= exp(m_old - m);  T-6
 *              add the terms        l += exp(x - m);
 *     finish                        o /= l;                               T-7
 *     ...                           further passes
 *     maps                          out[j] = exp(x[j] - m) / l; */
#include "emit/emitting.h"
#include "emit/print.h"
#include "plan/widen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the whole ---- */

/* True if whether the axis has an element for the team cannot be written down
 * with its bounds. */
static bool counts_unknown(const rf_emitter *em)
{
    const rf_loop *l = em->plan->axis;
    int64_t k;
    return em->trace->team && !l->at_least_once &&
           (!l->least || (rf_val_is_int(l->step, &k) && k < 0));
}

static void set_contribution_flags(rf_emitter *em)
{
    bool always = counts_unknown(em);
    for (size_t i = 0; i < em->states.len; i++) {
        rf_state *s = &em->states.data[i];
        if ((s->member->guard || always) &&
            ((s->member->later && s->member->later_needs_steps) ||
             s->member->dead_when))
            s->any =
                rf_new_var(em, rf_names_fresh(em, "any"), &rf_type_bool, false);
    }
}

static void build(rf_emitter *em)
{
    const rf_plan *plan = em->plan;
    rf_names_take_function(em);
    rf_emit_bind_kept(em);
    rf_emit_lane(em);
    rf_emit_keep_row(em);
    for (size_t i = 0; i < plan->members.len && !em->refused; i++)
        rf_emit_add_state(em, plan->members.data[i]);
    set_contribution_flags(em);
    rf_emit_join_rows(em);
    for (unsigned pass = 0; pass < plan->n_loops && !em->refused; pass++) {
        rf_emit_stores(em, pass);
        for (size_t i = 0; i < em->states.len && !em->refused; i++)
            if (em->states.data[i].member->pass == pass)
                rf_emit_declare_state(em, &em->states.data[i]);
        if (!em->refused) {
            rf_emit_declare_count(em, pass);
            if (rf_emit_is_grid(em))
                rf_emit_turn(em, pass);
            else
                rf_emit_pass(em, pass);
        }
        rf_emit_combine(em, pass);
        rf_emit_finish(em, pass);
        rf_emit_dead_rows(em, pass);
        rf_emit_early_finals(em, pass);
        rf_emit_names(em, pass);
    }
    if (!em->refused)
        rf_emit_stores(em, plan->n_loops);
    rf_emit_finals(em);
    rf_emit_last_barrier(em);
}

static const char *base_indent(rf_arena *arena, const rf_unit *unit,
                               uint32_t at)
{
    uint32_t begin = at;
    while (begin > 0 && unit->bytes[begin - 1] != '\n')
        begin--;
    uint32_t end = begin;
    while (unit->bytes[end] == ' ' || unit->bytes[end] == '\t')
        end++;
    return rf_arena_strndup(arena, unit->bytes + begin, end - begin);
}

static rf_print_style style_at(const rf_emitter *em, uint32_t at)
{
    rf_print_style style = rf_print_style_of(em->unit->bytes, em->unit->size);
    style.base = base_indent(em->arena, em->unit, at);
    style.eol = "\n";
    return style;
}

/* Print the statements; the first line's indentation is already there. */
static const char *print(rf_emitter *em, const rf_stmts *list, uint32_t at)
{
    rf_buf text = { 0 };
    rf_print_style style = style_at(em, at);
    for (size_t i = 0; i < list->len; i++)
        rf_print_stmt(&text, list->data[i], &style);
    const char *t = rf_buf_text(&text);
    size_t skip = strlen(style.base), n = text.len;
    while (n && t[n - 1] == '\n')
        n--;
    const char *copy =
        n > skip ? rf_arena_strndup(em->arena, t + skip, n - skip) : "";
    rf_buf_free(&text);
    return copy;
}

static void emitter_free(rf_emitter *em)
{
    RF_CLEAR(em->scope);
    RF_CLEAR(em->counters);
    RF_CLEAR(em->states);
    RF_CLEAR(em->names);
    RF_CLEAR(em->used);
    free(em->uses);
}

/* The bytes that the plan replaces. */
static rf_range window(const rf_plan *plan)
{
    const rf_stmt *b = plan->block;
    return (rf_range){ b->list[plan->first]->at.begin,
                       b->list[plan->last]->at.end };
}

/* "all" as text, with the author's names of types that it uses. */
static rf_emitted write_part(rf_emitter *em, rf_stmts *all, rf_stmt *test)
{
    rf_range at = window(em->plan);
    rf_emitted part = { .begin = at.begin, .end = at.end };
    part.text = print(em, all, at.begin);
    if (rf_emit_keep_aliases(em, part.text, all))
        part.text = print(em, all, at.begin);
    rf_print_style style = style_at(em, at.begin);
    return test ? rf_emit_two_versions(em, test, all, at, &style) : part;
}

int rf_emit_plan(rf_arena *arena, const rf_unit *unit, const rf_region *region,
                 const rf_plan *plan, rf_emitted_list *out, rf_refusal *refusal)
{
    rf_stmts body = { 0 }, kept = { 0 }, all = { 0 };
    rf_emitter em = { .arena = arena,
                      .unit = unit,
                      .plan = plan,
                      .trace = plan->trace,
                      .vals = plan->trace->vals,
                      .out = &body,
                      .refusal = refusal };
    rf_stmt *test = rf_emit_overlap_test(&em);
    build(&em);
    if (!em.refused) {
        rf_emit_needs(&em, &all);
        rf_emit_keep_declarations(&em, &kept);
        for (size_t i = 0; i < body.len; i++)
            RF_PUSH(kept, body.data[i]);
        if (!test)
            rf_emit_unused(&em, region, &kept, &all, out);
        for (size_t i = 0; i < kept.len; i++)
            RF_PUSH(all, kept.data[i]);
        RF_PUSH(*out, write_part(&em, &all, test));
    }
    RF_CLEAR(body);
    RF_CLEAR(kept);
    RF_CLEAR(all);
    emitter_free(&em);
    return em.refused ? -1 : 0;
}

static int compare_emitted(const void *a, const void *b)
{
    const rf_emitted *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

void rf_emitted_sort(rf_emitted *parts, size_t n)
{
    if (n)
        qsort(parts, n, sizeof *parts, compare_emitted);
}

const char *rf_emit_region(rf_arena *arena, const rf_unit *unit,
                           const rf_region *region, const rf_emitted *parts,
                           size_t n)
{
    rf_range whole = rf_region_range(region);
    rf_buf text = { 0 };
    uint32_t at = whole.begin;
    for (size_t i = 0; i < n; i++) {
        rf_buf_add(&text, unit->bytes + at, parts[i].begin - at);
        rf_buf_puts(&text, parts[i].text);
        at = parts[i].end;
    }
    rf_buf_add(&text, unit->bytes + at, whole.end - at);
    const char *copy = rf_arena_strdup(arena, rf_buf_text(&text));
    rf_buf_free(&text);
    return copy;
}
