/* Which variables change after their declaration: a walk over a body that
 * clears rf_var.is_const at assignments, increments and address-taking.
 *
 *     float *row;             is read as the declaration   float *row = x + i;
 *     row = x + i;            where it is set, if nothing else sets it and
 *                             no branch or loop stands in between. */
#include "front/reader.h"

/* Of "only" the changes are counted, and nothing is marked. */
typedef struct {
    const rf_var *only; /* or NULL */
    unsigned n;
} walk;

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

static void changes(walk *w, const rf_expr *e)
{
    rf_var *var = root_of(e);
    if (w->only)
        w->n += var == w->only;
    else if (var && var->storage != RF_VAR_BUILTIN)
        var->is_const = false;
}

/* A callee may write through its references. */
static void changes_arguments(walk *w, const rf_expr *call)
{
    unsigned shift = call->is_method;
    if (shift && !(call->callee && call->callee->is_const_method))
        changes(w, call->arg[0]);
    for (unsigned i = shift; call->callee && i < call->n; i++) {
        if (i - shift >= call->callee->n_params)
            break;
        const rf_type *type = call->callee->params[i - shift]->type;
        if (type && type->is_reference && !(type->elem && type->elem->is_const))
            changes(w, call->arg[i]);
    }
}

static void walk_expr(walk *w, const rf_expr *e)
{
    if (!e || e->op == RF_OP_OPAQUE) /* the body of a lambda is walked */
        return;
    switch (e->op) {
    case RF_OP_ASSIGN:
    case RF_OP_ASSIGN_OP:
    case RF_OP_PRE_INC:
    case RF_OP_PRE_DEC:
    case RF_OP_POST_INC:
    case RF_OP_POST_DEC:
    case RF_OP_ADDRESS:
        changes(w, e->arg[0]);
        break;
    case RF_OP_CALL:
        changes_arguments(w, e);
        break;
    default:
        break;
    }
    for (unsigned i = 0; i < e->n; i++)
        walk_expr(w, e->arg[i]);
}

static void walk_stmt(walk *w, const rf_stmt *s)
{
    if (!s)
        return;
    if (s->kind == RF_STMT_DECL && s->expr && s->var->type &&
        s->var->type->is_reference)
        changes(w, s->expr);
    walk_expr(w, s->expr);
    walk_expr(w, s->step);
    walk_stmt(w, s->init);
    walk_stmt(w, s->body);
    walk_stmt(w, s->orelse);
    for (unsigned i = 0; i < s->n; i++)
        walk_stmt(w, s->list[i]);
}

/* ---- declared here, set there ---- */

static bool is_bare(const rf_stmt *decl)
{
    const rf_var *v = decl->var;
    const rf_type *t = v->type;
    return !decl->expr && !decl->in_macro && v->is_const && !v->is_static &&
           v->storage == RF_VAR_LOCAL && t && !t->is_reference &&
           t->kind >= RF_TYPE_BOOL && t->kind <= RF_TYPE_POINTER;
}

/* What is opaque counts as a change of what it names. */
static bool is_set_by(const rf_stmt *s, const rf_var *var)
{
    return s->kind == RF_STMT_EXPR && !s->in_macro &&
           s->expr->op == RF_OP_ASSIGN && s->expr->arg[0]->op == RF_OP_VAR &&
           s->expr->arg[0]->var == var &&
           !rf_expr_find(s->expr->arg[1], rf_expr_is_use, var);
}

static bool may_wait(const rf_func *func, const rf_stmt *decl)
{
    walk w = { .only = decl->var };
    if (decl->kind != RF_STMT_DECL || !is_bare(decl))
        return false;
    walk_stmt(&w, func->body);
    return w.n == 1;
}

/* May stand between a declaration of "var" and what sets it. */
static bool is_between(const rf_stmt *s, const rf_var *var)
{
    bool list = s->kind == RF_STMT_BLOCK && !s->is_scope;
    for (unsigned k = 0; list && k < s->n; k++)
        if (!is_between(s->list[k], var))
            return false;
    bool plain = s->kind == RF_STMT_DECL || s->kind == RF_STMT_EXPR;
    return list || s->kind == RF_STMT_EMPTY ||
           (plain && !rf_expr_find(s->expr, rf_expr_is_use, var));
}

/* The declaration "decl" moves to the statement of block->list[from..] that
 * sets its variable. */
static void settle(rf_stmt *decl, const rf_stmt *block, unsigned from)
{
    unsigned i = from;
    while (i < block->n && !is_set_by(block->list[i], decl->var))
        if (!is_between(block->list[i++], decl->var))
            return;
    if (i == block->n)
        return;
    rf_stmt *set = block->list[i];
    set->kind = RF_STMT_DECL;
    set->var = decl->var;
    set->expr = set->expr->arg[1];
    decl->kind = RF_STMT_EMPTY;
}

static void settle_all(const rf_func *func, const rf_stmt *s)
{
    if (!s)
        return;
    settle_all(func, s->body);
    settle_all(func, s->orelse);
    for (unsigned i = 0; i < s->n; i++) {
        rf_stmt *t = s->list[i];
        bool list = t->kind == RF_STMT_BLOCK && !t->is_scope;
        for (unsigned k = 0; k < (list ? t->n : 1); k++) {
            rf_stmt *decl = list ? t->list[k] : t;
            if (may_wait(func, decl))
                settle(decl, s, i + 1);
        }
        settle_all(func, t);
    }
}

void rf_mark_assigned(rf_func *func)
{
    walk w = { 0 };
    settle_all(func, func->body);
    walk_stmt(&w, func->body);
}
