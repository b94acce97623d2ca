/* Which variables change after their declaration: a walk over a body that
 * clears rf_var.is_const at assignments, increments and address-taking. */
#include "front/reader.h"

static rf_var *root_of(const rf_expr *e)
{
    for (;;) {
        switch (e->op) {
        case RF_OP_VAR:
            return e->var;
        case RF_OP_FIELD:
            if (e->is_arrow)
                return NULL;
            e = e->arg[0];
            break;
        case RF_OP_INDEX:
        case RF_OP_CAST:
        case RF_OP_ASSIGN:
        case RF_OP_ASSIGN_OP:
        case RF_OP_PRE_INC:
        case RF_OP_PRE_DEC:
            e = e->arg[0];
            break;
        default:
            return NULL;
        }
    }
}

static void changes(const rf_expr *e)
{
    rf_var *var = root_of(e);
    bool through = e->op == RF_OP_INDEX && var && var->type &&
                   var->type->kind == RF_TYPE_POINTER;
    if (var && !through)
        var->is_const = false;
}

static void walk_expr(const rf_expr *e)
{
    if (!e)
        return;
    switch (e->op) {
    case RF_OP_ASSIGN:
    case RF_OP_ASSIGN_OP:
    case RF_OP_PRE_INC:
    case RF_OP_PRE_DEC:
    case RF_OP_POST_INC:
    case RF_OP_POST_DEC:
    case RF_OP_ADDRESS:
        changes(e->arg[0]);
        break;
    case RF_OP_CALL:
        if (e->is_method)
            changes(e->arg[0]);
        break;
    default:
        break;
    }
    for (unsigned i = 0; i < e->n; i++)
        walk_expr(e->arg[i]);
}

static void walk_stmt(const rf_stmt *s)
{
    if (!s)
        return;
    if (s->kind == RF_STMT_DECL && s->expr && s->var->type &&
        s->var->type->is_reference)
        changes(s->expr);
    walk_expr(s->expr);
    walk_expr(s->step);
    walk_stmt(s->init);
    walk_stmt(s->body);
    walk_stmt(s->orelse);
    for (unsigned i = 0; i < s->n; i++)
        walk_stmt(s->list[i]);
}

void rf_mark_assigned(rf_func *func)
{
    walk_stmt(func->body);
}
