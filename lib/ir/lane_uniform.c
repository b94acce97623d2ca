/* Uniformity (D6): what stands around the traced statements must let in all
 * threads of a team or none, because they meet at barriers and shuffles. */
#include "ir/lanes.h"

#include <string.h>

/* ---- variables ---- */

typedef struct {
    rf_team_run *r;
    const rf_var *var;
    unsigned width;
    bool diverges; /* under a condition in which lanes differ */
} writes;

static bool in_env(const rf_tracer *tr, const rf_var *var)
{
    for (size_t i = 0; i < tr->env.len; i++)
        if (tr->env.data[i].var == var)
            return true;
    return false;
}

/* No effects, no memory, no variable that the traced statements changed. */
static bool is_steady(rf_team_run *r, const rf_expr *e)
{
    if (e->op == RF_OP_VAR)
        return e->var->is_const || !in_env(r->tr, e->var);
    if (e->op == RF_OP_CALL)
        return rf_group_query(e, &(int){ 0 });
    if (e->op == RF_OP_OPAQUE || e->op == RF_OP_ADDRESS || rf_op_assigns(e->op))
        return false;
    for (unsigned i = 0; i < e->n; i++)
        if (!is_steady(r, e->arg[i]))
            return false;
    return true;
}

/* The value of "e", as if nobody had looked: no load is recorded. */
static const rf_val *peek(rf_team_run *r, const rf_expr *e)
{
    size_t loads = r->tr->t->loads.len;
    const rf_val *v = rf_eval(r->tr, e);
    r->tr->t->loads.len = loads;
    return v;
}

static bool is_same(const writes *w, const rf_expr *e)
{
    return !e || (is_steady(w->r, e) &&
                  rf_lane_is_uniform(w->r, peek(w->r, e), w->width));
}

/* a && (x = 1): who writes depends on "a". */
static bool keeps_lazily(const writes *outer, const rf_expr *e);

static bool expr_keeps(const writes *w, const rf_expr *e)
{
    if (!e)
        return true;
    bool is_lazy =
        e->op == RF_OP_AND || e->op == RF_OP_OR || e->op == RF_OP_SELECT;
    if (is_lazy)
        return keeps_lazily(w, e);
    bool assigns = rf_op_assigns(e->op);
    const rf_expr *target =
        assigns || e->op == RF_OP_ADDRESS ? e->arg[0] : NULL;
    if (target && target->op == RF_OP_VAR && target->var == w->var &&
        (w->diverges || !assigns || (e->n > 1 && !is_same(w, e->arg[1]))))
        return false;
    for (unsigned i = 0; e->op == RF_OP_CALL && e->callee && i < e->n; i++)
        if (e->arg[i]->op == RF_OP_VAR && e->arg[i]->var == w->var &&
            i < e->callee->n_params && e->callee->params[i]->type->is_reference)
            return false;
    for (unsigned i = 0; i < e->n; i++)
        if (!expr_keeps(w, e->arg[i]))
            return false;
    return true;
}

static bool keeps_lazily(const writes *outer, const rf_expr *e)
{
    writes w = *outer;
    bool keeps = expr_keeps(&w, e->arg[0]);
    w.diverges |= rf_expr_find(e, rf_expr_is_assignment, w.var) &&
                  !is_same(&w, e->arg[0]);
    for (unsigned i = 1; i < e->n && keeps; i++)
        keeps = expr_keeps(&w, e->arg[i]);
    return keeps;
}

/* What does not name "var" cannot set it; nor look into what is not read. */
static bool names(const rf_stmt *s, const void *var)
{
    return s->kind == RF_STMT_OPAQUE || s->var == var ||
           rf_expr_find(s->expr, rf_expr_is_use, var) ||
           rf_expr_find(s->step, rf_expr_is_use, var);
}

/* Lanes may leave an iteration of the loop around "s" at different places. */
static bool parts_lanes(const writes *w, const rf_stmt *s, bool differ)
{
    if (!s || rf_stmt_is_loop(s))
        return false;
    if (s->kind == RF_STMT_BREAK || s->kind == RF_STMT_CONTINUE)
        return differ;
    bool inside = differ || (s->kind == RF_STMT_IF && !is_same(w, s->expr));
    if (parts_lanes(w, s->body, inside) || parts_lanes(w, s->orelse, inside))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (parts_lanes(w, s->list[i], inside))
            return true;
    return false;
}

