/* A parser of C expressions to values. */
#include "build.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <string.h>

/* ---- types ---- */

static const rf_type type_unsigned = {
    .kind = RF_TYPE_INT, .bits = 32, .is_unsigned = true, .spelling = "unsigned"
};
static const rf_type type_size = {
    .kind = RF_TYPE_INT, .bits = 64, .is_unsigned = true, .spelling = "size_t"
};
static const rf_type type_short = { .kind = RF_TYPE_INT,
                                    .bits = 16,
                                    .spelling = "short" };
static const rf_type type_byte = {
    .kind = RF_TYPE_INT, .bits = 8, .is_unsigned = true, .spelling = "byte"
};
static const struct {
    const char *name;
    const rf_type *type;
} types[] = {
    { "int", &rf_type_int },   { "unsigned", &type_unsigned },
    { "long", &rf_type_long }, { "size_t", &type_size },
    { "float", &rf_type_f32 }, { "short", &type_short },
    { "bool", &rf_type_bool }, { "byte", &type_byte },
};

static const rf_type *type_named(const char *name)
{
    for (size_t i = 0; i < RF_COUNTOF(types); i++)
        if (!strcmp(types[i].name, name))
            return types[i].type;
    return NULL;
}

static const rf_type *pointer_to(rf_arena *arena, const rf_type *elem)
{
    rf_type *t = RF_NEW(arena, rf_type);
    *t = (rf_type){ .kind = RF_TYPE_POINTER, .elem = elem };
    t->spelling = rf_arena_printf(arena, "%s *", elem->spelling);
    return t;
}

static const rf_type *array_of(rf_arena *arena, const rf_type *elem,
                               int64_t count)
{
    rf_type *t = RF_NEW(arena, rf_type);
    *t = (rf_type){ .kind = RF_TYPE_ARRAY, .elem = elem, .count = count };
    t->spelling = "array";
    return t;
}

static bool is_pointer(const rf_val *v)
{
    return rf_type_is_pointer_like(v->type);
}

/* ---- text ---- */

typedef struct {
    world *w;
    const char *at;
} text;

static void skip(text *t)
{
    while (*t->at == ' ')
        t->at++;
}

static bool eat(text *t, const char *token)
{
    skip(t);
    size_t n = strlen(token);
    if (strncmp(t->at, token, n))
        return false;
    if (isalpha((unsigned char)token[n - 1]) &&
        isalnum((unsigned char)t->at[n]))
        return false;
    if (n == 1 && strchr("&|", *token) && t->at[1] == *token)
        return false;
    if (n == 1 && strchr("<>=!&|", *token) && t->at[1] == '=')
        return false;
    t->at += n;
    return true;
}

static char *name(text *t)
{
    skip(t);
    size_t n = 0;
    while (isalnum((unsigned char)t->at[n]) || t->at[n] == '_')
        n++;
    char *s = rf_arena_strndup(t->w->arena, t->at, n);
    t->at += n;
    return s;
}

/* ---- expressions ---- */

static const rf_val *expression(text *t);

static const rf_type *common(const rf_type *a, const rf_type *b)
{
    if (a == &type_byte && b == &type_byte)
        return a;
    a = a->bits < 32 ? &rf_type_int : a;
    b = b->bits < 32 ? &rf_type_int : b;
    if (a->bits != b->bits)
        return a->bits > b->bits ? a : b;
    return a->is_unsigned ? a : b;
}

static const rf_val *number(text *t)
{
    char *end;
    int64_t v = strtoll(t->at, &end, 10);
    const rf_type *type = *end == 'u'     ? &type_unsigned
                          : v > INT32_MAX ? &rf_type_long
                                          : &rf_type_int;
    t->at = end + (*end == 'u');
    return rf_val_int(t->w->vals, v, type);
}

static const rf_val *variable(text *t)
{
    world *w = t->w;
    char *s = name(t);
    for (unsigned i = w->n_loops; i-- > 0;)
        if (!strcmp(w->loops[i]->name, s))
            return w->loops[i]->index;
    for (unsigned i = 0; i < w->n_vars; i++)
        if (!strcmp(w->vars[i]->name, s))
            return rf_val_entry(w->vals, w->vars[i]);
    cr_assert_fail("no variable %s", s);
    return NULL;
}

static const rf_val *call(text *t, const char *s)
{
    const rf_val *args[2] = { expression(t) };
    bool two = eat(t, ",");
    if (two)
        args[1] = expression(t);
    cr_assert(eat(t, ")"));
    return rf_val_make(t->w->vals, &(rf_val){ .kind = RF_VAL_CALL,
                                              .name = s,
                                              .type = args[0]->type,
                                              .n = two ? 2 : 1,
                                              .arg = args });
}

