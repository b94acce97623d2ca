/* Printing values as mathematics: operators by precedence, library functions by
 * meaning, results by the author's names. */
#include "plan/formula.h"

#include "ir/math.h"

#include <string.h>

typedef enum { ANY, COMPARED, ADDED, DIVIDED, MULTIPLIED, SINGLE } strength;

static void put(rf_buf *out, const rf_formula *f, const rf_val *v,
                strength least);

/* ---- names ---------------------------------------------------------- */

static const char *base_name(const rf_plan *plan, const rf_member *m)
{
    if (m->red->var)
        return m->red->var->name;
    if (m->wish)
        return m->wish;
    const rf_val *root =
        m->red->base ? rf_trace_root(plan->trace, m->red->base) : NULL;
    return root && root->kind == RF_VAL_ENTRY ? root->var->name : "r";
}

/* How many members before "m" have its name. */
static unsigned namesakes(const rf_plan *plan, const rf_member *m)
{
    unsigned n = 0;
    for (size_t i = 0; i < plan->members.len && plan->members.data[i] != m; i++)
        n +=
            !strcmp(base_name(plan, plan->members.data[i]), base_name(plan, m));
    return n;
}

void rf_formula_put_name(rf_buf *out, const rf_plan *plan, const rf_member *m,
                         const char *mark)
{
    unsigned n = namesakes(plan, m);
    rf_buf_puts(out, base_name(plan, m));
    if (n)
        rf_buf_printf(out, "%u", n + 1);
    rf_buf_puts(out, mark);
    for (unsigned i = 0; i < m->red->n_free; i++)
        rf_buf_printf(out, "[%s]", m->red->free[i]->name);
}

/* A result that is no member of its own: only these have names to keep. */
static bool is_outside(const rf_val *v, const void *plan)
{
    const rf_plan *p = plan;
    if (v->kind != RF_VAL_RESULT || v->red->axis != p->axis)
        return false;
    for (size_t i = 0; i < p->members.len; i++)
        if (p->members.data[i]->red == v->red)
            return false;
    return true;
}

const char *rf_formula_author_name(const rf_plan *plan, const rf_val *v)
{
    const rf_trace *t = plan->trace;
    if (v->kind == RF_VAL_CONST || v->kind == RF_VAL_ENTRY ||
        !rf_val_find(v, is_outside, plan) ||
        rf_val_mentions(v, plan->axis->index))
        return NULL;
    for (size_t i = t->names.len; i-- > 0;)
        if (t->names.data[i].value == v)
            return t->names.data[i].var->name;
    return NULL;
}

/* ---- leaves --------------------------------------------------------- */

static const char *const infinities[] = { "INFINITY", "CUDART_INF_F",
                                          "CUDART_INF", "HUGE_VALF",
                                          "HUGE_VAL" };

static void put_number(rf_buf *out, const char *text)
{
    size_t n = strlen(text);
    while (n > 1 && strchr("fFlLuU", text[n - 1]))
        n--;
    if (n > 2 && text[n - 1] == '0' && text[n - 2] == '.')
        n -= 2;
    else if (n > 1 && text[n - 1] == '.')
        n--;
    rf_buf_add(out, text, n);
}

static void put_constant(rf_buf *out, const rf_val *v)
{
    const char *text = v->expr->spelling;
    if (!text && v->expr->op == RF_OP_INT)
        rf_buf_printf(out, "%lld", (long long)v->expr->value.i);
    else if (!text)
        rf_buf_printf(out, "%g", v->expr->value.f);
    if (!text)
        return;
    for (size_t i = 0; i < RF_COUNTOF(infinities); i++)
        if (!strcmp(text, infinities[i])) {
            rf_buf_puts(out, "∞");
            return;
        }
    if (strchr("0123456789.", *text) && !strpbrk(text, "xX"))
        put_number(out, text);
    else
        rf_buf_puts(out, text);
}

/* A variable, or the stand-in for the state of a member. */
static void put_entry(rf_buf *out, const rf_formula *f, const rf_val *v)
{
    for (size_t i = 0; i < f->plan->members.len; i++) {
        const rf_member *m = f->plan->members.data[i];
        if (v->var != m->old_var && v->var != m->state_var)
            continue;
        rf_formula_put_name(out, f->plan, m, f->before);
        return;
    }
    rf_buf_puts(out, v->var->name);
}

