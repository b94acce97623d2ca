/* What a clause of the author's would save: a region that is fused only in
 * part is planned again with each clause that was found to be in the way. */
#include "missed.h"

#include <string.h>

static unsigned passes_of(const rf_plans *plans)
{
    unsigned n = 0;
    for (size_t i = 0; i < plans->len; i++)
        n += plans->data[i]->passes_after;
    return n;
}

/* "mark" with assume("clause"). */
static void add_clause(rf_arena *arena, rf_mark *mark, const char *clause)
{
    unsigned n = mark->n_predicates;
    const char **text = RF_NEW_ARRAY(arena, n + 1, const char *);
    uint32_t *at = RF_NEW_ARRAY(arena, n + 1, uint32_t);
    mark->finite |= !strcmp(clause, "finite");
    if (!strcmp(clause, "finite"))
        return;
    for (unsigned i = 0; i < n; i++) {
        text[i] = mark->predicates[i];
        at[i] = mark->predicate_at[i];
    }
    text[n] = clause;
    at[n] = mark->at.begin;
    mark->predicates = text;
    mark->predicate_at = at;
    mark->n_predicates = n + 1;
}

/* The passes with "clause"; 0: the region is refused then. */
static unsigned passes_with(rf_arena *arena, const rf_unit *unit,
                            const rf_region *region, const char *clause)
{
    rf_region at = *region;
    rf_plans plans = { 0 };
    add_clause(arena, &at.mark, clause);
    rf_plan_region(arena, unit, &at, &plans, NULL);
    unsigned n = passes_of(&plans);
    RF_CLEAR(plans);
    return n;
}

static bool note(rf_arena *arena, const rf_unit *unit, const rf_region *region,
                 const rf_plans *plans, const rf_missed *m, rf_diags *diags)
{
    unsigned now = passes_of(plans);
    unsigned then = passes_with(arena, unit, region, m->clause);
    if (!then || then >= now || m->at.begin == UINT32_MAX)
        return false;
    const char *more = now - then == 1
                           ? "one pass"
                           : rf_arena_printf(arena, "%u passes", now - then);
    rf_diag_note_add(diags, rf_unit_place(unit, m->at.begin),
                     "%s more than with assume(%s): %.*s", more, m->clause,
                     (int)strcspn(m->reason, ";"), m->reason);
    return true;
}

void rf_missed_note(rf_arena *arena, const rf_unit *unit,
                    const rf_region *region, const rf_plans *plans,
                    rf_diags *diags)
{
    for (size_t i = 0; i < plans->len; i++)
        for (size_t k = 0; k < plans->data[i]->missed.len; k++)
            if (note(arena, unit, region, plans,
                     &plans->data[i]->missed.data[k], diags))
                return;
}
