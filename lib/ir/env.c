/* Environments: which value each scalar variable holds at a point of the
 * trace. Small arrays, copied where control splits and merged where it joins:
 *
 *     merge(c, a, b)(v) = c ? a(v) : b(v) */
#include "ir/tracing.h"

#include <string.h>

rf_var *rf_alias_target(rf_tracer *tr, rf_var *var)
{
    for (size_t i = tr->aliases.len; i-- > 0;)
        if (tr->aliases.data[i].var == var && tr->aliases.data[i].target)
            return rf_alias_target(tr, tr->aliases.data[i].target);
    return var;
}

const rf_alias_of *rf_alias_memory(rf_tracer *tr, const rf_var *var)
{
    for (size_t i = tr->aliases.len; i-- > 0;)
        if (tr->aliases.data[i].var == var)
            return tr->aliases.data[i].base ? &tr->aliases.data[i] : NULL;
    return NULL;
}

static const rf_val *find(const rf_env *env, const rf_var *var)
{
    for (size_t i = 0; i < env->len; i++)
        if (env->data[i].var == var)
            return env->data[i].value;
    return NULL;
}

const rf_val *rf_env_get(rf_tracer *tr, rf_var *var)
{
    var = rf_alias_target(tr, var);
    const rf_val *v = find(&tr->env, var);
    return v ? v : rf_val_entry(tr->vals, var);
}

const rf_val *rf_env_find(rf_tracer *tr, rf_var *var)
{
    return find(&tr->env, rf_alias_target(tr, var));
}

static void set(rf_env *env, rf_var *var, const rf_val *value)
{
    for (size_t i = 0; i < env->len; i++)
        if (env->data[i].var == var) {
            env->data[i].value = value;
            return;
        }
    RF_PUSH(*env, (rf_slot){ .var = var, .value = value });
}

void rf_env_set(rf_tracer *tr, rf_var *var, const rf_val *value)
{
    set(&tr->env, rf_alias_target(tr, var), value);
}

rf_env rf_env_copy(const rf_env *env)
{
    rf_env copy = { 0 };
    for (size_t i = 0; i < env->len; i++)
        RF_PUSH(copy, env->data[i]);
    return copy;
}

rf_env rf_env_merge(rf_tracer *tr, const rf_val *c, rf_env *a, rf_env *b)
{
    rf_env out = { 0 };
    for (size_t i = 0; i < a->len; i++) {
        rf_var *var = a->data[i].var;
        const rf_val *x = a->data[i].value, *y = find(b, var);
        y = y ? y : rf_val_entry(tr->vals, var);
        set(&out, var, rf_val_select(tr->vals, c, x, y));
    }
    for (size_t i = 0; i < b->len; i++) {
        rf_var *var = b->data[i].var;
        if (!find(a, var))
            set(&out, var,
                rf_val_select(tr->vals, c, rf_val_entry(tr->vals, var),
                              b->data[i].value));
    }
    RF_CLEAR(*a);
    RF_CLEAR(*b);
    return out;
}

/* The variable that stands for record.field. Its name is written the same
 * way, so that generated code can assign to it. */
rf_var *rf_member_var(rf_tracer *tr, rf_var *record, const char *field,
                      const rf_type *type)
{
    record = rf_alias_target(tr, record);
    for (size_t i = 0; i < tr->members.len; i++)
        if (tr->members.data[i].record == record &&
            !strcmp(tr->members.data[i].field, field))
            return tr->members.data[i].var;
    rf_var *var = RF_NEW(tr->t->arena, rf_var);
    *var = *record;
    var->name = rf_arena_printf(tr->t->arena, "%s.%s", record->name, field);
    var->type = type;
    var->id = 1000000 + (unsigned)tr->members.len;
    RF_PUSH(tr->members,
            (rf_record_member){ .record = record, .field = field, .var = var });
    return var;
}