/* ---- results -------------------------------------------------------- */

static const char *symbol_of(rf_reduce_op op)
{
    switch (op) {
    case RF_REDUCE_SUM:
        return "Σ";
    case RF_REDUCE_PRODUCT:
        return "Π";
    case RF_REDUCE_AND:
        return "all";
    case RF_REDUCE_OR:
        return "any";
    default:
        return rf_reduce_name(op);
    }
}

/* A reduction that is no member: a sum inside the term. */
static void put_inner(rf_buf *out, const rf_formula *f, const rf_val *v)
{
    const rf_red *r = v->red;
    const rf_val *term = r->term;
    if (r->result->n == v->n && v->n)
        term = rf_val_subst(f->plan->trace->vals, term, v->n, r->result->arg,
                            v->arg);
    rf_buf_printf(out, "%s_%s ", symbol_of(r->op), r->axis->name);
    put(out, f, term, DIVIDED);
}

static bool put_member(rf_buf *out, const rf_formula *f, const rf_val *v)
{
    const rf_member *m = NULL;
    for (size_t i = 0; i < f->plan->members.len && !m; i++)
        if (f->plan->members.data[i]->red == v->red)
            m = f->plan->members.data[i];
    if (!m)
        return false;
    bool is_new = f->stepping && f->self && m->pass == f->self->pass;
    rf_formula_put_name(out, f->plan, m, is_new ? "'" : "");
    return true;
}

/* ---- operators ------------------------------------------------------ */

static strength strength_of(const rf_formula *f, const rf_val *v);

static strength of_call(const rf_formula *f, const rf_val *v)
{
    switch (v->math) {
    case RF_MATH_ADD:
    case RF_MATH_SUB:
    case RF_MATH_FMA:
        return ADDED;
    case RF_MATH_MUL:
        return MULTIPLIED;
    case RF_MATH_DIV:
    case RF_MATH_RSQRT:
    case RF_MATH_RCP:
        return DIVIDED;
    case RF_MATH_CONVERT:
        return v->n == 1 ? strength_of(f, v->arg[0]) : SINGLE;
    default:
        return SINGLE;
    }
}

static strength of_op(const rf_val *v)
{
    switch (v->op) {
    case RF_OP_ADD:
    case RF_OP_SUB:
        return ADDED;
    case RF_OP_DIV:
        return DIVIDED;
    case RF_OP_MUL:
    case RF_OP_NEG:
        return MULTIPLIED;
    case RF_OP_FIELD:
    case RF_OP_INDEX:
        return SINGLE;
    default:
        return v->n == 1 ? SINGLE : ANY;
    }
}

static bool is_member(const rf_plan *plan, const rf_red *red)
{
    for (size_t i = 0; i < plan->members.len; i++)
        if (plan->members.data[i]->red == red)
            return true;
    return false;
}

/* Of the casts only this one has a sign of its own: it cuts off. */
static bool cuts_off(const rf_val *v)
{
    const rf_type *from = v->arg[0]->type;
    return v->type && from && v->type->kind == RF_TYPE_INT &&
           from->kind == RF_TYPE_FLOAT;
}

static strength strength_of(const rf_formula *f, const rf_val *v)
{
    switch (v->kind) {
    case RF_VAL_CAST:
        return cuts_off(v) ? SINGLE : strength_of(f, v->arg[0]);
    case RF_VAL_RESULT:
        return is_member(f->plan, v->red) ? SINGLE : ADDED;
    case RF_VAL_CALL:
        return of_call(f, v);
    case RF_VAL_OP:
        return of_op(v);
    default:
        return SINGLE;
    }
}

static void put_two(rf_buf *out, const rf_formula *f, const char *op,
                    const rf_val *a, const rf_val *b, strength left,
                    strength right)
{
    put(out, f, a, left);
    rf_buf_puts(out, op);
    put(out, f, b, right);
}

