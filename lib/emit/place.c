/* Where the author's code uses a value that cannot be written: the first read
 * of it, or the innermost expression around it, else the statement. */
#include "emit/emitting.h"

typedef struct {
    const rf_plan *plan;
    const rf_val *value;
    rf_range first; /* of the uses seen so far */
} uses;

static void take(uses *u, rf_range at)
{
    if (at.begin != UINT32_MAX && at.begin < u->first.begin)
        u->first = at;
}

/* "around": of the innermost expression with a place that "v" is part of. */
static void walk(uses *u, const rf_val *v, rf_range around)
{
    if (!v)
        return;
    if (v == u->value) {
        take(u, around);
        return;
    }
    if (v->expr && v->expr->at.begin != UINT32_MAX)
        around = v->expr->at;
    for (unsigned i = 0; i < v->n; i++)
        walk(u, v->arg[i], around);
    if (v->kind == RF_VAL_RESULT && !rf_plan_member_of(u->plan, v)) {
        walk(u, v->red->init, v->red->at);
        walk(u, v->red->guard, v->red->at);
        walk(u, v->red->term, v->red->at);
    }
}

static void walk_reads(uses *u, const rf_trace *t)
{
    for (size_t i = 0; i < t->reads.len; i++)
        if (t->reads.data[i].value == u->value)
            take(u, t->reads.data[i].at);
}

static void walk_members(uses *u)
{
    for (size_t i = 0; i < u->plan->members.len; i++) {
        const rf_red *red = u->plan->members.data[i]->red;
        walk(u, red->init, red->at);
        walk(u, red->guard, red->at);
        walk(u, red->term, red->at);
    }
}

static void walk_stores(uses *u, const rf_trace *t)
{
    for (size_t i = 0; i < t->stores.len; i++) {
        const rf_store *s = &t->stores.data[i];
        walk(u, s->base, s->at);
        walk(u, s->index, s->at);
        walk(u, s->value, s->at);
        walk(u, s->guard, s->at);
    }
}

/* ---- behind the block ---- */

static void walk_expr(uses *u, const rf_expr *e, const rf_var *var,
                      uint32_t from)
{
    if (!e)
        return;
    if (e->op == RF_OP_VAR && e->var == var && e->at.begin >= from)
        take(u, e->at);
    for (unsigned i = 0; i < e->n; i++)
        walk_expr(u, e->arg[i], var, from);
}

/* Reads of "var" in "s", but those before "from". */
static void walk_stmt(uses *u, const rf_stmt *s, const rf_var *var,
                      uint32_t from)
{
    if (!s)
        return;
    walk_expr(u, s->expr, var, from);
    walk_expr(u, s->step, var, from);
    walk_stmt(u, s->init, var, from);
    walk_stmt(u, s->body, var, from);
    walk_stmt(u, s->orelse, var, from);
    for (unsigned i = 0; i < s->n; i++)
        walk_stmt(u, s->list[i], var, from);
}

/* A variable that the block leaves with the value is read behind it. */
static void walk_finals(uses *u, const rf_trace *t)
{
    const rf_plan *plan = u->plan;
    uint32_t end = plan->block->list[plan->last]->at.end;
    for (size_t i = 0; i < t->finals.len; i++)
        if (t->finals.data[i].value == u->value)
            walk_stmt(u, plan->func->body, t->finals.data[i].var, end);
}

/* The only values that are written before the loops. */
static void walk_inits(uses *u)
{
    for (size_t i = 0; i < u->plan->members.len; i++) {
        const rf_red *red = u->plan->members.data[i]->red;
        walk(u, red->init, red->at);
    }
}

rf_range rf_emit_use_place(const rf_emitter *em, const rf_val *v)
{
    uses u = { .plan = em->plan, .value = v, .first = RF_NOWHERE };
    if (v->kind == RF_VAL_INDEX)
        walk_inits(&u);
    else
        walk_reads(&u, em->trace); /* the exact place, if it was in a loop */
    if (u.first.begin == UINT32_MAX) {
        walk_members(&u);
        walk_stores(&u, em->trace);
        walk_finals(&u, em->trace);
    }
    return u.first.begin == UINT32_MAX ? em->plan->block->at : u.first;
}
