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

static void take_declared(rf_emitter *em, const rf_stmt *s)
{
    if (s->var)
        take(em, s->var->name);
    for (unsigned i = 0; i < s->n && !s->is_scope; i++)
        take_declared(em, s->list[i]);
}

/* The names that are visible in the block: what is declared around it and in
 * it, but for the statements that are replaced. */
static void take_visible(rf_emitter *em, const rf_stmt *s)
{
    const rf_stmt *block = em->plan->block;
    if (!s || !rf_stmt_holds(s, block))
        return;
    if (s->init && s->init->kind == RF_STMT_DECL)
        take(em, s->init->var->name);
    for (unsigned i = 0; i < s->n; i++) {
        bool replaced =
            s == block && i >= em->plan->first && i <= em->plan->last;
        if (!replaced)
            take_declared(em, s->list[i]);
        take_visible(em, s->list[i]);
    }
    take_visible(em, s->body);
    take_visible(em, s->orelse);
}

static bool declares(const rf_stmt *s, const void *name)
{
    return s->var && !strcmp(s->var->name, name);
}

/* A local variable would hide what the file calls so outside functions, and be
 * replaced by a macro; what the author hides here may be hidden again. */
static void take_outer(rf_emitter *em, const rf_func *f)
{
    const rf_unit *u = em->unit;
    for (size_t i = 0; i < u->outer_names.len; i++)
        if (!rf_stmt_find(f->body, declares, u->outer_names.data[i]))
            take(em, u->outer_names.data[i]);
    for (size_t i = 0; i < u->macro_names.len; i++)
        take(em, u->macro_names.data[i]);
}

void rf_names_take_function(rf_emitter *em)
{
    const rf_func *f = em->plan->func;
    take_outer(em, f);
    for (unsigned i = 0; i < f->n_params; i++)
        take(em, f->params[i]->name);
    take_visible(em, f->body);
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

static bool is_accumulator(const rf_emitter *em, const rf_var *var)
{
    for (size_t i = 0; i < em->plan->members.len; i++)
        if (em->plan->members.data[i]->red->var == var)
            return true;
    return false;
}

const rf_var *rf_names_authors(const rf_emitter *em, const rf_val *v)
{
    if (is_counter_like(v))
        return NULL;
    for (size_t i = 0; i < em->trace->names.len; i++)
        if (em->trace->names.data[i].value == v &&
            !is_accumulator(em, em->trace->names.data[i].var) &&
            !strchr(em->trace->names.data[i].var->name, '.'))
            return em->trace->names.data[i].var;
    return NULL;
}

/* In a template libclang calls many types "<dependent type>". */
bool rf_type_is_nameless(const rf_type *t)
{
    return t && t->spelling && t->spelling[0] == '<';
}

rf_var *rf_new_var(rf_emitter *em, const char *name, const rf_type *type,
                   bool is_const)
{
    rf_var *var = RF_NEW(em->arena, rf_var);
    rf_type *t = RF_NEW(em->arena, rf_type);
    *t = *type;
    if (rf_type_is_nameless(type))
        t->spelling = "auto";
    t->is_const = is_const;
    *var = (rf_var){ .name = name,
                     .type = t,
                     .storage = RF_VAR_LOCAL,
                     .is_const = is_const,
                     .at = RF_NOWHERE };
    return var;
}