static void put_function(rf_buf *out, const rf_formula *f, const char *name,
                         unsigned n, const rf_val *const *args)
{
    rf_buf_printf(out, "%s(", name);
    for (unsigned i = 0; i < n; i++) {
        rf_buf_puts(out, i ? ", " : "");
        put(out, f, args[i], ANY);
    }
    rf_buf_puts(out, ")");
}

static void put_product(rf_buf *out, const rf_formula *f, const rf_val *a,
                        const rf_val *b)
{
    if (a != b) {
        put_two(out, f, "·", a, b, DIVIDED, MULTIPLIED);
        return;
    }
    put(out, f, a, SINGLE);
    rf_buf_puts(out, "²");
}

static void put_op(rf_buf *out, const rf_formula *f, const rf_val *v)
{
    const rf_val *const *a = v->arg;
    const char *spelling = rf_op_spelling(v->op);
    switch (v->op) {
    case RF_OP_ADD:
        put_two(out, f, " + ", a[0], a[1], ADDED, ADDED);
        return;
    case RF_OP_SUB:
        put_two(out, f, " - ", a[0], a[1], ADDED, DIVIDED);
        return;
    case RF_OP_MUL:
        put_product(out, f, a[0], a[1]);
        return;
    case RF_OP_DIV:
        put_two(out, f, "/", a[0], a[1], DIVIDED, SINGLE);
        return;
    case RF_OP_FIELD:
        put(out, f, a[0], SINGLE);
        rf_buf_printf(out, ".%s", v->name);
        return;
    case RF_OP_INDEX:
        put(out, f, a[0], SINGLE);
        rf_buf_puts(out, "[");
        put(out, f, a[1], ANY);
        rf_buf_puts(out, "]");
        return;
    case RF_OP_SELECT:
        put(out, f, a[1], COMPARED);
        rf_buf_puts(out, " if ");
        put_two(out, f, " else ", a[0], a[2], COMPARED, COMPARED);
        return;
    default:
        if (v->n == 2 && spelling) {
            rf_buf op = { 0 };
            rf_buf_printf(&op, " %s ", spelling);
            put_two(out, f, op.data, a[0], a[1], COMPARED, COMPARED);
            rf_buf_free(&op);
        } else if (v->n == 1 && spelling) {
            rf_buf_puts(out, spelling);
            put(out, f, a[0], SINGLE);
        } else {
            put_function(out, f, rf_op_name(v->op), v->n, a);
        }
    }
}

static void put_root(rf_buf *out, const rf_formula *f, const rf_val *v)
{
    rf_buf_puts(out, "√(");
    put(out, f, v->arg[0], ANY);
    rf_buf_puts(out, ")");
}

static void put_call(rf_buf *out, const rf_formula *f, const rf_val *v)
{
    static const char *const names[] = {
        [RF_MATH_EXP] = "exp",     [RF_MATH_EXP2] = "exp2",
        [RF_MATH_EXP10] = "exp10", [RF_MATH_LOG] = "log",
        [RF_MATH_LOG2] = "log2",   [RF_MATH_LOG10] = "log10",
        [RF_MATH_MAX] = "max",     [RF_MATH_MIN] = "min",
        [RF_MATH_POW] = "pow",
    };
    rf_math math = v->math;
    const char *name =
        math < RF_COUNTOF(names) && names[math] ? names[math] : v->name;
    const rf_val *const *a = v->arg;
    if (math == RF_MATH_SQRT && v->n == 1) {
        put_root(out, f, v);
    } else if (math == RF_MATH_RSQRT && v->n == 1) {
        rf_buf_puts(out, "1/");
        put_root(out, f, v);
    } else if (math == RF_MATH_RCP && v->n == 1) {
        rf_buf_puts(out, "1/");
        put(out, f, a[0], SINGLE);
    } else if (math == RF_MATH_ABS && v->n == 1) {
        rf_buf_puts(out, "|");
        put(out, f, a[0], ANY);
        rf_buf_puts(out, "|");
    } else if (math == RF_MATH_CONVERT && v->n == 1) {
        put(out, f, a[0], ANY);
    } else if (math == RF_MATH_FMA && v->n == 3) {
        put_product(out, f, a[0], a[1]);
        rf_buf_puts(out, " + ");
        put(out, f, a[2], ADDED);
    } else if (math == RF_MATH_ADD && v->n == 2) {
        put_two(out, f, " + ", a[0], a[1], ADDED, ADDED);
    } else if (math == RF_MATH_SUB && v->n == 2) {
        put_two(out, f, " - ", a[0], a[1], ADDED, DIVIDED);
    } else if (math == RF_MATH_MUL && v->n == 2) {
        put_product(out, f, a[0], a[1]);
    } else if (math == RF_MATH_DIV && v->n == 2) {
        put_two(out, f, "/", a[0], a[1], DIVIDED, SINGLE);
    } else {
        put_function(out, f, name, v->n, a);
    }
}

