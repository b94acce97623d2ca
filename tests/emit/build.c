/* Prefix notation to trees. */
#include "build.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const rf_type type_int_ = { .kind = RF_TYPE_INT,
                            .bits = 32,
                            .spelling = "int" };
const rf_type type_uint = {
    .kind = RF_TYPE_INT, .bits = 32, .is_unsigned = true, .spelling = "unsigned"
};
const rf_type type_float = { .kind = RF_TYPE_FLOAT,
                             .format = RF_F32,
                             .spelling = "float" };
const rf_type type_double = { .kind = RF_TYPE_FLOAT,
                              .format = RF_F64,
                              .spelling = "double" };

typedef struct {
    rf_arena *arena;
    const char *at;
} reader;

static char *word(reader *r)
{
    while (*r->at == ' ')
        r->at++;
    size_t n = strcspn(r->at, " (){}");
    char *text = rf_arena_strndup(r->arena, r->at, n);
    r->at += n;
    return text;
}

static rf_expr *number(rf_arena *arena, const char *text)
{
    char last = text[strlen(text) - 1];
    if (strpbrk(text, ".ni")) {
        rf_expr *e =
            rf_expr_new(arena, RF_OP_FLOAT,
                        last == 'd' ? &type_double : &type_float, 0, NULL);
        e->value.f = strtod(text, NULL);
        return e;
    }
    rf_expr *e = rf_expr_int(arena, strtoll(text, NULL, 10));
    if (last == 'u')
        e->type = &type_uint;
    return e;
}

static rf_expr *variable(rf_arena *arena, const char *name)
{
    rf_var *var = RF_NEW(arena, rf_var);
    var->name = name;
    var->type = &type_int_;
    return rf_expr_var(arena, var);
}

static rf_expr *leaf(reader *r)
{
    char *text = word(r);
    char first = *text == '-' || *text == '+' ? text[1] : *text;
    if (*text == '`') {
        rf_expr *e = rf_expr_int(r->arena, 0);
        size_t n = strcspn(r->at, "`");
        bool closed = strlen(text) > 1 && text[strlen(text) - 1] == '`';
        const char *more = closed ? "" : rf_arena_strndup(r->arena, r->at, n);
        e->spelling = rf_arena_printf(r->arena, "%s%s", text + 1, more);
        if (closed)
            ((char *)e->spelling)[strlen(e->spelling) - 1] = 0;
        else
            r->at += n + 1;
        return e;
    }
    if (isdigit((unsigned char)first) || strstr(text, "inf"))
        return number(r->arena, text);
    return variable(r->arena, text);
}

static const struct {
    const char *word;
    rf_op op;
} words[] = {
    { "neg", RF_OP_NEG },      { "plus", RF_OP_PLUS },
    { "index", RF_OP_INDEX },  { "deref", RF_OP_DEREF },
    { "addr", RF_OP_ADDRESS }, { "?", RF_OP_SELECT },
    { "++x", RF_OP_PRE_INC },  { "x++", RF_OP_POST_INC },
    { "--x", RF_OP_PRE_DEC },  { ".", RF_OP_FIELD },
    { "->", RF_OP_FIELD },
};

static rf_op binary(const char *text)
{
    for (rf_op op = RF_OP_BIT_NOT; op <= RF_OP_ASSIGN; op++) {
        const char *spelling = rf_op_spelling(op);
        if (spelling && !strcmp(spelling, text))
            return op;
    }
    return RF_OP_COUNT;
}

static void head(rf_expr *e, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < RF_COUNTOF(words); i++)
        if (!strcmp(words[i].word, text)) {
            e->op = words[i].op;
            e->is_arrow = *text == '-';
            return;
        }
    if ((e->op = binary(text)) != RF_OP_COUNT)
        return;
    if (text[n - 1] == '=') {
        e->op = RF_OP_ASSIGN_OP;
        char op[4] = { 0 };
        memcpy(op, text, n - 1);
        e->value.assign = binary(op);
    } else if (text[n - 1] == ':') {
        e->op = RF_OP_CAST;
        e->type = !strncmp(text, "float", 5) ? &type_float : &type_int_;
    } else {
        e->op = RF_OP_CALL;
        e->name = text;
    }
}

static rf_expr *node(reader *r)
{
    while (*r->at == ' ')
        r->at++;
    if (*r->at != '(' && *r->at != '{')
        return leaf(r);
    rf_expr e = { .op = RF_OP_INIT_LIST, .type = &type_int_ };
    rf_expr *args[8];
    bool is_list = *r->at++ == '{';
    if (!is_list && *r->at == '(') {
        r->at = strchr(r->at, ')') + 1;
        e.op = RF_OP_CAST, e.is_implicit = true, e.type = &type_float;
    } else if (!is_list) {
        head(&e, word(r));
    }
    unsigned n = 0;
    while (*r->at == ' ')
        r->at++;
    while (*r->at != ')' && *r->at != '}') {
        args[n++] = node(r);
        while (*r->at == ' ')
            r->at++;
    }
    r->at++;
    if (e.op == RF_OP_FIELD)
        e.name = args[--n]->var->name;
    rf_expr *made = rf_expr_new(r->arena, e.op, e.type, n, args);
    made->name = e.name;
    made->is_arrow = e.is_arrow, made->is_implicit = e.is_implicit;
    made->value = e.value;
    return made;
}

rf_expr *tree(rf_arena *arena, const char *text)
{
    return node(&(reader){ arena, text });
}

rf_stmt *statement(rf_arena *arena, rf_stmt_kind kind, const char *expr)
{
    rf_stmt *s = rf_stmt_new(arena, kind);
    s->expr = expr ? tree(arena, expr) : NULL;
    return s;
}

rf_stmt *declaration(rf_arena *arena, const rf_type *type, const char *name,
                     const char *init)
{
    rf_stmt *s = statement(arena, RF_STMT_DECL, init);
    s->var = RF_NEW(arena, rf_var);
    s->var->name = name;
    s->var->type = type;
    return s;
}

rf_stmt *block(rf_arena *arena, ...)
{
    rf_stmt *s = rf_stmt_new(arena, RF_STMT_BLOCK);
    s->list = RF_NEW_ARRAY(arena, 16, rf_stmt *);
    s->is_scope = true;
    va_list args;
    va_start(args, arena);
    for (rf_stmt *x; (x = va_arg(args, rf_stmt *));)
        s->list[s->n++] = x;
    va_end(args);
    return s;
}
