/* Teams: cascades whose reductions run over the threads of a block or a warp
 * beside their axis. Each thread folds its own part; the collectives of the
 * source become one combine of the whole state after each pass (T-3).
 *
 * What the analysis of collectives could not understand must not matter, the
 * shared memory that they used must be free afterwards, and every element that
 * a thread stores and that another one may read needs a barrier in between
 * (D3 for a team). */
#include "ir/collective.h"
#include "plan/planning.h"

#include <string.h>

/* ---- doubts ---- */

typedef struct {
    const rf_trace *trace;
    const rf_doubt *found;
} doubt_query;

static bool is_doubt(const rf_val *v, const void *data)
{
    doubt_query *q = (doubt_query *)(uintptr_t)data;
    for (size_t i = 0; v->kind == RF_VAL_UNKNOWN && i < q->trace->doubts.len;
         i++)
        if (q->trace->doubts.data[i].value == v) {
            q->found = &q->trace->doubts.data[i];
            return true;
        }
    return false;
}

static bool check_doubt(rf_planner *p, const rf_val *v, rf_range at)
{
    doubt_query q = { .trace = p->trace };
    if (!v || !rf_val_find(v, is_doubt, &q))
        return true;
    const char *why = q.found->why;
    rf_plan_refuse(p, why ? q.found->name : RF_DIAG_UNSUPPORTED, at, "%s",
                   why ? why : "threads hold different values here");
    return false;
}

bool rf_plan_doubts(rf_planner *p)
{
    for (size_t i = 0; i < p->trace->reds.len; i++) {
        const rf_red *r = p->trace->reds.data[i];
        if (!check_doubt(p, r->term, r->at) ||
            !check_doubt(p, r->init, r->at) ||
            (r->guard && !check_doubt(p, r->guard, r->at)))
            return false;
    }
    for (size_t i = 0; i < p->trace->stores.len; i++) {
        const rf_store *s = &p->trace->stores.data[i];
        if (!check_doubt(p, s->value, s->at) ||
            !check_doubt(p, s->index, s->at) ||
            !check_doubt(p, s->guard, s->at))
            return false;
    }
    for (size_t i = 0; i < p->trace->finals.len; i++) {
        const rf_binding *f = &p->trace->finals.data[i];
        if (rf_plan_is_live(p, f) &&
            !check_doubt(p, f->value, p->plan->block->list[p->plan->last]->at))
            return false;
    }
    return true;
}

/* ---- members ---- */

static bool check_members(rf_planner *p)
{
    for (size_t i = 0; i < p->plan->members.len; i++) {
        const rf_member *m = p->plan->members.data[i];
        if (m->red->team == p->trace->team)
            continue;
        rf_plan_refuse(p, RF_DIAG_UNSUPPORTED, m->red->at,
                       "the threads exchange values, and what one thread "
                       "makes of its own part is used as well");
        return false;
    }
    return true;
}

/* ---- shared memory ---- */

static bool is_read_after(const rf_planner *p, const rf_var *var)
{
    const rf_stmt *b = p->plan->block;
    for (unsigned i = p->plan->last + 1; i < b->n; i++)
        if (rf_stmt_reads(b->list[i], var))
            return true;
    return false;
}

static bool check_exchanged(rf_planner *p)
{
    for (size_t i = 0; i < p->trace->exchanged.len; i++) {
        const rf_var *var = p->trace->exchanged.data[i];
        if (!is_read_after(p, var))
            continue;
        rf_plan_refuse(
            p, RF_DIAG_ESCAPE, p->plan->block->list[p->plan->last]->at,
            "the shared variable '%s' is read after the loops", var->name);
        return false;
    }
    return true;
}

/* ---- the barrier at the end ---- */

/* True if "block" stands in a loop inside "s". */
static bool is_repeated(const rf_stmt *s, const rf_stmt *block)
{
    if (!s || !rf_stmt_holds(s, block))
        return false;
    if (rf_stmt_is_loop(s))
        return true;
    if (is_repeated(s->body, block) || is_repeated(s->orelse, block))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (is_repeated(s->list[i], block))
            return true;
    return false;
}

static bool is_stored_and_read(const rf_planner *p)
{
    for (size_t i = 0; i < p->trace->stores.len; i++) {
        const rf_val *root =
            rf_trace_root(p->trace, p->trace->stores.data[i].base);
        if (root->kind == RF_VAL_ENTRY &&
            rf_plan_is_read_outside(p->plan, root->var))
            return true;
    }
    return false;
}

void rf_plan_count_barriers(rf_plan *plan)
{
    const rf_team *team = plan->trace->team;
    if (!team)
        return;
    plan->barriers_before = team->barriers;
    plan->barriers_after = plan->ends_with_barrier && !team->width;
    if (!team->width && team->largest > RF_WARP)
        plan->barriers_after += plan->n_loops;
}

bool rf_plan_is_repeated(const rf_planner *p)
{
    return is_repeated(p->region->func->body, p->plan->block);
}

bool rf_plan_team(rf_planner *p)
{
    if (!p->trace->team && p->trace->exchanged.len) {
        rf_plan_refuse(p, RF_DIAG_UNSUPPORTED,
                       p->plan->block->list[p->plan->first]->at,
                       "a block of one thread exchanges values with itself");
        return false;
    }
    if (!p->trace->team)
        return true;
    if (!check_members(p) || !check_exchanged(p))
        return false;
    bool repeated = rf_plan_is_repeated(p);
    p->plan->ends_with_barrier =
        (repeated && !p->trace->team->width) || is_stored_and_read(p);
    return true;
}

bool rf_plan_team_meets(rf_planner *p)
{
    for (size_t i = 0; p->trace->team && i < p->plan->members.len; i++)
        if (!rf_plan_meets(p, p->plan->members.data[i]))
            return false;
    return true;
}

/* ---- the window ---- */

static bool expr_is_shared(const rf_func *f, const rf_expr *e)
{
    if (!e)
        return false;
    if (e->op == RF_OP_VAR) {
        bool is_pointer = e->var->storage == RF_VAR_LOCAL &&
                          e->var->type->kind == RF_TYPE_POINTER;
        const rf_var *of = is_pointer ? rf_expr_root(f, e) : e->var;
        return of->storage == RF_VAR_SHARED;
    }
    for (unsigned i = 0; i < e->n; i++)
        if (expr_is_shared(f, e->arg[i]))
            return true;
    return false;
}

bool rf_stmt_is_of_team(const rf_func *f, const rf_stmt *s)
{
    if (!s)
        return false;
    if (s->kind == RF_STMT_DECL && s->var->storage == RF_VAR_SHARED)
        return false;
    if (rf_stmt_is_collective(s) || expr_is_shared(f, s->expr) ||
        rf_stmt_is_of_team(f, s->init) || rf_stmt_is_of_team(f, s->body) ||
        rf_stmt_is_of_team(f, s->orelse))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (rf_stmt_is_of_team(f, s->list[i]))
            return true;
    return false;
}
