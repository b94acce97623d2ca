/* Facts about the values with which the block begins. */
#include "depend/depend.h"
#include "plan/planning.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_stable(const rf_expr *e)
{
    if (e->op == RF_OP_VAR)
        return e->var->is_const || e->var->storage == RF_VAR_BUILTIN ||
               e->var->storage == RF_VAR_TEMPLATE ||
               e->var->storage == RF_VAR_CONSTANT;
    if (e->op == RF_OP_INDEX || e->op == RF_OP_DEREF || e->op == RF_OP_CALL ||
        (e->op >= RF_OP_ASSIGN && e->op <= RF_OP_OPAQUE))
        return false;
    for (unsigned i = 0; i < e->n; i++)
        if (!is_stable(e->arg[i]))
            return false;
    return true;
}

static void add_condition(rf_planner *p, rf_depend *d, const rf_expr *c,
                          bool holds)
{
    if (!is_stable(c))
        return;
    const rf_val *v = rf_trace_expr(p->trace, c, true);
    if (v)
        rf_depend_fact(d, holds ? v : rf_val_not(p->trace->vals, v));
}

static bool always_returns(const rf_stmt *s)
{
    if (!s)
        return false;
    if (s->kind == RF_STMT_RETURN)
        return true;
    return s->kind == RF_STMT_BLOCK && s->n &&
           always_returns(s->list[s->n - 1]);
}

/* Conditions on the way from "s" to the block. */
static void add_guards(rf_planner *p, rf_depend *d, const rf_stmt *s)
{
    const rf_stmt *block = p->plan->block;
    if (!s || s == block || !rf_stmt_holds(s, block))
        return;
    if (s->kind == RF_STMT_IF)
        add_condition(p, d, s->expr, rf_stmt_holds(s->body, block));
    for (unsigned i = 0; i < s->n && !rf_stmt_holds(s->list[i], block); i++)
        if (s->list[i]->kind == RF_STMT_IF && !s->list[i]->orelse &&
            always_returns(s->list[i]->body))
            add_condition(p, d, s->list[i]->expr, false);
    for (unsigned i = 0; i < s->n; i++)
        add_guards(p, d, s->list[i]);
    add_guards(p, d, s->body);
    add_guards(p, d, s->orelse);
}

/* The early returns of the block itself, before the window. */
static void add_returns(rf_planner *p, rf_depend *d)
{
    const rf_stmt *b = p->plan->block;
    for (unsigned i = 0; i < p->plan->first; i++)
        if (b->list[i]->kind == RF_STMT_IF && !b->list[i]->orelse &&
            always_returns(b->list[i]->body))
            add_condition(p, d, b->list[i]->expr, false);
}

/* ---- assume(n >= 1) ---- */

rf_var *rf_plan_find_param(const rf_planner *p, const char *name, size_t n)
{
    const rf_func *f = p->region->func;
    for (unsigned i = 0; i < f->n_params; i++)
        if (strlen(f->params[i]->name) == n &&
            !memcmp(f->params[i]->name, name, n))
            return f->params[i];
    return NULL;
}

static rf_op read_relation(const char **c)
{
    static const struct {
        const char *text;
        rf_op op;
    } table[] = { { ">=", RF_OP_GE }, { "<=", RF_OP_LE }, { "==", RF_OP_EQ },
                  { "!=", RF_OP_NE }, { ">", RF_OP_GT },  { "<", RF_OP_LT } };
    while (**c == ' ')
        ++*c;
    for (size_t i = 0; i < RF_COUNTOF(table); i++)
        if (!strncmp(*c, table[i].text, strlen(table[i].text))) {
            *c += strlen(table[i].text);
            return table[i].op;
        }
    return RF_OP_COUNT;
}

bool rf_plan_predicate(const rf_planner *p, const char *text, rf_bound *out)
{
    const char *c = text;
    while (isalnum((unsigned char)*c) || *c == '_')
        c++;
    out->var = rf_plan_find_param(p, text, (size_t)(c - text));
    out->op = read_relation(&c);
    char *end;
    out->number = strtoll(c, &end, 10);
    return out->var && out->op != RF_OP_COUNT && end != c && !*end &&
           out->var->type->kind == RF_TYPE_INT;
}

static void add_predicate(rf_planner *p, rf_depend *d, const char *text)
{
    rf_bound b;
    if (!rf_plan_predicate(p, text, &b))
        return;
    rf_vals *vals = p->trace->vals;
    rf_depend_fact(d, rf_val_op2(vals, b.op, &rf_type_bool,
                                 rf_val_entry(vals, b.var),
                                 rf_val_int(vals, b.number, b.var->type)));
}

void rf_plan_facts(rf_planner *p, rf_depend *d)
{
    add_guards(p, d, p->region->func->body);
    add_returns(p, d);
    for (unsigned i = 0; i < p->mark->n_predicates; i++)
        add_predicate(p, d, p->mark->predicates[i]);
}

/* ---- definitions ---- */

static const rf_stmt *find_decl(const rf_stmt *s, const rf_var *var)
{
    if (!s)
        return NULL;
    if (s->kind == RF_STMT_DECL && s->var == var)
        return s;
    const rf_stmt *found = find_decl(s->body, var);
    found = found ? found : find_decl(s->orelse, var);
    for (unsigned i = 0; i < s->n && !found; i++)
        found = find_decl(s->list[i], var);
    return found;
}

const rf_stmt *rf_plan_declaration(rf_planner *p, const rf_var *var)
{
    return find_decl(p->region->func->body, var);
}

