/* Uniformity (D6): what stands around the traced statements must let in all
 * threads of a team or none, because they meet at barriers and shuffles. */
#include "ir/lanes.h"

typedef struct {
    rf_team_run *r;
    unsigned width; /* threads that must agree; 0: the block */
} guards;

static bool holds(const rf_stmt *s, const rf_stmt *target)
{
    if (!s)
        return false;
    if (s == target || holds(s->body, target) || holds(s->orelse, target))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (holds(s->list[i], target))
            return true;
    return false;
}

/* "inside": a loop of its own, whose breaks do not matter outside. */
static bool leaves(const rf_stmt *s, bool inside)
{
    if (!s)
        return false;
    inside |= s->kind == RF_STMT_FOR || s->kind == RF_STMT_WHILE ||
              s->kind == RF_STMT_DO;
    if (s->kind == RF_STMT_RETURN ||
        (!inside &&
         (s->kind == RF_STMT_BREAK || s->kind == RF_STMT_CONTINUE)) ||
        leaves(s->body, inside) || leaves(s->orelse, inside))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (leaves(s->list[i], inside))
            return true;
    return false;
}

static void check_condition(guards *g, const rf_expr *e)
{
    if (!e || g->r->tr->t->refused ||
        rf_lane_is_uniform(g->r, rf_eval(g->r->tr, e), g->width))
        return;
    rf_refuse(g->r->tr, RF_DIAG_UNIFORM, e->at,
              "threads that meet at a barrier or shuffle may differ in this "
              "condition");
}

/* Conditions under which "s" lets some threads go. */
static void check_exits(guards *g, const rf_stmt *s)
{
    if (!leaves(s, false))
        return;
    check_condition(g, s->expr);
    check_exits(g, s->body);
    check_exits(g, s->orelse);
    for (unsigned i = 0; i < s->n; i++)
        check_exits(g, s->list[i]);
}

static void check_around(guards *g, const rf_stmt *s)
{
    const rf_stmt *block = g->r->tr->t->block;
    if (!s || s == block || !holds(s, block))
        return;
    if (s->kind != RF_STMT_BLOCK)
        check_condition(g, s->expr);
    check_around(g, s->body);
    check_around(g, s->orelse);
    for (unsigned i = 0; i < s->n; i++) {
        if (holds(s->list[i], block)) {
            check_around(g, s->list[i]);
            return;
        }
        check_exits(g, s->list[i]);
    }
}

/* The statements of the block before the traced ones. */
static void check_before(guards *g, unsigned first)
{
    const rf_stmt *block = g->r->tr->t->block;
    for (unsigned i = 0; i < first && i < block->n; i++)
        check_exits(g, block->list[i]);
}

void rf_lane_check_uniform(rf_team_run *r, unsigned first)
{
    unsigned width = r->team->width;
    guards g = { .r = r, .width = width && width < RF_WARP ? RF_WARP : width };
    r->index = 0;
    while (r->index + 1 < r->worlds.len && r->worlds.data[r->index]->failed)
        r->index++;
    r->w = r->worlds.data[r->index];
    check_around(&g, r->tr->t->func->body);
    check_before(&g, first);
}
