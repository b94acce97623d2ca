/* The table of values: hash-consing, and casts to the same type. Integers are
 * simplified (val_int.c); floating-point values are never rewritten here. */
#include "ir/val.h"

#include <math.h>
#include <string.h>

enum { BUCKETS = 4096, BUILTINS = 8 };

struct rf_vals {
    rf_arena *arena;
    unsigned next_id;
    rf_val *bucket[BUCKETS];
    rf_var *builtin[BUILTINS]; /* one each, whoever names it */
};

const rf_type rf_type_int = { .kind = RF_TYPE_INT,
                              .bits = 32,
                              .spelling = "int" };
const rf_type rf_type_long = { .kind = RF_TYPE_INT,
                               .bits = 64,
                               .spelling = "long" };
const rf_type rf_type_long_long = { .kind = RF_TYPE_INT,
                                    .bits = 64,
                                    .spelling = "long long" };
const rf_type rf_type_bool = { .kind = RF_TYPE_BOOL,
                               .bits = 8,
                               .spelling = "bool" };
const rf_type rf_type_f32 = {
    .kind = RF_TYPE_FLOAT, .format = RF_F32, .bits = 32, .spelling = "float"
};
const rf_type rf_type_f64 = {
    .kind = RF_TYPE_FLOAT, .format = RF_F64, .bits = 64, .spelling = "double"
};

bool rf_type_is_pointer_like(const rf_type *t)
{
    return t && (t->kind == RF_TYPE_POINTER || t->kind == RF_TYPE_ARRAY);
}

rf_vals *rf_vals_new(rf_arena *arena)
{
    rf_vals *vals = RF_NEW(arena, rf_vals);
    vals->arena = arena;
    return vals;
}

static bool is_commutative(const rf_val *v)
{
    if (v->kind != RF_VAL_OP || v->n != 2)
        return false;
    switch (v->op) {
    case RF_OP_ADD:
    case RF_OP_MUL:
    case RF_OP_EQ:
    case RF_OP_NE:
    case RF_OP_BIT_AND:
    case RF_OP_BIT_OR:
    case RF_OP_BIT_XOR:
        return true;
    default:
        return false;
    }
}

static unsigned text_hash(const char *s)
{
    unsigned h = 5381;
    while (s && *s)
        h = h * 33 + (unsigned char)*s++;
    return h;
}

static unsigned val_hash(const rf_val *v)
{
    unsigned h = (unsigned)v->kind * 31 + (unsigned)v->op;
    h = h * 31 + (v->type ? (unsigned)v->type->kind : 0);
    h = h * 31 + text_hash(v->name) + v->version;
    h = h * 31 + (v->var ? v->var->id + 1 : 0);
    h = h * 31 + (v->loop ? v->loop->id + 1 : 0);
    h = h * 31 + (v->red ? v->red->id + 1 : 0);
    unsigned args = 0;
    for (unsigned i = 0; i < v->n; i++)
        args = is_commutative(v) ? args + v->arg[i]->id * 2654435761u
                                 : args * 33 + v->arg[i]->id;
    return (h * 31 + args) % BUCKETS;
}

/* Two names of one number may be two numbers in another build (-DROWS=8); no
 * build changes infinities. */
static bool names_differ(const rf_expr *a, const rf_expr *b)
{
    bool named = rf_expr_is_named_number(a), other = rf_expr_is_named_number(b);
    if (a->op == RF_OP_FLOAT && !isfinite(a->value.f))
        return false;
    return named != other || (named && strcmp(a->spelling, b->spelling) != 0);
}

static bool const_same(const rf_expr *a, const rf_expr *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->op != b->op || names_differ(a, b))
        return false;
    if (a->op == RF_OP_INT)
        return a->value.i == b->value.i;
    if (a->op == RF_OP_FLOAT)
        return !memcmp(&a->value.f, &b->value.f, sizeof a->value.f);
    return rf_expr_same(a, b);
}

