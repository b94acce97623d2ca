/* Which statements are the chain, and where its rows come from.
 *
 *     loop      the nest stands alone in its kernel and does not ask which
 *               thread runs it: a specification, dealt to the grid row by row
 *     thread    m = blockIdx.x * blockDim.x + threadIdx.x: the rows of a
 *               block are those of its threads, [blockIdx.x * blockDim.x,
 *               + blockDim.x), cut off by the kernel's own guard (D6) */
#include "plan/chaining.h"
#include "plan/plan.h"

#include <string.h>

/* ---- who asks for the thread ---- */

static bool stmt_asks(const rf_stmt *s);

static bool is_builtin(const rf_expr *e, const char *name, const char *field)
{
    return e->op == RF_OP_FIELD && e->arg[0]->op == RF_OP_VAR &&
           e->arg[0]->var->storage == RF_VAR_BUILTIN &&
           !strcmp(e->arg[0]->var->name, name) && !strcmp(e->name, field);
}

static bool expr_asks(const rf_expr *e)
{
    if (!e)
        return false;
    if (e->op == RF_OP_VAR && e->var->storage == RF_VAR_BUILTIN)
        return true;
    if (e->op == RF_OP_CALL && e->callee && !e->callee->is_recursive &&
        stmt_asks(e->callee->body))
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (expr_asks(e->arg[i]))
            return true;
    return false;
}

static bool stmt_asks(const rf_stmt *s)
{
    if (!s)
        return false;
    if (expr_asks(s->expr) || expr_asks(s->step) || stmt_asks(s->init) ||
        stmt_asks(s->body) || stmt_asks(s->orelse))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (stmt_asks(s->list[i]))
            return true;
    return false;
}

/* ---- m = blockIdx.x * blockDim.x + threadIdx.x ---- */

static const rf_expr *bare(const rf_expr *e)
{
    while (e && e->op == RF_OP_CAST)
        e = e->arg[0];
    return e;
}

static bool is_block_start(const rf_expr *e)
{
    e = bare(e);
    if (e->op != RF_OP_MUL)
        return false;
    const rf_expr *a = bare(e->arg[0]), *b = bare(e->arg[1]);
    return (is_builtin(a, "blockIdx", "x") && is_builtin(b, "blockDim", "x")) ||
           (is_builtin(b, "blockIdx", "x") && is_builtin(a, "blockDim", "x"));
}

static bool is_thread_number(const rf_expr *e)
{
    e = bare(e);
    if (!e || e->op != RF_OP_ADD)
        return false;
    const rf_expr *a = bare(e->arg[0]), *b = bare(e->arg[1]);
    return (is_block_start(a) && is_builtin(b, "threadIdx", "x")) ||
           (is_block_start(b) && is_builtin(a, "threadIdx", "x"));
}

static bool find_row(rf_chain *ch, const rf_stmt *body, unsigned end)
{
    for (unsigned i = 0; i < end; i++) {
        const rf_stmt *s = body->list[i];
        if (s->kind != RF_STMT_DECL || !s->var->is_const ||
            !is_thread_number(s->expr))
            continue;
        ch->row = s->var;
        return true;
    }
    return false;
}

/* row < limit, or its negation row >= limit. */
static const rf_expr *limit_of(const rf_expr *e, const rf_var *row, bool keep)
{
    e = bare(e);
    if (!e || e->n != 2)
        return NULL;
    const rf_expr *a = bare(e->arg[0]), *b = bare(e->arg[1]);
    bool left = a->op == RF_OP_VAR && a->var == row;
    bool right = b->op == RF_OP_VAR && b->var == row;
    rf_op want = keep ? RF_OP_LT : RF_OP_GE;
    rf_op mirror = keep ? RF_OP_GT : RF_OP_LE;
    if (left && e->op == want)
        return e->arg[1];
    return right && e->op == mirror ? e->arg[0] : NULL;
}

static bool is_return(const rf_stmt *s)
{
    while (s && s->kind == RF_STMT_BLOCK && s->n == 1)
        s = s->list[0];
    return s && s->kind == RF_STMT_RETURN && !s->expr;
}

/* ---- the window ---- */

static bool is_declaration(const rf_stmt *s)
{
    if (s->kind == RF_STMT_BLOCK && !s->is_scope) {
        for (unsigned i = 0; i < s->n; i++)
            if (!is_declaration(s->list[i]))
                return false;
        return true;
    }
    return s->kind == RF_STMT_EMPTY || s->kind == RF_STMT_DECL;
}

