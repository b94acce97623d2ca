/* What regions of every kind share. */
#include "region.h"

#include "plan/bounds.h"
#include "support/word.h"

#include <string.h>

bool rf_region_refuse(rf_outcome *outcome, rf_diags *diags, rf_diag_name name,
                      rf_place at, const char *why)
{
    outcome->status = RF_REGION_REFUSED;
    outcome->reason = name;
    outcome->finding = (ptrdiff_t)diags->list.len;
    rf_diag_add(diags, RF_WARNING, name, at, "not fused: %s", why);
    return false;
}

static bool has_word(const char *text, const char *name)
{
    return rf_find_word(text, strlen(text), name, strlen(name)) != NULL;
}

bool rf_region_admits(rf_arena *arena, const rf_unit *unit, const char *text,
                      rf_outcome *outcome, rf_diags *diags)
{
    const char *name = NULL;
    for (size_t i = 0; i < unit->macro_names.len && !name; i++)
        if (has_word(text, unit->macro_names.data[i]))
            name = unit->macro_names.data[i];
    if (name)
        return rf_region_refuse(
            outcome, diags, RF_DIAG_MACRO, outcome->at,
            rf_arena_printf(arena,
                            "the macro '%s' would replace a word of the "
                            "functions that the fused code needs",
                            name));
    for (size_t i = 0; i < unit->outer_names.len && !name; i++)
        if (!strncmp(unit->outer_names.data[i], "rf_", 3) &&
            has_word(text, unit->outer_names.data[i]))
            name = unit->outer_names.data[i];
    return !name ||
           rf_region_refuse(
               outcome, diags, RF_DIAG_UNSUPPORTED, outcome->at,
               rf_arena_printf(arena,
                               "the file declares '%s', which the fused code "
                               "needs as a name of its own",
                               name));
}

const char *rf_region_needs(const rf_outcomes *out, const rf_func *f,
                            const char *text)
{
    for (size_t i = 0; i < out->list.len; i++) {
        const rf_outcome *o = &out->list.data[i];
        const rf_edit_region *e = &o->edit;
        if (!o->scope || strncmp(f->scope, o->scope, strlen(o->scope)))
            continue;
        for (size_t k = 0; k < e->n_parts; k++)
            if (strstr(e->parts[k].text, text))
                return "";
    }
    return text;
}

bool rf_region_launches(rf_arena *arena, const rf_unit *unit,
                        const rf_func *kernel, rf_launches *launches,
                        rf_outcome *outcome, rf_diags *diags)
{
    rf_piece own = { kernel->at.begin, kernel->at.end };
    *launches =
        rf_launches_find(arena, unit->bytes, unit->size, kernel->name, own);
    const char *why = rf_launches_incomplete(launches);
    rf_place at = launches->hidden
                      ? rf_unit_place(unit, (uint32_t)launches->hidden_at)
                      : outcome->at;
    return !why || rf_region_refuse(outcome, diags, RF_DIAG_LAUNCH, at, why);
}

const char *rf_region_copy(rf_arena *arena, const rf_unit *unit, rf_piece piece)
{
    return rf_arena_strndup(arena, unit->bytes + piece.begin,
                            piece.end - piece.begin);
}

const char *rf_region_factor(rf_arena *arena, const char *text)
{
    bool simple = !text[strspn(text, "abcdefghijklmnopqrstuvwxyz_"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.")];
    return simple ? text : rf_arena_printf(arena, "(%s)", text);
}

void rf_region_set_bounds(rf_arena *arena, const rf_plans *plans,
                          rf_outcome *outcome)
{
    rf_told_bounds list = { 0 };
    for (size_t i = 0; i < plans->len; i++)
        rf_plan_bounds(arena, plans->data[i], &list);
    rf_told_bound *copy = RF_NEW_ARRAY(arena, list.len + 1, rf_told_bound);
    for (size_t i = 0; i < list.len; i++)
        copy[i] = list.data[i];
    outcome->bounds = copy;
    outcome->n_bounds = list.len;
    RF_CLEAR(list);
}