static bool args_same(const rf_val *a, const rf_val *b)
{
    if (a->n != b->n)
        return false;
    if (is_commutative(a) && a->arg[0] == b->arg[1] && a->arg[1] == b->arg[0])
        return true;
    for (unsigned i = 0; i < a->n; i++)
        if (a->arg[i] != b->arg[i])
            return false;
    return true;
}

static bool name_same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool val_same(const rf_val *a, const rf_val *b)
{
    return a->kind == b->kind && a->op == b->op && a->var == b->var &&
           a->loop == b->loop && a->red == b->red && a->version == b->version &&
           name_same(a->name, b->name) && rf_type_same(a->type, b->type) &&
           args_same(a, b) &&
           (a->kind != RF_VAL_CONST || const_same(a->expr, b->expr));
}

static const rf_val *val_intern(rf_vals *vals, const rf_val *proto)
{
    unsigned h = val_hash(proto);
    if (proto->kind != RF_VAL_UNKNOWN)
        for (rf_val *v = vals->bucket[h]; v; v = v->chain)
            if (val_same(v, proto))
                return v;
    rf_val *v = RF_NEW(vals->arena, rf_val);
    const rf_val **args = RF_NEW_ARRAY(vals->arena, proto->n, const rf_val *);
    *v = *proto;
    for (unsigned i = 0; i < proto->n; i++)
        args[i] = proto->arg[i];
    v->arg = args;
    v->math = v->kind == RF_VAL_CALL ? rf_math_find(v->name) : RF_MATH_NONE;
    v->id = vals->next_id++;
    v->chain = vals->bucket[h];
    vals->bucket[h] = v;
    return v;
}

const rf_val *rf_val_const(rf_vals *vals, const rf_expr *literal)
{
    return val_intern(vals, &(rf_val){ .kind = RF_VAL_CONST,
                                       .type = literal->type,
                                       .expr = literal });
}

const rf_val *rf_val_int(rf_vals *vals, int64_t value, const rf_type *type)
{
    rf_expr *e = rf_expr_int(vals->arena, value);
    e->type = type;
    return rf_val_const(vals, e);
}

static rf_var *shared_builtin(rf_vals *vals, rf_var *var)
{
    for (int i = 0; i < BUILTINS; i++) {
        if (!vals->builtin[i])
            vals->builtin[i] = var;
        if (!strcmp(vals->builtin[i]->name, var->name))
            return vals->builtin[i];
    }
    return var;
}

const rf_val *rf_val_entry(rf_vals *vals, rf_var *var)
{
    if (var->storage == RF_VAR_BUILTIN)
        var = shared_builtin(vals, var);
    return val_intern(
        vals, &(rf_val){ .kind = RF_VAL_ENTRY, .type = var->type, .var = var });
}

const rf_val *rf_val_unknown(rf_vals *vals, const rf_type *type,
                             const char *why, const rf_expr *at)
{
    return val_intern(vals, &(rf_val){ .kind = RF_VAL_UNKNOWN,
                                       .type = type,
                                       .name = why,
                                       .expr = at });
}

bool rf_val_is_int(const rf_val *v, int64_t *value)
{
    if (v->kind != RF_VAL_CONST || v->expr->op != RF_OP_INT)
        return false;
    if (value)
        *value = v->expr->value.i;
    return true;
}

bool rf_val_is_number(const rf_val *v, double n)
{
    if (v->kind != RF_VAL_CONST)
        return false;
    return v->expr->op == RF_OP_INT
               ? (double)v->expr->value.i == n
               : v->expr->op == RF_OP_FLOAT && v->expr->value.f == n;
}

const rf_val *rf_val_without_casts(const rf_val *v)
{
    while (v->kind == RF_VAL_CAST)
        v = v->arg[0];
    return v;
}

const rf_val *rf_val_op(rf_vals *vals, rf_op op, const rf_type *type,
                        unsigned n, const rf_val *const *args,
                        const rf_expr *at)
{
    const rf_val *simple =
        n == 2 ? rf_val_int_simplify(vals, op, type, args) : NULL;
    if (simple)
        return simple;
    return val_intern(vals, &(rf_val){ .kind = RF_VAL_OP,
                                       .op = op,
                                       .type = type,
                                       .n = n,
                                       .arg = args,
                                       .expr = at });
}

