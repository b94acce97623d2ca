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
    return rf_block_needs(em->plan->block, em->plan->last + 1, var);
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

/* Bind the values of kept declarations to their names. */
void rf_emit_bind_kept(rf_emitter *em)
{
    const rf_stmt *b = em->plan->block;
    for (unsigned i = em->plan->first; i <= em->plan->last; i++) {
        if (!is_kept(em, b->list[i]))
            continue;
        RF_PUSH(em->names, b->list[i]->var->name);
        for (size_t k = 0; k < em->trace->names.len; k++) {
            const rf_binding *n = &em->trace->names.data[k];
            if (n->var == b->list[i]->var && n->value->kind != RF_VAL_CONST &&
                n->value->kind != RF_VAL_ENTRY)
                RF_PUSH(em->scope,
                        (rf_in_scope){ .value = n->value, .var = n->var });
        }
    }
}

/* The kept declarations that something uses, in order. */
void rf_emit_keep_declarations(rf_emitter *em, rf_stmts *out)
{
    const rf_stmt *b = em->plan->block;
    for (unsigned i = em->plan->last + 1; i-- > em->plan->first;)
        if (is_kept(em, b->list[i]) && is_used(em, b->list[i]->var))
            use_in(em, b->list[i]->expr);
    for (unsigned i = em->plan->first; i <= em->plan->last; i++) {
        rf_stmt *s = b->list[i];
        bool is_state = false;
        for (size_t k = 0; k < em->states.len; k++)
            is_state |= em->states.data[k].var == s->var;
        if (s->kind == RF_STMT_DECL && !is_state && is_kept(em, s) &&
            is_used(em, s->var))
            RF_PUSH(*out, s);
    }
}
