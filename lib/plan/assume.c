/* The author's assumptions: assume(temperature > 0) gives the parameter a
 * sign, assume(mass > 0) every element of the array. The grammar is
 * name REL number. */
#include "plan/planning.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The pointer that "e" is an offset of, or NULL. */
static const rf_var *pointer_in(const rf_expr *e)
{
    while (e && e->op != RF_OP_VAR) {
        bool sum = e->op == RF_OP_ADD || e->op == RF_OP_SUB;
        bool right = sum && rf_type_is_pointer_like(e->arg[1]->type);
        if (!sum && e->op != RF_OP_CAST && e->op != RF_OP_ADDRESS &&
            (e->op != RF_OP_INDEX || rf_type_is_pointer_like(e->type)))
            return NULL;
        e = e->arg[right];
    }
    return e ? e->var : NULL;
}

/* Local pointers into the array share its sign: m = mass + b * n. */
static void set_signs(rf_reals *reals, const rf_stmt *s, const rf_var *array,
                      rf_sign sign)
{
    if (!s)
        return;
    if (s->kind == RF_STMT_DECL && s->expr && s->var->is_const &&
        s->var->type->kind == RF_TYPE_POINTER &&
        rf_type_same(s->var->type->elem, array->type->elem) &&
        pointer_in(s->expr) == array) {
        rf_reals_set_sign(reals, s->var, sign);
    }
    set_signs(reals, s->body, array, sign);
    set_signs(reals, s->orelse, array, sign);
    for (unsigned i = 0; i < s->n; i++)
        set_signs(reals, s->list[i], array, sign);
}

/* What is written again need not keep its sign. */
static bool is_stored(const rf_planner *p, const rf_var *var)
{
    for (size_t i = 0; i < p->trace->stores.len; i++) {
        const rf_val *root =
            rf_trace_root(p->trace, p->trace->stores.data[i].base);
        if (root->kind != RF_VAL_ENTRY || root->var == var)
            return true;
    }
    return false;
}

static void read_predicate(rf_planner *p, rf_reals *reals, const char *text)
{
    const char *c = text;
    while (isalnum((unsigned char)*c) || *c == '_')
        c++;
    const rf_var *var = rf_plan_find_param(p, text, (size_t)(c - text));
    while (*c == ' ')
        c++;
    bool strict = c[0] == '>' && c[1] != '=';
    if (!var || *c != '>')
        return;
    c += strict ? 1 : 2;
    char *end;
    double bound = strtod(c, &end);
    if (end == c || bound < 0)
        return;
    rf_sign sign = strict || bound > 0 ? RF_SIGN_POSITIVE : RF_SIGN_NONNEG;
    if (var->type->kind == RF_TYPE_POINTER && is_stored(p, var))
        return;
    rf_reals_set_sign(reals, var, sign);
    if (var->type->kind == RF_TYPE_POINTER)
        set_signs(reals, p->region->func->body, var, sign);
}

void rf_plan_assume(rf_planner *p, rf_reals *reals)
{
    for (unsigned i = 0; i < p->mark->n_predicates; i++)
        read_predicate(p, reals, p->mark->predicates[i]);
}
