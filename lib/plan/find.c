/* Walks over statements: what holds a loop, what reads a variable. */
#include "plan/planning.h"

#include <string.h>

static bool expr_has_loop(const rf_expr *e)
{
    if (!e)
        return false;
    if (e->op == RF_OP_CALL && e->callee && !e->callee->is_recursive &&
        rf_stmt_has_loop(e->callee->body))
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (expr_has_loop(e->arg[i]))
            return true;
    return false;
}

bool rf_stmt_has_loop(const rf_stmt *s)
{
    if (!s)
        return false;
    if (rf_stmt_is_loop(s))
        return true;
    if (expr_has_loop(s->expr) || rf_stmt_has_loop(s->body) ||
        rf_stmt_has_loop(s->orelse))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (rf_stmt_has_loop(s->list[i]))
            return true;
    return false;
}

/* "var" stands for a member, as in "acc.sum". */
static bool is_member(const rf_expr *e, const rf_var *var)
{
    const char *dot = strchr(var->name, '.');
    bool field = e->op == RF_OP_FIELD && e->arg[0]->op == RF_OP_VAR;
    if (!dot || (!field && e->op != RF_OP_VAR))
        return false;
    const char *record = (field ? e->arg[0] : e)->var->name;
    return strlen(record) == (size_t)(dot - var->name) &&
           !strncmp(record, var->name, strlen(record)) &&
           (!field || !strcmp(e->name, dot + 1));
}

static bool expr_reads(const rf_expr *e, const rf_var *var)
{
    if (!e)
        return false;
    if (is_member(e, var))
        return true;
    if (e->op == RF_OP_VAR)
        return e->var == var;
    unsigned first = e->op == RF_OP_ASSIGN && e->arg[0]->op == RF_OP_VAR;
    for (unsigned i = first; i < e->n; i++)
        if (expr_reads(e->arg[i], var))
            return true;
    return false;
}

bool rf_stmt_reads(const rf_stmt *s, const rf_var *var)
{
    if (!s)
        return false;
    if (expr_reads(s->expr, var) || expr_reads(s->step, var) ||
        rf_stmt_reads(s->init, var) || rf_stmt_reads(s->body, var) ||
        rf_stmt_reads(s->orelse, var))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (rf_stmt_reads(s->list[i], var))
            return true;
    return s->kind == RF_STMT_OPAQUE;
}

bool rf_stmt_sets(const rf_stmt *s, const rf_var *var)
{
    if (!s)
        return false;
    if (s->kind == RF_STMT_FOR)
        return rf_stmt_sets(s->init, var);
    if (s->kind == RF_STMT_DECL)
        return s->var == var;
    return s->kind == RF_STMT_EXPR && s->expr->op == RF_OP_ASSIGN &&
           s->expr->arg[0]->op == RF_OP_VAR && s->expr->arg[0]->var == var &&
           !expr_reads(s->expr->arg[1], var);
}

bool rf_block_needs(const rf_stmt *block, unsigned from, const rf_var *var)
{
    for (unsigned i = from; i < block->n; i++) {
        if (rf_stmt_sets(block->list[i], var))
            return false;
        if (rf_stmt_reads(block->list[i], var))
            return true;
    }
    return false;
}

static bool is_read_outside(const rf_plan *plan, const rf_stmt *s,
                            const rf_var *var)
{
    if (!s)
        return false;
    if (!rf_stmt_holds(s, plan->block))
        return rf_stmt_reads(s, var);
    if (expr_reads(s->expr, var) || expr_reads(s->step, var) ||
        is_read_outside(plan, s->init, var) ||
        is_read_outside(plan, s->body, var) ||
        is_read_outside(plan, s->orelse, var))
        return true;
    for (unsigned i = 0; i < s->n; i++) {
        bool replaced = s == plan->block && i >= plan->first && i <= plan->last;
        if (!replaced && is_read_outside(plan, s->list[i], var))
            return true;
    }
    return false;
}

bool rf_plan_is_read_outside(const rf_plan *plan, const rf_var *var)
{
    return is_read_outside(plan, plan->func->body, var);
}