static const rf_val *primary(text *t)
{
    skip(t);
    rf_vals *vals = t->w->vals;
    if (isdigit((unsigned char)*t->at))
        return number(t);
    if (eat(t, "max("))
        return call(t, "max");
    if (eat(t, "min("))
        return call(t, "min");
    if (eat(t, "?"))
        return rf_val_unknown(vals, &rf_type_int, "unknown", NULL);
    if (eat(t, "(")) {
        const rf_val *v = expression(t);
        cr_assert(eat(t, ")"));
        return v;
    }
    return variable(t);
}

static const rf_val *postfix(text *t)
{
    rf_vals *vals = t->w->vals;
    const rf_val *v = primary(t);
    for (;;) {
        if (eat(t, "[")) {
            const rf_val *args[] = { v, expression(t) };
            cr_assert(eat(t, "]"));
            v = rf_val_make(vals, &(rf_val){ .kind = RF_VAL_LOAD,
                                             .type = v->type->elem,
                                             .n = 2,
                                             .arg = args });
        } else if (eat(t, ".")) {
            v = rf_val_make(vals, &(rf_val){ .kind = RF_VAL_OP,
                                             .op = RF_OP_FIELD,
                                             .type = &type_unsigned,
                                             .name = name(t),
                                             .n = 1,
                                             .arg = &v });
        } else {
            return v;
        }
    }
}

static const rf_val *unary(text *t)
{
    text at = *t;
    rf_vals *vals = t->w->vals;
    if (eat(&at, "(")) {
        const rf_type *type = type_named(name(&at));
        if (type && eat(&at, "*"))
            type = pointer_to(t->w->arena, type);
        if (type && eat(&at, ")")) {
            *t = at;
            return rf_val_cast(vals, type, unary(t), NULL);
        }
    }
    if (eat(t, "!"))
        return rf_val_not(vals, unary(t));
    if (eat(t, "-")) {
        const rf_val *v = unary(t);
        return rf_val_op2(vals, RF_OP_SUB, v->type,
                          rf_val_int(vals, 0, v->type), v);
    }
    return postfix(t);
}

static const struct {
    const char *token;
    rf_op op;
    int level;
} operators[] = {
    { "||", RF_OP_OR, 0 },     { "&&", RF_OP_AND, 1 }, { "==", RF_OP_EQ, 2 },
    { "!=", RF_OP_NE, 2 },     { "<<", RF_OP_SHL, 4 }, { ">>", RF_OP_SHR, 4 },
    { "<=", RF_OP_LE, 3 },     { ">=", RF_OP_GE, 3 },  { "<", RF_OP_LT, 3 },
    { ">", RF_OP_GT, 3 },      { "+", RF_OP_ADD, 5 },  { "-", RF_OP_SUB, 5 },
    { "*", RF_OP_MUL, 6 },     { "/", RF_OP_DIV, 6 },  { "%", RF_OP_REM, 6 },
    { "&", RF_OP_BIT_AND, 2 },
};

static const rf_val *combine(text *t, rf_op op, const rf_val *a,
                             const rf_val *b)
{
    rf_vals *vals = t->w->vals;
    if (op == RF_OP_AND || op == RF_OP_OR)
        return rf_val_op2(vals, op, &rf_type_bool, a, b);
    if (is_pointer(a) || is_pointer(b))
        return rf_val_op2(vals, op, is_pointer(a) ? a->type : b->type, a, b);
    bool real =
        a->type->kind == RF_TYPE_FLOAT || b->type->kind == RF_TYPE_FLOAT;
    const rf_type *type = real ? &rf_type_f32 : common(a->type, b->type);
    a = rf_val_cast(vals, type, a, NULL);
    b = rf_val_cast(vals, type, b, NULL);
    bool relation = op >= RF_OP_LT && op <= RF_OP_NE;
    return rf_val_op2(vals, op, relation ? &rf_type_bool : type, a, b);
}

static const rf_val *binary(text *t, int level)
{
    if (level > 6)
        return unary(t);
    const rf_val *a = binary(t, level + 1);
    for (size_t i = 0; i < RF_COUNTOF(operators); i++)
        if (operators[i].level == level && eat(t, operators[i].token)) {
            a = combine(t, operators[i].op, a, binary(t, level + 1));
            i = (size_t)-1;
        }
    return a;
}

static const rf_val *expression(text *t)
{
    const rf_val *c = binary(t, 0);
    if (!eat(t, "?"))
        return c;
    const rf_val *a = expression(t);
    cr_assert(eat(t, ":"));
    return rf_val_select(t->w->vals, c, a, expression(t));
}

const rf_val *value(world *w, const char *s)
{
    text t = { w, s };
    const rf_val *v = expression(&t);
    skip(&t);
    cr_assert(!*t.at, "left over: %s", t.at);
    return v;
}

/* ---- loops ---- */

