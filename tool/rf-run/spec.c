/* Reading --args, --launch and --set (spec.h). */
#include "spec.h"

#include <ctype.h>
#include <string.h>

/* ---- expressions ---- */

typedef struct {
    const char *at;
    const rf_variables *variables;
    bool bad;
} reader;

static int64_t sum(reader *r);

static void skip(reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool accept(reader *r, char c)
{
    skip(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static int64_t name(reader *r)
{
    size_t n = 0;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')
        n++;
    for (size_t i = 0; i < r->variables->len; i++) {
        const rf_variable_value *v = &r->variables->data[i];
        if (strlen(v->name) == n && !strncmp(v->name, r->at, n)) {
            r->at += n;
            return v->value;
        }
    }
    r->bad = true;
    return 0;
}

static int64_t atom(reader *r)
{
    char *end;
    if (accept(r, '(')) {
        int64_t v = sum(r);
        r->bad |= !accept(r, ')');
        return v;
    }
    if (accept(r, '-'))
        return -atom(r);
    skip(r);
    if (!isdigit((unsigned char)*r->at))
        return name(r);
    int64_t v = strtoll(r->at, &end, 0);
    r->at = end;
    return v;
}

static int64_t product(reader *r)
{
    int64_t v = atom(r);
    for (;;) {
        char op = accept(r, '*') ? '*' : accept(r, '/') ? '/' : '%';
        if (op == '%' && !accept(r, '%'))
            return v;
        int64_t w = atom(r);
        r->bad |= op != '*' && w == 0;
        if (!r->bad)
            v = op == '*' ? v * w : op == '/' ? v / w : v % w;
    }
}

static int64_t sum(reader *r)
{
    int64_t v = product(r);
    for (;;) {
        if (accept(r, '+'))
            v += product(r);
        else if (accept(r, '-'))
            v -= product(r);
        else
            return v;
        if (r->bad)
            return 0;
    }
}

static bool complain(const char *what, const char *text)
{
    fprintf(stderr, "rf-run: error: %s: %s\n", what, text);
    return false;
}

bool rf_spec_value(const char *text, const rf_variables *variables,
                   int64_t *value)
{
    reader r = { text, variables, false };
    *value = sum(&r);
    skip(&r);
    if (r.bad || *r.at)
        return complain("cannot evaluate", text);
    return true;
}

bool rf_spec_shape(const char *text, const rf_variables *variables,
                   rf_dim3 *shape)
{
    uint32_t *d[] = { &shape->x, &shape->y, &shape->z };
    reader r = { text, variables, false };
    *shape = (rf_dim3){ 1, 1, 1 };
    for (int i = 0; i < 3; i++) {
        int64_t v = sum(&r);
        *d[i] = v < 0 ? 0 : (uint32_t)v;
        if (!accept(&r, ':'))
            break;
    }
    skip(&r);
    if (r.bad || *r.at)
        return complain("cannot evaluate the shape", text);
    return true;
}

/* ---- lists ---- */

/* The next item up to a comma outside parentheses; NULL at the end. */
static char *next_item(char **rest)
{
    char *item = *rest, *p;
    int depth = 0;
    if (!item || !*item)
        return NULL;
    for (p = item; *p && (*p != ',' || depth); p++)
        depth += *p == '(' || *p == '[' ? 1 : *p == ')' || *p == ']' ? -1 : 0;
    *rest = *p ? p + 1 : p;
    *p = 0;
    return item;
}

/* i32 is s32; the others are PTX's names. */
static rf_type type_named(const char *text)
{
    char name_of[16];
    snprintf(name_of, sizeof name_of, "%s", text);
    if (*name_of == 'i')
        *name_of = 's';
    return rf_type_find(name_of);
}

static bool parse_arg(rf_spec *spec, char *item)
{
    rf_spec_arg arg = { .value = "" };
    char *equals = strchr(item, '='), *bracket = strchr(item, '[');
    if (bracket && (!equals || bracket < equals)) {
        char *close = strrchr(bracket, ']');
        if (!close)
            return complain("no ] in the argument", item);
        *bracket = *close = 0;
        arg.is_buffer = true;
        arg.size = bracket + 1;
        if (close[1] == '=')
            arg.value = close + 2;
    } else if (equals) {
        *equals = 0;
        arg.value = equals + 1;
    } else {
        return complain("an argument needs a size or a value", item);
    }
    arg.type = type_named(item);
    if (!arg.type || !rf_type_bytes(arg.type))
        return complain("unknown type", item);
    RF_PUSH(spec->args, arg);
    return true;
}

static bool parse_launch_item(rf_spec *spec, char *item)
{
    char *equals = strchr(item, '=');
    if (!equals)
        return complain("expected name=value in --launch", item);
    *equals = 0;
    if (!strcmp(item, "grid"))
        spec->grid = equals + 1;
    else if (!strcmp(item, "block"))
        spec->block = equals + 1;
    else if (!strcmp(item, "cluster"))
        spec->cluster = equals + 1;
    else if (!strcmp(item, "shared"))
        spec->shared = equals + 1;
    else if (!strcmp(item, "cooperative"))
        spec->cooperative = equals[1] != '0';
    else
        return complain("unknown name in --launch", item);
    return true;
}

bool rf_spec_parse(rf_spec *spec, const char *args, const char *launch)
{
    char *item, *rest = rf_arena_strdup(spec->arena, args ? args : "");
    while ((item = next_item(&rest)))
        if (!parse_arg(spec, item))
            return false;
    rest = rf_arena_strdup(spec->arena, launch ? launch : "");
    while ((item = next_item(&rest)))
        if (!parse_launch_item(spec, item))
            return false;
    if (!spec->grid)
        spec->grid = "1";
    if (!spec->block)
        spec->block = "1";
    return true;
}

bool rf_spec_variables(rf_variables *variables, const char *text)
{
    char *copy = rf_strdup(text ? text : ""), *rest = copy, *item;
    bool ok = true;
    while (ok && (item = next_item(&rest))) {
        rf_variable_value v;
        char *equals = strchr(item, '=');
        ok = equals && equals - item < (int)sizeof v.name;
        if (!ok) {
            complain("expected name=number in --set", item);
            break;
        }
        *equals = 0;
        snprintf(v.name, sizeof v.name, "%s", item);
        v.value = strtoll(equals + 1, NULL, 0);
        RF_PUSH(*variables, v);
    }
    free(copy);
    return ok;
}
