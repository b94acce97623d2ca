/* The program text: tables of operators, constructors, equality, places. */
#include "ir/ast.h"

#include <string.h>

static const struct {
    const char *name, *spelling;
} ops[] = {
#define X(id, spelling, arity) { #id, spelling },
    RF_OPS(X)
#undef X
};

const char *rf_op_spelling(rf_op op)
{
    return ops[op].spelling;
}

const char *rf_op_name(rf_op op)
{
    return ops[op].name;
}

bool rf_op_assigns(rf_op op)
{
    return op >= RF_OP_ASSIGN && op <= RF_OP_POST_DEC;
}

rf_place rf_unit_place(const rf_unit *unit, uint32_t offset)
{
    rf_place place = { .file = unit->path, .offset = offset };
    if (offset > unit->size)
        return place;
    uint32_t line = 1, start = 0;
    for (uint32_t i = 0; i < offset; i++)
        if (unit->bytes[i] == '\n')
            line++, start = i + 1;
    place.line = line;
    place.column = offset - start + 1;
    return place;
}

rf_range rf_region_range(const rf_region *region)
{
    return region->whole_function ? region->func->at : region->stmt->at;
}

rf_expr *rf_expr_new(rf_arena *arena, rf_op op, const rf_type *type, unsigned n,
                     rf_expr *const *args)
{
    rf_expr *e = RF_NEW(arena, rf_expr);
    e->op = op;
    e->type = type;
    e->at = RF_NOWHERE;
    e->n = n;
    e->arg = RF_NEW_ARRAY(arena, n, rf_expr *);
    if (args)
        memcpy(e->arg, args, n * sizeof *args);
    return e;
}

rf_expr *rf_expr_var(rf_arena *arena, rf_var *var)
{
    rf_expr *e = rf_expr_new(arena, RF_OP_VAR, var->type, 0, NULL);
    e->var = var;
    return e;
}

static const rf_type type_int = { .kind = RF_TYPE_INT,
                                  .bits = 32,
                                  .spelling = "int" };

rf_expr *rf_expr_int(rf_arena *arena, int64_t value)
{
    rf_expr *e = rf_expr_new(arena, RF_OP_INT, &type_int, 0, NULL);
    e->value.i = value;
    return e;
}

rf_stmt *rf_stmt_new(rf_arena *arena, rf_stmt_kind kind)
{
    rf_stmt *s = RF_NEW(arena, rf_stmt);
    s->kind = kind;
    s->at = RF_NOWHERE;
    return s;
}

bool rf_stmt_is_loop(const rf_stmt *s)
{
    return s->kind == RF_STMT_FOR || s->kind == RF_STMT_WHILE ||
           s->kind == RF_STMT_DO;
}

bool rf_stmt_holds(const rf_stmt *s, const rf_stmt *target)
{
    if (!s)
        return false;
    if (s == target || rf_stmt_holds(s->body, target) ||
        rf_stmt_holds(s->orelse, target))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (rf_stmt_holds(s->list[i], target))
            return true;
    return false;
}

const rf_expr *rf_expr_find(const rf_expr *e,
                            bool (*test)(const rf_expr *, const void *),
                            const void *data)
{
    if (!e || test(e, data))
        return e;
    const rf_expr *found = NULL;
    for (unsigned i = 0; i < e->n && !found; i++)
        found = rf_expr_find(e->arg[i], test, data);
    return found;
}

const rf_stmt *rf_stmt_find(const rf_stmt *s,
                            bool (*test)(const rf_stmt *, const void *),
                            const void *data)
{
    if (!s || test(s, data))
        return s;
    const rf_stmt *found = rf_stmt_find(s->init, test, data);
    found = found ? found : rf_stmt_find(s->body, test, data);
    found = found ? found : rf_stmt_find(s->orelse, test, data);
    for (unsigned i = 0; i < s->n && !found; i++)
        found = rf_stmt_find(s->list[i], test, data);
    return found;
}

const rf_expr *rf_stmt_find_expr(const rf_stmt *s,
                                 bool (*test)(const rf_expr *, const void *),
                                 const void *data)
{
    if (!s)
        return NULL;
    const rf_expr *found = rf_expr_find(s->expr, test, data);
    found = found ? found : rf_stmt_find_expr(s->init, test, data);
    found = found ? found : rf_expr_find(s->step, test, data);
    found = found ? found : rf_stmt_find_expr(s->body, test, data);
    found = found ? found : rf_stmt_find_expr(s->orelse, test, data);
    for (unsigned i = 0; i < s->n && !found; i++)
        found = rf_stmt_find_expr(s->list[i], test, data);
    return found;
}

bool rf_expr_is_use(const rf_expr *e, const void *var)
{
    return e->op == RF_OP_VAR && e->var == var;
}

bool rf_expr_is_named_number(const rf_expr *e)
{
    return e->spelling && !strchr("0123456789.'", *e->spelling);
}

bool rf_expr_is_assignment(const rf_expr *e, const void *var)
{
    return rf_op_assigns(e->op) && e->arg[0]->op == RF_OP_VAR &&
           (!var || e->arg[0]->var == var);
}

static const char *canonical_name(const rf_type *type)
{
    return type->canonical ? type->canonical : type->spelling;
}

static bool text_same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

bool rf_type_same(const rf_type *a, const rf_type *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind)
        return false;
    switch (a->kind) {
    case RF_TYPE_INT:
        return a->bits == b->bits && a->is_unsigned == b->is_unsigned;
    case RF_TYPE_FLOAT:
        return a->format == b->format;
    case RF_TYPE_ARRAY:
        return a->count == b->count && rf_type_same(a->elem, b->elem);
    case RF_TYPE_POINTER:
        return rf_type_same(a->elem, b->elem);
    case RF_TYPE_VOID:
    case RF_TYPE_BOOL:
        return true;
    default:
        return text_same(canonical_name(a), canonical_name(b));
    }
}

static bool leaf_same(const rf_expr *a, const rf_expr *b)
{
    switch (a->op) {
    case RF_OP_INT:
        return a->value.i == b->value.i;
    case RF_OP_FLOAT:
        return !memcmp(&a->value.f, &b->value.f, sizeof a->value.f) &&
               rf_type_same(a->type, b->type);
    case RF_OP_STRING:
        return text_same(a->spelling, b->spelling);
    case RF_OP_VAR:
        return a->var == b->var;
    case RF_OP_FIELD:
        return text_same(a->name, b->name);
    case RF_OP_CALL:
        return a->callee == b->callee && text_same(a->name, b->name);
    case RF_OP_CAST:
        return rf_type_same(a->type, b->type);
    case RF_OP_ASSIGN_OP:
        return a->value.assign == b->value.assign;
    case RF_OP_OPAQUE:
        return false;
    default:
        return true;
    }
}

bool rf_expr_same(const rf_expr *a, const rf_expr *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->op != b->op || a->n != b->n || !leaf_same(a, b))
        return false;
    for (unsigned i = 0; i < a->n; i++)
        if (!rf_expr_same(a->arg[i], b->arg[i]))
            return false;
    return true;
}
