/* Names for generated variables: the author's where there is one, and never
 * one that the function uses for something else. */
#include "emit/emitting.h"

#include <string.h>

bool rf_names_is_taken(const rf_emitter *em, const char *name)
{
    for (size_t i = 0; i < em->names.len; i++)
        if (!strcmp(em->names.data[i], name))
            return true;
    return false;
}

static void take(rf_emitter *em, const char *name)
{
    if (name && !rf_names_is_taken(em, name))
        RF_PUSH(em->names, name);
}

static void take_expr(rf_emitter *em, const rf_expr *e)
{
    if (!e)
        return;
    if (e->op == RF_OP_VAR)
        take(em, e->var->name);
    if (e->op == RF_OP_CALL)
        take(em, e->name);
    for (unsigned i = 0; i < e->n; i++)
        take_expr(em, e->arg[i]);
}

/* Names that the author's statements outside the window use. Those that only
 * the window uses are free to be used again in their old sense. */
static void take_stmt(rf_emitter *em, const rf_stmt *s)
{
    if (!s)
        return;
    if (s->kind == RF_STMT_DECL)
        take(em, s->var->name);
    take_expr(em, s->expr);
    take_expr(em, s->step);
    take_stmt(em, s->init);
    take_stmt(em, s->body);
    take_stmt(em, s->orelse);
    for (unsigned i = 0; i < s->n; i++) {
        bool inside =
            s == em->plan->block && i >= em->plan->first && i <= em->plan->last;
        if (!inside)
            take_stmt(em, s->list[i]);
    }
}

void rf_names_take_function(rf_emitter *em)
{
    const rf_func *f = em->plan->func;
    for (unsigned i = 0; i < f->n_params; i++)
        take(em, f->params[i]->name);
    take_stmt(em, f->body);
}

const char *rf_names_fresh(rf_emitter *em, const char *wish)
{
    const char *name = rf_arena_strdup(em->arena, wish);
    for (char *c = (char *)name; *c; c++)
        if (*c == '.')
            *c = '_';
    for (int i = 2; rf_names_is_taken(em, name); i++)
        name = rf_arena_printf(em->arena, "%s_%d", wish, i);
    RF_PUSH(em->names, name);
    return name;
}

static bool is_counter_like(const rf_val *v)
{
    return v->kind == RF_VAL_INDEX || v->kind == RF_VAL_CONST ||
           v->kind == RF_VAL_ENTRY || v->kind == RF_VAL_LAST ||
           v->kind == RF_VAL_UNKNOWN || v->kind == RF_VAL_PHI;
}

const rf_var *rf_names_authors(const rf_emitter *em, const rf_val *v)
{
    if (is_counter_like(v))
        return NULL;
    for (size_t i = 0; i < em->trace->names.len; i++)
        if (em->trace->names.data[i].value == v &&
            !strchr(em->trace->names.data[i].var->name, '.'))
            return em->trace->names.data[i].var;
    return NULL;
}

rf_var *rf_new_var(rf_emitter *em, const char *name, const rf_type *type,
                   bool is_const)
{
    rf_var *var = RF_NEW(em->arena, rf_var);
    rf_type *t = RF_NEW(em->arena, rf_type);
    *t = *type;
    t->is_const = is_const;
    *var = (rf_var){ .name = name,
                     .type = t,
                     .storage = RF_VAR_LOCAL,
                     .is_const = is_const,
                     .at = RF_NOWHERE };
    return var;
}