/* ---- values --------------------------------------------------------- */

static void put_bare(rf_buf *out, const rf_formula *f, const rf_val *v)
{
    switch (v->kind) {
    case RF_VAL_CONST:
        put_constant(out, v);
        break;
    case RF_VAL_ENTRY:
        put_entry(out, f, v);
        break;
    case RF_VAL_INDEX:
        rf_buf_puts(out, v->loop->name);
        break;
    case RF_VAL_OP:
        if (v->op == RF_OP_NEG) {
            rf_buf_puts(out, "-");
            put(out, f, v->arg[0], SINGLE);
        } else {
            put_op(out, f, v);
        }
        break;
    case RF_VAL_CALL:
        put_call(out, f, v);
        break;
    case RF_VAL_CAST:
        rf_buf_puts(out, cuts_off(v) ? "trunc(" : "");
        put_bare(out, f, v->arg[0]);
        rf_buf_puts(out, cuts_off(v) ? ")" : "");
        break;
    case RF_VAL_CELL:
    case RF_VAL_LOAD:
        put(out, f, v->arg[0], SINGLE);
        rf_buf_puts(out, "[");
        put(out, f, v->arg[1], ANY);
        rf_buf_puts(out, "]");
        break;
    case RF_VAL_RESULT:
        if (!put_member(out, f, v))
            put_inner(out, f, v);
        break;
    case RF_VAL_PHI:
    case RF_VAL_LAST:
        rf_buf_puts(out, v->var->name);
        break;
    case RF_VAL_UNKNOWN:
        rf_buf_puts(out, "?");
        break;
    }
}

static void put(rf_buf *out, const rf_formula *f, const rf_val *v,
                strength least)
{
    const char *name = v == f->open ? NULL : rf_formula_author_name(f->plan, v);
    if (v == f->element) {
        rf_buf_printf(out, "x_%s", f->plan->axis->name);
        return;
    }
    if (name) {
        rf_buf_puts(out, name);
        return;
    }
    bool open = strength_of(f, v) < least;
    rf_buf_puts(out, open ? "(" : "");
    put_bare(out, f, v);
    rf_buf_puts(out, open ? ")" : "");
}

void rf_formula_put(rf_buf *out, const rf_formula *f, const rf_val *v)
{
    put(out, f, v, ANY);
}

void rf_formula_put_reduction(rf_buf *out, const rf_formula *f,
                              const rf_member *m, const rf_val *term)
{
    rf_buf_printf(out, "%s_%s ", symbol_of(m->red->op), m->red->axis->name);
    put(out, f, term, DIVIDED);
}

void rf_formula_put_joined(rf_buf *out, rf_reduce_op op, const char *a,
                           const char *b)
{
    const char *between = op == RF_REDUCE_SUM       ? " + "
                          : op == RF_REDUCE_PRODUCT ? "·"
                          : op == RF_REDUCE_AND     ? " and "
                          : op == RF_REDUCE_OR      ? " or "
                          : op == RF_REDUCE_BIT_AND ? " & "
                          : op == RF_REDUCE_BIT_OR  ? " | "
                          : op == RF_REDUCE_BIT_XOR ? " ^ "
                                                    : NULL;
    if (between)
        rf_buf_printf(out, "%s%s%s", a, between, b);
    else
        rf_buf_printf(out, "%s(%s, %s)", rf_reduce_name(op), a, b);
}