const rf_val *rf_val_op2(rf_vals *vals, rf_op op, const rf_type *type,
                         const rf_val *a, const rf_val *b)
{
    return rf_val_op(vals, op, type, 2, (const rf_val *[]){ a, b }, NULL);
}

const rf_val *rf_val_select(rf_vals *vals, const rf_val *c, const rf_val *a,
                            const rf_val *b)
{
    int64_t known;
    if (a == b)
        return a;
    if (rf_val_is_int(c, &known))
        return known ? a : b;
    return rf_val_op(vals, RF_OP_SELECT, a->type, 3,
                     (const rf_val *[]){ c, a, b }, NULL);
}

const rf_val *rf_val_and(rf_vals *vals, const rf_val *a, const rf_val *b)
{
    if (!a || a == b)
        return b;
    if (!b)
        return a;
    return rf_val_op2(vals, RF_OP_AND, &rf_type_bool, a, b);
}

/* The relation that holds of integers where "op" does not; "op": none. */
static rf_op opposite(rf_op op)
{
    switch (op) {
    case RF_OP_LT:
        return RF_OP_GE;
    case RF_OP_LE:
        return RF_OP_GT;
    case RF_OP_GT:
        return RF_OP_LE;
    case RF_OP_GE:
        return RF_OP_LT;
    case RF_OP_EQ:
        return RF_OP_NE;
    case RF_OP_NE:
        return RF_OP_EQ;
    default:
        return op;
    }
}

static bool is_int_relation(const rf_val *a)
{
    return a->kind == RF_VAL_OP && opposite(a->op) != a->op &&
           a->arg[0]->type && a->arg[0]->type->kind == RF_TYPE_INT &&
           a->arg[1]->type && a->arg[1]->type->kind == RF_TYPE_INT;
}

/* !!a = a, !(i < j) = i >= j of integers; on other numbers it stays: it is not
 * >= when a NaN is about. */
const rf_val *rf_val_not(rf_vals *vals, const rf_val *a)
{
    if (a->kind == RF_VAL_OP && a->op == RF_OP_NOT)
        return a->arg[0];
    if (is_int_relation(a))
        return rf_val_op2(vals, opposite(a->op), &rf_type_bool, a->arg[0],
                          a->arg[1]);
    return rf_val_op(vals, RF_OP_NOT, &rf_type_bool, 1, &a, NULL);
}

/* A constant whose name says more than its value. */
const rf_val *rf_val_cast(rf_vals *vals, const rf_type *type, const rf_val *a,
                          const rf_expr *at)
{
    int64_t value;
    if (rf_type_same(type, a->type) ||
        (rf_type_is_pointer_like(type) && rf_type_is_pointer_like(a->type) &&
         rf_type_same(type->elem, a->type->elem)))
        return a;
    if (type->kind == RF_TYPE_INT && rf_val_is_int(a, &value) &&
        rf_type_has_int(type, value) && !rf_expr_is_named_number(a->expr)) {
        rf_expr *e = RF_NEW(vals->arena, rf_expr);
        *e = *a->expr; /* the author's `0` stays `0` */
        e->type = type;
        return rf_val_const(vals, e);
    }
    return val_intern(
        vals,
        &(rf_val){
            .kind = RF_VAL_CAST, .type = type, .n = 1, .arg = &a, .expr = at });
}

const rf_val *rf_val_make(rf_vals *vals, const rf_val *proto)
{
    if (proto->kind == RF_VAL_OP && !proto->name)
        return rf_val_op(vals, proto->op, proto->type, proto->n, proto->arg,
                         proto->expr);
    if (proto->kind == RF_VAL_CAST)
        return rf_val_cast(vals, proto->type, proto->arg[0], proto->expr);
    return val_intern(vals, proto);
}

/* ---- walks ---- */

