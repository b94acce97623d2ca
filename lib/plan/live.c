/* Which variables are still needed when a window has ended: statements
 * first..last of a block, anywhere in a function. From the window outwards, the
 * next thing that happens to the variable decides:
 *
 *     read      it is needed
 *     set       it is not, if no jump can pass by
 *     nothing   the statement around the block goes on; a loop begins again,
 *               with new variables where its body declares them
 *
 * What an address, a reference or a lambda shows elsewhere is needed, and what
 * the caller lent. */
#include "plan/planning.h"

typedef enum { PASSES, READ, SET } fate;

typedef struct {
    const rf_stmt *block;
    unsigned last;
    const rf_var *var;
} window;

/* Control may leave the statements around it. */
static bool is_jump(const rf_stmt *s, const void *unused)
{
    (void)unused;
    return s->kind == RF_STMT_BREAK || s->kind == RF_STMT_CONTINUE;
}

static fate fate_in(const rf_stmt *block, unsigned from, const rf_var *var);

static fate fate_of(const rf_stmt *s, const rf_var *var)
{
    if (s->kind == RF_STMT_BLOCK)
        return fate_in(s, 0, var);
    if (rf_stmt_sets(s, var))
        return SET;
    return rf_stmt_reads(s, var) ? READ : PASSES;
}

static fate fate_in(const rf_stmt *block, unsigned from, const rf_var *var)
{
    bool passed = false;
    for (unsigned i = from; i < block->n; i++) {
        fate f = fate_of(block->list[i], var);
        if (f == READ)
            return READ;
        if (f == SET)
            return passed ? PASSES : SET;
        passed |= rf_stmt_find(block->list[i], is_jump, NULL) != NULL;
    }
    return PASSES;
}

static bool expr_reads(rf_expr *e, const rf_var *var)
{
    rf_stmt s = { .kind = RF_STMT_EXPR, .expr = e };
    return e && rf_stmt_reads(&s, var);
}

static bool declares(const rf_stmt *s, const void *var)
{
    return s->var == var &&
           (s->kind == RF_STMT_DECL || s->kind == RF_STMT_EMPTY);
}

/* True if each iteration of "loop" has a "var" of its own. */
static bool is_new_each_time(const rf_stmt *loop, const rf_var *var)
{
    return var->storage == RF_VAR_LOCAL && !var->is_static &&
           rf_stmt_find(loop->body, declares, var);
}

/* The window is done and control stands behind its part of "s". */
static fate fate_after(const rf_stmt *s, const window *w)
{
    fate f = PASSES;
    if (s == w->block)
        return fate_in(s, w->last + 1, w->var);
    if (s->kind == RF_STMT_BLOCK) {
        for (unsigned i = 0; i < s->n; i++)
            if (rf_stmt_holds(s->list[i], w->block)) {
                f = fate_after(s->list[i], w);
                return f == PASSES ? fate_in(s, i + 1, w->var) : f;
            }
        return READ; /* not reached */
    }
    bool in_body = rf_stmt_holds(s->body, w->block);
    if (!in_body && !rf_stmt_holds(s->orelse, w->block))
        return READ; /* in an expression: not understood */
    f = fate_after(in_body ? s->body : s->orelse, w);
    if (f != PASSES || !rf_stmt_is_loop(s) || is_new_each_time(s, w->var))
        return f;
    bool again = expr_reads(s->step, w->var) || expr_reads(s->expr, w->var) ||
                 fate_of(s->body, w->var) == READ;
    return again ? READ : PASSES;
}

/* ---- what is seen under another name ---- */

static bool names(const rf_expr *e, const rf_var *var)
{
    rf_stmt s = { .kind = RF_STMT_EXPR, .expr = (rf_expr *)(uintptr_t)e };
    return rf_stmt_reads(&s, var);
}

static bool shows(const rf_expr *e, const rf_var *var)
{
    if (!e)
        return false;
    if (e->op == RF_OP_ADDRESS && names(e->arg[0], var))
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if ((e->op == RF_OP_OPAQUE && names(e->arg[i], var)) ||
            shows(e->arg[i], var))
            return true;
    return false;
}

/* True if a statement outside the window makes another name for "var". */
static bool is_shown(const rf_stmt *s, const window *w)
{
    if (!s)
        return false;
    bool refers = s->kind == RF_STMT_DECL && s->expr && s->var->type &&
                  s->var->type->is_reference && names(s->expr, w->var);
    if (refers || shows(s->expr, w->var) || shows(s->step, w->var) ||
        is_shown(s->init, w) || is_shown(s->body, w) || is_shown(s->orelse, w))
        return true;
    for (unsigned i = s == w->block ? w->last + 1 : 0; i < s->n; i++)
        if (is_shown(s->list[i], w))
            return true;
    return false;
}

static bool is_callers(const rf_func *func, const rf_var *var)
{
    bool found = false;
    for (unsigned i = 0; i < func->n_params; i++)
        found |= func->params[i] == var;
    return found && var->type && var->type->is_reference;
}

bool rf_needed_after(const rf_func *func, const rf_stmt *block, unsigned last,
                     const rf_var *var)
{
    window w = { .block = block, .last = last, .var = var };
    return is_callers(func, var) || fate_after(func->body, &w) == READ ||
           is_shown(func->body, &w);
}

/* The first use of "var" that stands behind "offset", or NULL. */
static const rf_expr *use_in(const rf_expr *e, const rf_var *var,
                             uint32_t offset)
{
    if (!e)
        return NULL;
    if (e->op == RF_OP_VAR && e->var == var && e->at.begin >= offset &&
        e->at.begin != UINT32_MAX)
        return e;
    const rf_expr *found = NULL;
    for (unsigned i = 0; i < e->n && !found; i++)
        found = use_in(e->arg[i], var, offset);
    return found;
}

static const rf_expr *use_behind(const rf_stmt *s, const rf_var *var,
                                 uint32_t offset)
{
    if (!s)
        return NULL;
    const rf_expr *found = use_in(s->expr, var, offset);
    found = found ? found : use_in(s->step, var, offset);
    found = found ? found : use_behind(s->init, var, offset);
    found = found ? found : use_behind(s->body, var, offset);
    found = found ? found : use_behind(s->orelse, var, offset);
    for (unsigned i = 0; i < s->n && !found; i++)
        found = use_behind(s->list[i], var, offset);
    return found;
}

rf_range rf_plan_use_after(const rf_plan *plan, const rf_var *var)
{
    rf_range at = plan->block->list[plan->last]->at;
    const rf_expr *e = use_behind(plan->func->body, var, at.end);
    return e ? e->at : at;
}

bool rf_plan_needs(const rf_plan *plan, const rf_var *var)
{
    return rf_needed_after(plan->func, plan->block, plan->last, var);
}