const rf_val *rf_plan_definition(rf_planner *p, const rf_val *v)
{
    if (v->kind != RF_VAL_ENTRY || !v->var->is_const ||
        v->var->storage != RF_VAR_LOCAL || v->var->type->kind != RF_TYPE_INT)
        return NULL;
    const rf_stmt *decl = find_decl(p->region->func->body, v->var);
    return decl && decl->expr && is_stable(decl->expr)
               ? rf_trace_expr(p->trace, decl->expr, false)
               : NULL;
}

const rf_val *rf_plan_resolve(rf_planner *p, const rf_val *v)
{
    const rf_val *known = rf_plan_definition(p, v);
    if (known)
        return rf_plan_resolve(p, known);
    if (!v->n || v->kind != RF_VAL_OP)
        return v;
    rf_val proto = *v;
    const rf_val **args = RF_NEW_ARRAY(p->arena, v->n, const rf_val *);
    for (unsigned i = 0; i < v->n; i++)
        args[i] = rf_plan_resolve(p, v->arg[i]);
    proto.arg = args;
    return rf_val_make(p->trace->vals, &proto);
}

/* ---- constants at entry ---- */

static bool assigns_in_expr(const rf_expr *e, const rf_var *var)
{
    if (!e)
        return false;
    if (rf_op_assigns(e->op) && e->arg[0]->op == RF_OP_VAR &&
        e->arg[0]->var == var)
        return true;
    if ((e->op == RF_OP_ADDRESS || e->op == RF_OP_CALL) && e->n)
        for (unsigned i = 0; i < e->n; i++)
            if (e->arg[i]->op == RF_OP_ADDRESS &&
                e->arg[i]->arg[0]->op == RF_OP_VAR &&
                e->arg[i]->arg[0]->var == var)
                return true;
    for (unsigned i = 0; i < e->n; i++)
        if (assigns_in_expr(e->arg[i], var))
            return true;
    return false;
}

static bool assigns_in(const rf_stmt *s, const rf_var *var)
{
    if (!s)
        return false;
    if (assigns_in_expr(s->expr, var) || assigns_in_expr(s->step, var) ||
        assigns_in(s->init, var) || assigns_in(s->body, var) ||
        assigns_in(s->orelse, var) || s->kind == RF_STMT_OPAQUE)
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (assigns_in(s->list[i], var))
            return true;
    return false;
}

/* Walk from the function's body to the block, keeping the constant that the
 * last declaration or assignment on the way gives to "var". */
static bool follow(rf_planner *p, const rf_stmt *s, const rf_var *var,
                   const rf_expr **value)
{
    const rf_stmt *block = p->plan->block;
    if (!rf_stmt_holds(s, block))
        return false;
    if (rf_stmt_is_loop(s))
        *value = NULL;
    for (unsigned i = 0; i < s->n; i++) {
        const rf_stmt *c = s->list[i];
        if (s == block && i >= p->plan->first)
            return true;
        if (rf_stmt_holds(c, block))
            return follow(p, c, var, value);
        if (c->kind == RF_STMT_BLOCK && !c->is_scope) {
            for (unsigned k = 0; k < c->n; k++)
                if (c->list[k]->kind == RF_STMT_DECL && c->list[k]->var == var)
                    *value = c->list[k]->expr;
        } else if (c->kind == RF_STMT_DECL && c->var == var) {
            *value = c->expr;
        } else if (assigns_in(c, var)) {
            *value = NULL;
        }
    }
    if (s == block)
        return true;
    return follow(p, s->body, var, value) || follow(p, s->orelse, var, value);
}

const rf_expr *rf_plan_entry_constant(rf_planner *p, const rf_var *var)
{
    const rf_expr *value = NULL;
    if (var->storage != RF_VAR_LOCAL || var->is_static ||
        !follow(p, p->region->func->body, var, &value) || !value)
        return NULL;
    const rf_expr *e = value;
    while (e->op == RF_OP_CAST || e->op == RF_OP_NEG)
        e = e->arg[0];
    return e->op == RF_OP_INT || e->op == RF_OP_FLOAT ? value : NULL;
}

/* ---- what a variable comes in with ---- */

typedef struct {
    uint32_t begin, end;
    const rf_stmt *block;
} between;

static bool has_effect(const rf_expr *e, const void *unused)
{
    (void)unused;
    return rf_expr_is_assignment(e, NULL) || e->op == RF_OP_CALL ||
           e->op == RF_OP_OPAQUE;
}

/* A statement that starts in between and may change memory or variables. */
static bool may_change(const rf_stmt *s, const void *data)
{
    const between *q = data;
    if (s->at.begin < q->begin || s->at.begin >= q->end)
        return false;
    if (rf_stmt_holds(s, q->block))
        return rf_expr_find(s->expr, has_effect, NULL) != NULL;
    return s->kind != RF_STMT_EMPTY && s->kind != RF_STMT_RETURN &&
           s->kind != RF_STMT_ALIAS && s->kind != RF_STMT_BLOCK &&
           ((s->kind != RF_STMT_DECL && s->kind != RF_STMT_IF) ||
            rf_expr_find(s->expr, has_effect, NULL));
}

const rf_val *rf_plan_entry_value(rf_planner *p, const rf_val *v)
{
    const rf_expr *e = NULL;
    const rf_stmt *body = p->region->func->body;
    if (v->kind != RF_VAL_ENTRY || v->var->storage != RF_VAR_LOCAL ||
        v->var->is_static || rf_type_is_pointer_like(v->type) ||
        !follow(p, body, v->var, &e) || !e || rf_expr_find(e, has_effect, NULL))
        return v;
    between q = { e->at.end, p->plan->block->list[p->plan->first]->at.begin,
                  p->plan->block };
    const rf_val *value = rf_stmt_find(body, may_change, &q)
                              ? NULL
                              : rf_trace_expr(p->trace, e, false);
    return value ? rf_val_cast(p->trace->vals, v->type, value, NULL) : v;
}
