/* Which variables change after their declaration: a walk over a body that
 * clears rf_var.is_const at assignments, increments and address-taking. */
#include "front/reader.h"

static bool is_pointer(const rf_expr *e)
{
    return e->type && e->type->kind == RF_TYPE_POINTER;
}

/* The variable of which "e" is a part; NULL behind a pointer. */
static rf_var *root_of(const rf_expr *e)
{
    for (;; e = e->arg[0]) {
        switch (e->op) {
        case RF_OP_VAR:
            return e->var;
        case RF_OP_FIELD:
            if (e->is_arrow)
                return NULL;
            break;
        case RF_OP_INDEX:
            if (is_pointer(e->arg[0]))
                return NULL;
            break;
        case RF_OP_CAST:
        case RF_OP_ASSIGN:
        case RF_OP_ASSIGN_OP:
        case RF_OP_PRE_INC:
        case RF_OP_PRE_DEC:
            break;
        default:
            return NULL;
        }
    }
}

static void changes(const rf_expr *e)
{
    rf_var *var = root_of(e);
    if (var && var->storage != RF_VAR_BUILTIN)
        var->is_const = false;
}

/* A callee may write through its references. */
static void changes_arguments(const rf_expr *call)
{
    unsigned shift = call->is_method;
    if (shift)
        changes(call->arg[0]);
    for (unsigned i = shift; call->callee && i < call->n; i++) {
        if (i - shift >= call->callee->n_params)
            break;
        const rf_type *type = call->callee->params[i - shift]->type;
        if (type && type->is_reference && !(type->elem && type->elem->is_const))
            changes(call->arg[i]);
    }
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
        changes_arguments(e);
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