/* Declarations before the chain stay where they are, outside the window. */
static unsigned skip_declarations(const rf_stmt *block, unsigned i)
{
    for (; i < block->n; i++) {
        const rf_stmt *s = block->list[i];
        bool set = s->kind == RF_STMT_DECL && s->var->is_const && s->expr;
        if (!set && !(s->kind == RF_STMT_EMPTY && s->var))
            break;
    }
    return i;
}

static bool set_thread_window(rf_chaining *c)
{
    rf_chain *ch = c->chain;
    const rf_stmt *body = ch->func->body;
    unsigned i = skip_declarations(body, 0);
    if (!find_row(ch, body, i) || i >= body->n)
        return rf_chain_refuse(c, RF_DIAG_UNSUPPORTED, body->at,
                               "the row is not the number of the thread in "
                               "the grid");
    const rf_stmt *s = body->list[i];
    ch->block = body;
    ch->rows = RF_ROWS_THREAD;
    if (s->kind == RF_STMT_IF && !s->orelse && is_return(s->body)) {
        ch->limit = limit_of(s->expr, ch->row, false);
        i++;
    } else if (s->kind == RF_STMT_IF && !s->orelse && i + 1 == body->n &&
               s->body->kind == RF_STMT_BLOCK) {
        ch->limit = limit_of(s->expr, ch->row, true);
        ch->block = s->body;
        i = 0;
    } else {
        ch->first = i;
        ch->last = body->n - 1;
        return true;
    }
    ch->first = i;
    ch->last = ch->block->n - 1;
    if (ch->limit && ch->first < ch->block->n)
        return true;
    return rf_chain_refuse(c, RF_DIAG_UNIFORM, s->at,
                           "this guard is not 'row < limit': threads of a "
                           "block could not meet at a barrier");
}

static bool set_loop_window(rf_chaining *c)
{
    rf_chain *ch = c->chain;
    const rf_stmt *body = ch->func->body;
    ch->block = body;
    ch->rows = RF_ROWS_LOOP;
    if (c->region->whole_function) {
        ch->first = 0;
        ch->last = body->n - 1;
        return body->n > 0;
    }
    unsigned at = 0;
    while (at < body->n && body->list[at] != c->region->stmt)
        at++;
    ch->first = ch->last = at;
    if (at == body->n)
        return rf_chain_refuse(c, RF_DIAG_UNSUPPORTED, c->region->stmt->at,
                               "the chain stands inside another statement");
    for (unsigned i = 0; i < body->n; i++)
        if (i != at && !is_declaration(body->list[i]) &&
            !is_return(body->list[i]))
            return rf_chain_refuse(c, RF_DIAG_SIDE_EFFECT, body->list[i]->at,
                                   "this statement beside the chain would "
                                   "run once in every thread");
    return true;
}

bool rf_chain_window(rf_chaining *c)
{
    if (!stmt_asks(c->chain->func->body))
        return set_loop_window(c);
    if (!c->region->whole_function)
        return rf_chain_refuse(c, RF_DIAG_UNIFORM, c->region->stmt->at,
                               "a block computes its rows together, so the "
                               "guard around them changes too; mark the "
                               "whole kernel");
    return set_thread_window(c);
}

/* ---- the rows ---- */

static bool is_other_thread_value(const rf_val *v, const void *row)
{
    (void)row;
    return v->kind == RF_VAL_ENTRY && v->var->storage == RF_VAR_BUILTIN;
}

bool rf_chain_rows(rf_chaining *c)
{
    const rf_chain *ch = c->chain;
    if (ch->rows == RF_ROWS_LOOP && !ch->m)
        return rf_chain_refuse(c, RF_DIAG_LOOP_MISMATCH, ch->second->at,
                               "the two products share no row loop");
    if (ch->rows == RF_ROWS_THREAD && ch->m)
        return rf_chain_refuse(c, RF_DIAG_UNSUPPORTED, ch->second->at,
                               "a thread computes several rows");
    for (size_t i = 0; i < c->trace->stores.len; i++)
        if (rf_val_find(c->trace->stores.data[i].value, is_other_thread_value,
                        NULL))
            return rf_chain_refuse(c, RF_DIAG_UNSUPPORTED,
                                   c->trace->stores.data[i].at,
                                   "this value depends on the thread other "
                                   "than by its row");
    return true;
}
