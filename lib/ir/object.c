/* Calls of methods and lambdas: the object that the body sees.
 *
 *     this->k     the k of the object of the call
 *     [v]         v as it was where the lambda was made: a copy
 *     [&v]        v itself, unless it is the partial value of a reduction */
#include "ir/tracing.h"

#include <string.h>

bool rf_is_closure(const rf_expr *e)
{
    return e && e->op == RF_OP_OPAQUE && e->name && !strcmp(e->name, "closure");
}

static bool is_named(const rf_expr *e)
{
    if (e->op == RF_OP_VAR || e->op == RF_OP_INT)
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (!is_named(e->arg[i]))
            return false;
    return e->op == RF_OP_FIELD || e->op == RF_OP_INDEX ||
           e->op == RF_OP_DEREF || e->op == RF_OP_CAST ||
           (e->op >= RF_OP_ADD && e->op <= RF_OP_REM);
}

const rf_expr *rf_object_of(rf_tracer *tr, const rf_expr *e)
{
    if (e->op == RF_OP_VAR && e->var->storage == RF_VAR_BUILTIN &&
        !strcmp(e->var->name, "this"))
        return tr->self;
    if (!is_named(e))
        rf_refuse(tr, RF_DIAG_UNSUPPORTED, e->at,
                  "the object of this call is not modelled");
    return e;
}

void rf_make_closure(rf_tracer *tr, rf_var *var, const rf_expr *closure)
{
    for (unsigned i = 0; i < closure->n; i++) {
        const rf_expr *capture = closure->arg[i];
        if (capture->op != RF_OP_VAR)
            continue;
        rf_captured c = { .closure = var,
                          .var = capture->var,
                          .copy = RF_NEW(tr->t->arena, rf_var) };
        *c.copy = *capture->var;
        c.copy->id = 3000000 + (unsigned)tr->captured.len;
        rf_env_set(tr, c.copy, rf_env_get(tr, capture->var));
        RF_PUSH(tr->captured, c);
    }
    rf_env_set(tr, var, rf_val_unknown(tr->vals, var->type, "lambda", closure));
}

/* The copy of "var" that "closure" holds, or NULL. */
static rf_var *copy_of(const rf_tracer *tr, const rf_var *closure,
                       const rf_var *var)
{
    for (size_t i = tr->captured.len; closure && i-- > 0;)
        if (tr->captured.data[i].closure == closure &&
            tr->captured.data[i].var == var)
            return tr->captured.data[i].copy;
    return NULL;
}

static bool is_scalar(const rf_type *t)
{
    return t->kind == RF_TYPE_INT || t->kind == RF_TYPE_FLOAT ||
           t->kind == RF_TYPE_BOOL || t->kind == RF_TYPE_POINTER;
}

static void bind_copy(rf_tracer *tr, const rf_expr *closure,
                      const rf_expr *capture)
{
    rf_var *var = capture->var, *copy = copy_of(tr, closure->var, var);
    if (!is_scalar(var->type) && !var->is_const)
        rf_refuse(tr, RF_DIAG_UNSUPPORTED, capture->at,
                  "the copy of '%s' in a lambda is not modelled", var->name);
    else if (copy)
        RF_PUSH(tr->aliases, (rf_alias_of){ .var = var, .target = copy });
    else if (!var->is_const && closure->var)
        rf_refuse(tr, RF_DIAG_UNSUPPORTED, capture->at,
                  "the lambda holds an earlier value of '%s'", var->name);
}

/* True if "var" holds what earlier iterations of a loop around left. */
static bool is_running(rf_tracer *tr, rf_var *var)
{
    const rf_val *v = rf_env_find(tr, var);
    for (const rf_frame *f = tr->frame; v && f; f = f->outer)
        if (rf_is_carried(v, f->loop))
            return true;
    return false;
}

bool rf_bind_closure(rf_tracer *tr, const rf_expr *call)
{
    const rf_expr *closure = call->arg[0];
    for (unsigned i = 0; i < closure->n && !tr->t->refused; i++) {
        const rf_expr *capture = closure->arg[i];
        bool by_reference = capture->op == RF_OP_ADDRESS;
        rf_var *var = by_reference ? capture->arg[0]->var : capture->var;
        if (var == closure->var)
            continue;
        if (rf_find_assignment(call->callee->body, var))
            rf_refuse(tr, RF_DIAG_ESCAPE, capture->at,
                      "the lambda changes '%s'", var->name);
        else if (!by_reference)
            bind_copy(tr, closure, capture);
        else if (is_running(tr, var))
            rf_refuse(tr, RF_DIAG_ESCAPE, capture->at,
                      "the lambda sees partial values of '%s'", var->name);
    }
    return !tr->t->refused;
}