typedef struct {
    rf_vals *vals;
    unsigned n;
    const rf_val *const *from, *const *to;
    unsigned cap;
    const rf_val **memo; /* by id; NULL: not yet */
} subst;

static const rf_val *subst_val(subst *s, const rf_val *v)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->from[i] == v)
            return s->to[i];
    if (!v->n)
        return v;
    if (v->id < s->cap && s->memo[v->id])
        return s->memo[v->id];
    const rf_val **args = rf_malloc(v->n * sizeof *args);
    bool changed = false;
    for (unsigned i = 0; i < v->n; i++) {
        args[i] = subst_val(s, v->arg[i]);
        changed |= args[i] != v->arg[i];
    }
    const rf_val *r = v;
    if (changed) {
        rf_val proto = *v;
        proto.arg = args;
        r = rf_val_make(s->vals, &proto);
    }
    free(args);
    if (v->id < s->cap)
        s->memo[v->id] = r;
    return r;
}

const rf_val *rf_val_subst(rf_vals *vals, const rf_val *v, unsigned n,
                           const rf_val *const *from, const rf_val *const *to)
{
    if (!v || !n)
        return v;
    subst s = { .vals = vals, .n = n, .from = from, .to = to };
    s.cap = vals->next_id;
    s.memo = rf_malloc(s.cap * sizeof *s.memo);
    memset(s.memo, 0, s.cap * sizeof *s.memo);
    const rf_val *r = subst_val(&s, v);
    free(s.memo);
    return r;
}

typedef struct {
    bool (*test)(const rf_val *, const void *);
    const void *data;
    unsigned inside;   /* reductions entered */
    const rf_red *red; /* the innermost of them */
    size_t cap;
    unsigned char *seen;
} search;

/* Mark "v"; true if it was marked before. Indices are bound inside a
 * reduction, so that a visit there says nothing about one outside. */
static bool was_seen(search *s, const rf_val *v)
{
    if (v->id >= s->cap) {
        size_t cap = (size_t)v->id * 2 + 64;
        s->seen = rf_realloc(s->seen, cap);
        memset(s->seen + s->cap, 0, cap - s->cap);
        s->cap = cap;
    }
    unsigned char bit = s->inside ? 1 : 2;
    bool was = s->seen[v->id] & bit;
    s->seen[v->id] |= bit;
    return was;
}

static const rf_val *search_val(search *s, const rf_val *v);

static const rf_val *search_red(search *s, const rf_red *red)
{
    const rf_val *parts[] = { red->init, red->term, red->guard, red->path };
    const rf_val *found = NULL;
    const rf_red *outer = s->red;
    s->inside++;
    for (size_t i = 0; i < RF_COUNTOF(parts) && !found; i++) {
        s->red = i ? red : outer; /* the initial value is outside the loop */
        found = parts[i] ? search_val(s, parts[i]) : NULL;
    }
    s->red = outer;
    s->inside--;
    return found;
}

static const rf_val *search_val(search *s, const rf_val *v)
{
    if (was_seen(s, v))
        return NULL;
    bool is_carried = v->kind == RF_VAL_PHI || v->kind == RF_VAL_CELL;
    bool is_bound =
        s->inside && (v->kind == RF_VAL_INDEX ||
                      (is_carried && s->red && s->red->axis == v->loop));
    if (!is_bound && s->test(v, s->data))
        return v;
    const rf_val *found = NULL;
    for (unsigned i = 0; i < v->n && !found; i++)
        found = search_val(s, v->arg[i]);
    if (!found && v->kind == RF_VAL_RESULT)
        found = search_red(s, v->red);
    return found;
}

const rf_val *rf_val_find(const rf_val *v,
                          bool (*test)(const rf_val *, const void *),
                          const void *data)
{
    if (!v)
        return NULL;
    search s = { .test = test, .data = data };
    const rf_val *found = search_val(&s, v);
    free(s.seen);
    return found;
}

static bool is_this(const rf_val *v, const void *part)
{
    return v == part;
}

