/* A template is analysed as if its types were real numbers. Where the file
 * makes it for integers, what is computed in these is something else. */
#include "plan/planning.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* True if "text" has "name" as a word: `T`, `Wider<T>::type`. */
static bool has_word(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || !is_word(at[-1])) && !is_word(at[n]))
            return true;
    return false;
}

/* The parameter of "f" of which "type" is made, if it is an integer in some
 * instance; a type that names none, an alias, may be any. */
static const rf_type_param *integer_in(const rf_func *f, const rf_type *type,
                                       bool any)
{
    bool names_one = false;
    for (unsigned i = 0; i < f->n_types; i++)
        names_one |= has_word(type->spelling, f->types[i].name);
    for (unsigned i = 0; i < f->n_types; i++)
        if (f->types[i].integer &&
            (any || !names_one || has_word(type->spelling, f->types[i].name)))
            return &f->types[i];
    return NULL;
}

/* Other templates may hand their types on to one that is no kernel. */
static const rf_type_param *integer_for(const rf_planner *p,
                                        const rf_type *type)
{
    const rf_func *own = p->region->func;
    if (!type || type->kind != RF_TYPE_DEPENDENT || type->spelling[0] == '<')
        return NULL;
    const rf_type_param *found = integer_in(own, type, false);
    for (size_t i = 0; i < p->unit->funcs.len && !own->is_kernel && !found; i++)
        if (own->n_types)
            found = integer_in(p->unit->funcs.data[i], type, true);
    return found;
}

static bool refuse(rf_planner *p, const rf_type_param *param, rf_range at)
{
    if (!param)
        return true;
    rf_plan_refuse(p, RF_DIAG_ROUNDING, at,
                   "'%s' is '%s' in one instance of this template: division "
                   "truncates and sums wrap there",
                   param->name, param->integer);
    rf_plan_note(p, param->integer_at, "the instance is made here");
    return false;
}

bool rf_plan_instances(rf_planner *p)
{
    const rf_trace *t = p->trace;
    for (size_t i = 0; i < p->plan->members.len; i++) {
        const rf_red *r = p->plan->members.data[i]->red;
        if (!refuse(p, integer_for(p, r->type), r->at) ||
            !refuse(p, integer_for(p, r->term->type), r->at))
            return false;
    }
    for (size_t i = 0; i < t->loads.len; i++)
        if (!refuse(p, integer_for(p, t->loads.data[i].value->type),
                    t->loads.data[i].at))
            return false;
    for (size_t i = 0; i < t->names.len; i++)
        if (!refuse(p, integer_for(p, t->names.data[i].var->type),
                    t->names.data[i].at))
            return false;
    return true;
}