static void test_of(text *t, rf_loop *l)
{
    name(t);
    l->is_equal_exit = eat(t, "!=");
    l->is_inclusive = eat(t, "<=") || eat(t, ">=");
    cr_assert(l->is_equal_exit || l->is_inclusive || eat(t, "<") ||
              eat(t, ">"));
    l->upper = expression(t);
    cr_assert(eat(t, ";"));
}

static void step_of(text *t, rf_loop *l)
{
    name(t);
    bool down = eat(t, "-=");
    cr_assert(down || eat(t, "+="));
    const rf_val *step = expression(t);
    int64_t n;
    if (down && rf_val_is_int(step, &n))
        step = rf_val_int(t->w->vals, -n, &rf_type_int);
    l->step = step;
}

static const rf_loop *loop_read(text *t)
{
    world *w = t->w;
    rf_loop *l = RF_NEW(w->arena, rf_loop);
    l->id = ++w->next_loop;
    l->at_least_once = eat(t, "do");
    l->type = type_named(name(t));
    l->name = name(t);
    cr_assert(eat(t, "="));
    l->lower = rf_val_cast(w->vals, l->type, expression(t), NULL);
    cr_assert(eat(t, ";"));
    l->index = rf_val_make(
        w->vals, &(rf_val){ .kind = RF_VAL_INDEX, .type = l->type, .loop = l });
    test_of(t, l);
    step_of(t, l);
    w->loops[w->n_loops++] = l;
    return l;
}

const rf_loop *loop(world *w, const char *s)
{
    return loop_read(&(text){ w, s });
}

rf_nest nest(world *w, const char *s)
{
    text t = { w, s };
    rf_nest n = { 0 };
    const rf_loop **loops = RF_NEW_ARRAY(w->arena, 8, const rf_loop *);
    n.loops = loops;
    skip(&t);
    while (*t.at) {
        if (eat(&t, "if"))
            n.guard = expression(&t);
        else
            loops[n.n++] = loop_read(&t);
        eat(&t, "|");
        skip(&t);
    }
    return n;
}

rf_access access_of(world *w, const char *nest_text, const char *s)
{
    rf_access a = { .nest = nest(w, nest_text) };
    const rf_val *load = value(w, s);
    cr_assert_eq(load->kind, RF_VAL_LOAD);
    a.base = load->arg[0];
    a.index = load->arg[1];
    w->n_loops -= a.nest.n;
    return a;
}

/* ---- worlds ---- */

static void declare(text *t)
{
    static const struct {
        const char *word;
        rf_storage storage;
    } storages[] = { { "shared", RF_VAR_SHARED },
                     { "local", RF_VAR_LOCAL },
                     { "global", RF_VAR_GLOBAL },
                     { "constant", RF_VAR_CONSTANT } };
    world *w = t->w;
    rf_var *var = RF_NEW(w->arena, rf_var);
    var->storage = RF_VAR_PARAM;
    bool is_restrict = eat(t, "restrict");
    for (size_t i = 0; i < RF_COUNTOF(storages); i++)
        if (eat(t, storages[i].word))
            var->storage = storages[i].storage;
    const rf_type *type = type_named(name(t));
    while (eat(t, "*")) {
        rf_type *p = RF_NEW(w->arena, rf_type);
        *p = *pointer_to(w->arena, type);
        p->is_restrict = is_restrict;
        type = p;
    }
    var->name = name(t);
    int64_t counts[2], n = 0;
    while (eat(t, "[")) {
        counts[n++] = *t->at == ']' ? -1 : strtoll(t->at, NULL, 10);
        t->at += strcspn(t->at, "]") + 1;
    }
    while (n--)
        type = array_of(w->arena, type, counts[n]);
    var->type = type;
    var->id = w->n_vars;
    w->vars[w->n_vars++] = var;
}

world world_new(const char *declarations)
{
    static const char *const builtins[] = { "threadIdx", "blockIdx", "blockDim",
                                            "gridDim" };
    world w = { .arena = rf_arena_new() };
    w.vals = rf_vals_new(w.arena);
    w.depend = rf_depend_new(w.arena);
    for (size_t i = 0; i < RF_COUNTOF(builtins); i++) {
        rf_var *var = RF_NEW(w.arena, rf_var);
        *var = (rf_var){ .name = builtins[i],
                         .type = &rf_type_int,
                         .storage = RF_VAR_BUILTIN,
                         .id = i };
        w.vars[w.n_vars++] = var;
    }
    text t = { &w, declarations };
    skip(&t);
    while (*t.at) {
        declare(&t);
        eat(&t, ";");
        skip(&t);
    }
    return w;
}

void world_free(world *w)
{
    rf_depend_free(w->depend);
    rf_arena_free(w->arena);
}

void facts(world *w, const char *s)
{
    text t = { w, s };
    skip(&t);
    while (*t.at) {
        rf_depend_fact(w->depend, expression(&t));
        eat(&t, ";");
        skip(&t);
    }
}