const rf_val *rf_val_first_load(const rf_val *v)
{
    if (v->kind == RF_VAL_LOAD)
        return v;
    for (unsigned i = 0; i < v->n; i++) {
        const rf_val *found = rf_val_first_load(v->arg[i]);
        if (found)
            return found;
    }
    return NULL;
}

bool rf_val_mentions(const rf_val *v, const rf_val *part)
{
    return rf_val_find(v, is_this, part) != NULL;
}

/* ---- printing, for dumps ---- */

static void print_args(rf_buf *out, const rf_val *v)
{
    for (unsigned i = 0; i < v->n; i++) {
        rf_buf_puts(out, i ? ", " : "");
        rf_val_print(out, v->arg[i]);
    }
}

static void print_op(rf_buf *out, const rf_val *v)
{
    const char *spelling = rf_op_spelling(v->op);
    if (v->op == RF_OP_FIELD) {
        rf_val_print(out, v->arg[0]);
        rf_buf_printf(out, ".%s", v->name);
    } else if (v->op == RF_OP_SELECT) {
        rf_buf_puts(out, "(");
        rf_val_print(out, v->arg[0]);
        rf_buf_puts(out, " ? ");
        rf_val_print(out, v->arg[1]);
        rf_buf_puts(out, " : ");
        rf_val_print(out, v->arg[2]);
        rf_buf_puts(out, ")");
    } else if (v->n == 2) {
        rf_buf_puts(out, "(");
        rf_val_print(out, v->arg[0]);
        rf_buf_printf(out, " %s ", spelling ? spelling : rf_op_name(v->op));
        rf_val_print(out, v->arg[1]);
        rf_buf_puts(out, ")");
    } else {
        rf_buf_printf(out, "%s(", spelling ? spelling : rf_op_name(v->op));
        print_args(out, v);
        rf_buf_puts(out, ")");
    }
}

static void print_const(rf_buf *out, const rf_val *v)
{
    if (v->expr->spelling)
        rf_buf_puts(out, v->expr->spelling);
    else if (v->expr->op == RF_OP_INT)
        rf_buf_printf(out, "%lld", (long long)v->expr->value.i);
    else
        rf_buf_printf(out, "%g", v->expr->value.f);
}

void rf_val_print(rf_buf *out, const rf_val *v)
{
    if (!v) {
        rf_buf_puts(out, "true");
        return;
    }
    switch (v->kind) {
    case RF_VAL_CONST:
        print_const(out, v);
        break;
    case RF_VAL_ENTRY:
        rf_buf_puts(out, v->var->name);
        break;
    case RF_VAL_INDEX:
        rf_buf_printf(out, "%s#%u", v->loop->name, v->loop->id);
        break;
    case RF_VAL_OP:
        print_op(out, v);
        break;
    case RF_VAL_CALL:
        rf_buf_printf(out, "%s(", v->name);
        print_args(out, v);
        rf_buf_puts(out, ")");
        break;
    case RF_VAL_CAST:
        rf_buf_printf(out, "(%s)", v->type->spelling);
        rf_val_print(out, v->arg[0]);
        break;
    case RF_VAL_CELL:
        rf_buf_puts(out, "cell ");
        /* fall through */
    case RF_VAL_LOAD:
        rf_val_print(out, v->arg[0]);
        rf_buf_puts(out, "[");
        rf_val_print(out, v->arg[1]);
        rf_buf_puts(out, "]");
        if (v->version)
            rf_buf_printf(out, "@%u", v->version);
        break;
    case RF_VAL_RESULT:
        rf_buf_printf(out, "d%u(", v->red->id);
        print_args(out, v);
        rf_buf_puts(out, ")");
        break;
    case RF_VAL_PHI:
        rf_buf_printf(out, "phi %s", v->var->name);
        break;
    case RF_VAL_LAST:
        rf_buf_printf(out, "last %s", v->var->name);
        break;
    case RF_VAL_UNKNOWN:
        rf_buf_printf(out, "?%s", v->name);
        break;
    }
}