static bool leaves(const rf_stmt *s, bool inside);

static bool stmt_keeps(const writes *outer, const rf_stmt *s)
{
    if (!rf_stmt_find(s, names, outer->var))
        return true;
    writes w = *outer;
    if (s->kind == RF_STMT_OPAQUE)
        return false;
    if (s->kind == RF_STMT_DECL && s->var == w.var)
        return !s->expr || (!w.diverges && is_same(&w, s->expr));
    if (!stmt_keeps(&w, s->init) || !expr_keeps(&w, s->expr))
        return false;
    if (s->kind != RF_STMT_BLOCK && s->kind != RF_STMT_DECL &&
        s->kind != RF_STMT_EXPR && !is_same(&w, s->expr))
        w.diverges = true;
    if (rf_stmt_is_loop(s) && leaves(s->body, false) &&
        parts_lanes(&w, s->body, false))
        w.diverges = true;
    if (!expr_keeps(&w, s->step) || !stmt_keeps(&w, s->body) ||
        !stmt_keeps(&w, s->orelse))
        return false;
    for (unsigned i = 0; i < s->n; i++)
        if (!stmt_keeps(&w, s->list[i]))
            return false;
    return true;
}

bool rf_var_is_uniform(rf_team_run *r, const rf_var *var, unsigned width)
{
    for (size_t i = 0; i < r->assumed.len; i++)
        if (r->assumed.data[i] == var)
            return true;
    if (var->storage != RF_VAR_LOCAL)
        return var->storage != RF_VAR_BUILTIN;
    RF_PUSH(r->assumed, var);
    writes w = { .r = r, .var = var, .width = width };
    bool uniform = stmt_keeps(&w, r->tr->t->func->body);
    r->assumed.len--;
    return uniform;
}

/* ---- guards ---- */

typedef struct {
    rf_team_run *r;
    unsigned width; /* threads that must agree; 0: the block */
} guards;

/* "inside": a loop of its own, whose breaks do not matter outside. */
static bool leaves(const rf_stmt *s, bool inside)
{
    if (!s)
        return false;
    inside |= rf_stmt_is_loop(s);
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

/* The first lane that holds another number in some part of "v" than the first
 * lane of its group, or 0. */
static unsigned first_other(const guards *g, const rf_val *v)
{
    unsigned size = g->r->w->size, width = g->width ? g->width : size;
    for (unsigned t = 1; t < size; t++) {
        rf_lane a = rf_lane_of(g->r, t - t % width, v);
        rf_lane b = rf_lane_of(g->r, t, v);
        if (a.kind == RF_LANE_NUM && b.kind == RF_LANE_NUM && a.num != b.num)
            return t;
    }
    for (unsigned i = 0; i < v->n; i++) {
        unsigned t = first_other(g, v->arg[i]);
        if (t)
            return t;
    }
    return 0;
}

static void check_condition(guards *g, const rf_expr *e)
{
    if (!e || g->r->tr->t->refused)
        return;
    const rf_val *v = peek(g->r, e);
    if (is_steady(g->r, e) && rf_lane_is_uniform(g->r, v, g->width))
        return;
    unsigned t = first_other(g, v), size = g->r->w->size;
    unsigned width = g->width ? g->width : size;
    const char *lanes =
        t ? rf_arena_printf(g->r->tr->t->arena,
                            ": thread %u of %u may take another way than "
                            "thread %u",
                            t, size, t - t % width)
          : "";
    rf_refuse(g->r->tr, RF_DIAG_UNIFORM, e->at,
              "threads that meet at a barrier or shuffle may differ in this "
              "condition%s",
              lanes);
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
    if (!s || s == block || !rf_stmt_holds(s, block))
        return;
    if (s->kind != RF_STMT_BLOCK)
        check_condition(g, s->expr);
    check_around(g, s->body);
    check_around(g, s->orelse);
    for (unsigned i = 0; i < s->n; i++) {
        if (rf_stmt_holds(s->list[i], block)) {
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
