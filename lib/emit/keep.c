/* Declarations of the author's that stay as they are, because nothing in them
 * depends on a loop of the region. */
#include "emit/emitting.h"

#include <string.h>

/* ---- the author's declarations that stay ---- */

/* The record whose members are states: struct { float m, s; } acc; */
static bool is_record_of_state(const rf_emitter *em, const rf_var *record)
{
    size_t n = strlen(record->name);
    for (size_t i = 0; i < em->plan->members.len; i++) {
        const rf_var *v = em->plan->members.data[i]->red->var;
        if (v && !strncmp(v->name, record->name, n) && v->name[n] == '.')
            return true;
    }
    return false;
}

static bool is_used(const rf_emitter *em, const rf_var *var)
{
    if (is_record_of_state(em, var))
        return true;
    for (size_t i = 0; i < em->used.len; i++)
        if (em->used.data[i] == var)
            return true;
    return rf_plan_needs(em->plan, var);
}

static void use_in(rf_emitter *em, const rf_expr *e)
{
    if (!e)
        return;
    if (e->op == RF_OP_VAR)
        rf_emit_use(em, e->var);
    for (unsigned i = 0; i < e->n; i++)
        use_in(em, e->arg[i]);
}

/* A declaration whose value needs no loop: `const float *row = x + i * n;`. */
static bool is_kept(const rf_emitter *em, const rf_stmt *s)
{
    if (s->kind != RF_STMT_DECL || rf_emit_is_state_name(em, s->var))
        return false;
    if (rf_type_is_pointer_like(s->var->type) || is_record_of_state(em, s->var))
        return true;
    if (!s->var->is_const || !s->expr)
        return false;
    for (size_t i = 0; i < em->trace->names.len; i++) {
        const rf_binding *b = &em->trace->names.data[i];
        unsigned ready;
        if (b->var == s->var)
            return rf_plan_value_ready(em->plan, b->value, &ready) &&
                   ready == 0;
    }
    return false;
}

/* The declarations of the replaced statements, in order: also those of
 * `float *a = x, *b = y;`. The caller clears the list. */
static rf_stmts window_declarations(const rf_emitter *em)
{
    const rf_stmt *b = em->plan->block;
    rf_stmts list = { 0 };
    for (unsigned i = em->plan->first; i <= em->plan->last; i++) {
        rf_stmt *s = b->list[i];
        if (s->kind == RF_STMT_DECL)
            RF_PUSH(list, s);
        for (unsigned k = 0; s->kind == RF_STMT_BLOCK && k < s->n; k++)
            if (!s->is_scope && s->list[k]->kind == RF_STMT_DECL)
                RF_PUSH(list, s->list[k]);
    }
    return list;
}

bool rf_emit_is_kept(const rf_emitter *em, const rf_var *var)
{
    rf_stmts list = window_declarations(em);
    bool found = false;
    for (size_t i = 0; i < list.len && !found; i++)
        found = list.data[i]->var == var && is_kept(em, list.data[i]);
    RF_CLEAR(list);
    return found;
}

/* Bind the values of kept declarations to their names. */
void rf_emit_bind_kept(rf_emitter *em)
{
    rf_stmts list = window_declarations(em);
    for (size_t i = 0; i < list.len; i++) {
        if (!is_kept(em, list.data[i]))
            continue;
        RF_PUSH(em->names, list.data[i]->var->name);
        for (size_t k = 0; k < em->trace->names.len; k++) {
            const rf_binding *n = &em->trace->names.data[k];
            if (n->var == list.data[i]->var && n->value->kind != RF_VAL_CONST &&
                n->value->kind != RF_VAL_ENTRY)
                RF_PUSH(em->scope,
                        (rf_in_scope){ .value = n->value, .var = n->var });
        }
    }
    RF_CLEAR(list);
}

static bool declares(const rf_stmt *s, const rf_var *var)
{
    for (unsigned i = 0; s->kind == RF_STMT_BLOCK && i < s->n; i++)
        if (!s->is_scope && declares(s->list[i], var))
            return true;
    return s->kind == RF_STMT_EMPTY && s->var == var;
}

bool rf_emit_is_declared_before(const rf_emitter *em, const rf_var *var)
{
    for (unsigned i = 0; i < em->plan->first; i++)
        if (declares(em->plan->block->list[i], var))
            return true;
    return false;
}

static rf_stmt *kept(rf_emitter *em, rf_stmt *s)
{
    rf_expr *e = rf_emit_in_team(em, s->expr);
    if (rf_emit_is_declared_before(em, s->var))
        return rf_assign(em, rf_emit_use(em, s->var), e);
    rf_stmt *copy = RF_NEW(em->arena, rf_stmt);
    *copy = *s;
    copy->expr = e;
    return e == s->expr ? s : copy;
}

/* The kept declarations that something uses, in order. */
void rf_emit_keep_declarations(rf_emitter *em, rf_stmts *out)
{
    rf_stmts list = window_declarations(em);
    for (size_t i = list.len; i-- > 0;)
        if (is_kept(em, list.data[i]) && is_used(em, list.data[i]->var))
            use_in(em, list.data[i]->expr);
    for (size_t i = 0; i < list.len; i++)
        if (is_kept(em, list.data[i]) && is_used(em, list.data[i]->var))
            RF_PUSH(*out, kept(em, list.data[i]));
    RF_CLEAR(list);
}
