/* A row for several blocks of a grid (T-3 across launches).
 *
 *     turn k < n    each block folds its part of the row for pass k and
 *                    leaves the state; the states of earlier passes are those
 *                    that the blocks left, merged by all in the same way
 *     turn n        no pass is left: the stores
 *
 * No block waits for another, and the order of a merge does not depend on
 * which block ends first. What a turn computes beside is computed in every
 * turn; stores are made in the last one, those of a pass in its own. */
#include "plan/widening.h"

#include <ctype.h>
#include <string.h>

static bool refuse(rf_widener *w, rf_range at, const char *why)
{
    rf_plan_refuse(&w->p, RF_DIAG_UNSUPPORTED, at, "%s", why);
    return false;
}

static bool is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_named(const rf_widener *w, const char *name)
{
    const rf_range at = w->p.region->func->at;
    const char *bytes = w->p.unit->bytes, *p = bytes + at.begin;
    size_t n = strlen(name);
    while ((p = strstr(p, name)) && p < bytes + at.end) {
        if (!is_part_of_name(p[-1]) && !is_part_of_name(p[n]))
            return true;
        p += n;
    }
    return false;
}

static rf_var *turn_variable(rf_widener *w)
{
    static const rf_type type = { .kind = RF_TYPE_INT,
                                  .bits = 32,
                                  .is_unsigned = true,
                                  .is_const = true,
                                  .spelling = "unsigned" };
    rf_var *v = RF_NEW(w->p.arena, rf_var);
    *v = (rf_var){ .name =
                       rf_arena_printf(w->p.arena, "%s.turn", w->w->grid_team),
                   .type = &type,
                   .storage = RF_VAR_LOCAL,
                   .is_const = true,
                   .at = RF_NOWHERE,
                   .id = 3000004 };
    return v;
}

bool rf_widen_grid(rf_widener *w)
{
    const rf_plan *plan = w->p.plan;
    if (!w->w->is_grid)
        return true;
    if (rf_plan_is_repeated(&w->p))
        return refuse(w, plan->block->at,
                      "a block that takes rows in turn cannot share them with "
                      "the grid yet");
    w->w->grid_team = is_named(w, "team") ? "rf_row_team" : "team";
    w->w->turn = turn_variable(w);
    return true;
}
