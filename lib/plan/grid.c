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

#include <string.h>

static bool refuse(rf_widener *w, rf_range at, const char *why)
{
    rf_plan_refuse(&w->p, RF_DIAG_UNSUPPORTED, at, "%s", why);
    return false;
}

static bool uses_name(const rf_expr *e, const void *name)
{
    return (e->op == RF_OP_VAR && !strcmp(e->var->name, name)) ||
           (e->op == RF_OP_CALL && e->name && !strcmp(e->name, name)) ||
           (e->op == RF_OP_OPAQUE && e->spelling && strstr(e->spelling, name));
}

static bool declares_name(const rf_stmt *s, const void *name)
{
    return s->var && !strcmp(s->var->name, name);
}

/* True if the author's function has a use for "name"; what an earlier rewrite
 * put beside it does not count. */
static bool is_named(const rf_widener *w, const char *name)
{
    const rf_func *f = w->p.region->func;
    for (unsigned i = 0; i < f->n_params; i++)
        if (!strcmp(f->params[i]->name, name))
            return true;
    return rf_stmt_find(f->body, declares_name, name) ||
           rf_stmt_find_expr(f->body, uses_name, name);
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
