/* Error bounds as text (THEORY 8):
 *
 *     |computed - exact| <= gamma(fused) * SUM scale
 *
 * beside the same for the source. What a team makes of a plan afterwards adds
 * in another order: at most as many roundings, another class. */
#include "plan/bounds.h"

#include "plan/formula.h"

#include <string.h>

static const char *text_of(rf_arena *arena, const rf_plan *plan,
                           const rf_member *m, const rf_val *v)
{
    rf_formula f = { .plan = plan, .self = m, .before = "" };
    rf_buf text = { 0 };
    if (v)
        rf_formula_put(&text, &f, v);
    const char *copy = v ? rf_arena_strdup(arena, rf_buf_text(&text)) : NULL;
    rf_buf_free(&text);
    return copy;
}

static rf_rounding_class class_of(const rf_plan *plan, const rf_member *m)
{
    bool adds =
        m->red->type->kind == RF_TYPE_FLOAT &&
        (m->red->op == RF_REDUCE_SUM || m->red->op == RF_REDUCE_PRODUCT);
    if (m->bound && m->bound->rounding != RF_ROUNDING_EXACT)
        return m->bound->rounding;
    return (plan->wide || plan->resident) && adds ? RF_ROUNDING_REASSOCIATED
                                                  : RF_ROUNDING_EXACT;
}

static const char *name_of(rf_arena *arena, const rf_plan *plan,
                           const rf_member *m)
{
    rf_buf name = { 0 };
    rf_formula_put_name(&name, plan, m, "");
    const char *copy = rf_arena_strdup(arena, rf_buf_text(&name));
    rf_buf_free(&name);
    return copy;
}

void rf_plan_bounds(rf_arena *arena, const rf_plan *plan, rf_told_bounds *out)
{
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *m = plan->members.data[i];
        if (m->wish)
            continue;
        rf_told_bound b = { .name = name_of(arena, plan, m),
                            .rounding = class_of(plan, m),
                            .term = text_of(arena, plan, m, m->red->term),
                            .is_within_four = true };
        if (m->bound && !plan->resident) {
            b.bits = m->bound->bits;
            b.source = m->bound->source;
            b.fused = m->bound->fused;
            b.source_scale = text_of(arena, plan, m, m->bound->scale);
            b.fused_scale = text_of(arena, plan, m, m->bound->fused_scale);
            b.has_range = m->bound->has_range;
            b.is_within_four = m->bound->is_within_four;
        }
        RF_PUSH(*out, b);
    }
}

/* ---- Markdown ---- */

static bool has_bound(const rf_told_bound *b)
{
    return b->bits && b->rounding != RF_ROUNDING_EXACT;
}

static void tell_bound(rf_buf *out, const rf_plan *plan, const rf_told_bound *b)
{
    const char *axis = plan->axis->name;
    bool same = b->source_scale && b->fused_scale &&
                !strcmp(b->source_scale, b->fused_scale);
    rf_buf_printf(out, "- `%s` is %s", b->name, rf_rounding_name(b->rounding));
    if (!has_bound(b) || !b->source_scale || !b->fused_scale) {
        rf_buf_puts(out, ".\n");
        return;
    }
    rf_buf_printf(out,
                  ": off by `gamma(%s)·Σ_%s (%s)` at most,\n  the source by ",
                  b->fused, axis, b->fused_scale);
    if (same)
        rf_buf_printf(out, "`gamma(%s)` times the same sum.\n", b->source);
    else
        rf_buf_printf(out, "`gamma(%s)·Σ_%s (%s)`.\n", b->source, axis,
                      b->source_scale);
    if (!b->is_within_four)
        rf_buf_printf(out,
                      "  **It may be more than four times the source's "
                      "bound%s.**\n",
                      same ? ""
                           : ", where the elements are far from 0 and "
                             "near to one another");
}

void rf_plan_tell_bounds(rf_buf *out, const rf_plan *plan)
{
    rf_arena *arena = rf_arena_new();
    rf_told_bounds list = { 0 };
    bool any = false, has_range = false;
    rf_plan_bounds(arena, plan, &list);
    rf_buf_puts(out, "### Rounding\n\n");
    for (size_t i = 0; i < list.len; i++) {
        const rf_told_bound *b = &list.data[i];
        tell_bound(out, plan, b);
        any |= has_bound(b);
        has_range |= has_bound(b) && b->has_range;
    }
    if (any)
        rf_buf_puts(out, "\n`gamma(k) = k·u/(1 - k·u)`, where u is 2^-24 for "
                         "float and 2^-53 for double; n is the\nnumber of "
                         "elements");
    if (has_range)
        rf_buf_puts(out, "; range the largest |argument| of an exponential");
    rf_buf_puts(out, any ? ".\n\n" : "\n");
    RF_CLEAR(list);
    rf_arena_free(arena);
}
