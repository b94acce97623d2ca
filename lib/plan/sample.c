/* Evaluating a cascade on concrete numbers.
 *
 *     d(0) = init,   d(l + 1) = next(x_l, d(l)),   D = d(length)        (T-1)
 *
 * "next" is the author's own update. One thread runs: threadIdx is 0. */
#include "plan/sample.h"

#include "ir/math.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double eval(rf_sample *s, const rf_val *v);

static double fail(rf_sample *s)
{
    s->failed = true;
    return NAN;
}

/* ---- numbers ---- */

static double wrap(rf_sample *s, double v, const rf_type *type)
{
    if (!isfinite(v) || type->bits > 32)
        return isfinite(v) && fabs(v) < 0x1p53 ? trunc(v) : fail(s);
    double all = ldexp(1, (int)type->bits), r = trunc(v);
    if (!type->is_unsigned)
        return fabs(r) < all / 2 ? r : fail(s);
    r = fmod(r, all);
    return r < 0 ? r + all : r;
}

double rf_sample_convert(rf_sample *s, double v, const rf_type *type)
{
    switch (type ? type->kind : RF_TYPE_OTHER) {
    case RF_TYPE_BOOL:
        return v != 0;
    case RF_TYPE_INT:
        return wrap(s, v, type);
    case RF_TYPE_FLOAT:
        if (type->format == RF_F32)
            return fabs(v) > (double)FLT_MAX ? copysign(INFINITY, v)
                   : fabs(v) < 0x1p-149      ? copysign(0, v)
                                             : v;
        return type->format == RF_F64 ? v : fail(s);
    default:
        return fail(s);
    }
}

static double bits(rf_op op, double a, double b)
{
    int64_t x = (int64_t)a, y = (int64_t)b;
    switch (op) {
    case RF_OP_BIT_AND:
        return (double)(x & y);
    case RF_OP_BIT_OR:
        return (double)(x | y);
    case RF_OP_BIT_XOR:
        return (double)(x ^ y);
    case RF_OP_SHL:
        return y >= 0 && y < 32 ? a * (double)(1LL << y) : NAN;
    default:
        return y >= 0 && y < 32 ? (double)(x >> y) : NAN;
    }
}

static double arithmetic(rf_sample *s, rf_op op, bool whole, double a, double b)
{
    switch (op) {
    case RF_OP_ADD:
        return a + b;
    case RF_OP_SUB:
        return a - b;
    case RF_OP_MUL:
        return a * b;
    case RF_OP_DIV:
        return whole && b == 0 ? fail(s) : whole ? trunc(a / b) : a / b;
    case RF_OP_REM:
        return b == 0 ? fail(s) : fmod(a, b);
    default:
        if (op >= RF_OP_LT && op <= RF_OP_NE)
            return rf_relation_holds(op, a, b);
        return op >= RF_OP_SHL && op <= RF_OP_BIT_XOR ? bits(op, a, b)
                                                      : fail(s);
    }
}

/* ---- operators ---- */

/* threadIdx.x is 0, blockDim.x is 1. */
static double field(rf_sample *s, const rf_val *v)
{
    const rf_var *of = v->arg[0]->kind == RF_VAL_ENTRY ? v->arg[0]->var : NULL;
    if (of && (!strcmp(of->name, "threadIdx") || !strcmp(of->name, "blockIdx")))
        return 0;
    if (of && (!strcmp(of->name, "blockDim") || !strcmp(of->name, "gridDim")))
        return 1;
    return fail(s);
}

static double operation(rf_sample *s, const rf_val *v)
{
    if (v->op == RF_OP_FIELD)
        return field(s, v);
    if (v->op == RF_OP_SELECT)
        return eval(s, eval(s, v->arg[0]) != 0 ? v->arg[1] : v->arg[2]);
    if (v->op == RF_OP_AND || v->op == RF_OP_OR) {
        bool a = eval(s, v->arg[0]) != 0;
        return a == (v->op == RF_OP_AND) ? eval(s, v->arg[1]) != 0 : a;
    }
    double a = eval(s, v->arg[0]), r;
    if (v->op == RF_OP_NOT)
        return a == 0;
    if (v->op == RF_OP_NEG)
        r = -a;
    else if (v->n == 2)
        r = arithmetic(s, v->op, v->type && v->type->kind == RF_TYPE_INT, a,
                       eval(s, v->arg[1]));
    else
        return fail(s);
    return rf_sample_convert(s, r, v->type);
}

/* functions of one argument of <math.h>, beside their float forms */
#define FUNCTIONS(X)                                                           \
    X(tanh)                                                                    \
    X(sinh)                                                                    \
    X(cosh)                                                                    \
    X(sin)                                                                     \
    X(cos)                                                                     \
    X(tan)                                                                     \
    X(asin)                                                                    \
    X(acos)                                                                    \
    X(atan)                                                                    \
    X(erf)                                                                     \
    X(erfc)                                                                    \
    X(expm1)                                                                   \
    X(log1p)                                                                   \
    X(cbrt)                                                                    \
    X(floor)                                                                   \
    X(ceil)                                                                    \
    X(round)                                                                   \
    X(trunc)                                                                   \
    X(tgamma)                                                                  \
    X(lgamma)

static double pure(rf_sample *s, const char *name, double a)
{
#define X(f)                                                                   \
    if (!strcmp(name, #f) || !strcmp(name, #f "f"))                            \
        return f(a);
    FUNCTIONS(X)
#undef X
    return strcmp(name, "__saturatef") ? fail(s) : fmin(fmax(a, 0), 1);
}

static double call(rf_sample *s, const rf_val *v)
{
    rf_math meaning = v->math;
    double a[3] = { 0 }, value;
    if (!v->n)
        return fail(s);
    for (unsigned i = 0; i < v->n && i < 3; i++)
        a[i] = eval(s, v->arg[i]);
    if (rf_math_value(meaning, v->n, a, &value))
        return value;
    return meaning == RF_MATH_PURE && v->n == 1 ? pure(s, v->name, a[0])
                                                : fail(s);
}

/* ---- what varies ---- */

/* The pointer variable that "base" is an offset of, and the offset. */
static const rf_var *array_of(rf_sample *s, const rf_val *base, double *offset)
{
    *offset = 0;
    while (base->kind == RF_VAL_OP && base->op == RF_OP_ADD) {
        *offset += eval(s, base->arg[1]);
        base = base->arg[0];
    }
    return base->kind == RF_VAL_ENTRY ? base->var : NULL;
}

static double load(rf_sample *s, const rf_val *v)
{
    double offset;
    const rf_var *array = array_of(s, v->arg[0], &offset);
    double at = offset + eval(s, v->arg[1]);
    if (!(at >= 0 && at < s->length))
        return fail(s);
    for (unsigned i = 0; i < s->n_arrays; i++)
        if (s->array[i] == array)
            return s->x[(unsigned)at * s->n_arrays + i];
    return fail(s);
}

static double entry(rf_sample *s, const rf_var *var)
{
    const rf_plan *plan = s->p->plan;
    if (var == s->size)
        return s->count;
    for (size_t i = 0; s->old && i < plan->members.len; i++)
        if (plan->members.data[i]->old_var == var)
            return s->old[i];
    for (unsigned i = 0; i < s->n_params; i++)
        if (s->param[i] == var)
            return s->value[i];
    return fail(s);
}

static const rf_red *red_of(const rf_sample *s, const rf_val *phi)
{
    const rf_trace *t = s->p->trace;
    for (size_t i = 0; i < t->reds.len; i++)
        if (t->reds.data[i]->phi == phi && t->reds.data[i]->pass == s->pass)
            return t->reds.data[i];
    return NULL;
}

/* The value of "red" before step "step". */
static double state_of(rf_sample *s, const rf_red *red, unsigned step)
{
    for (size_t i = 0; i < s->memo.len; i++)
        if (s->memo.data[i].red == red && s->memo.data[i].step == step)
            return s->memo.data[i].value;
    unsigned was = s->step, pass = s->pass;
    s->pass = red->pass;
    s->step = step ? step - 1 : 0;
    double v = eval(s, step ? red->next : red->init);
    s->step = was;
    s->pass = pass;
    v = rf_sample_convert(s, v, red->type);
    RF_PUSH(s->memo, (rf_sample_memo){ .red = red, .step = step, .value = v });
    return v;
}

static double eval(rf_sample *s, const rf_val *v)
{
    const rf_red *red = v->kind == RF_VAL_PHI ? red_of(s, v) : v->red;
    if (s->failed || ++s->work > RF_SAMPLE_MOST_WORK)
        return fail(s);
    switch (v->kind) {
    case RF_VAL_CONST:
        return v->expr->op == RF_OP_INT     ? (double)v->expr->value.i
               : v->expr->op == RF_OP_FLOAT ? v->expr->value.f
                                            : fail(s);
    case RF_VAL_ENTRY:
        return entry(s, v->var);
    case RF_VAL_INDEX:
        return v->loop == s->p->plan->axis ? s->step : fail(s);
    case RF_VAL_OP:
        return operation(s, v);
    case RF_VAL_CALL:
        return rf_sample_convert(s, call(s, v), v->type);
    case RF_VAL_CAST:
        return rf_sample_convert(s, eval(s, v->arg[0]), v->type);
    case RF_VAL_LOAD:
        return load(s, v);
    case RF_VAL_RESULT:
        return state_of(s, red, s->length);
    case RF_VAL_PHI:
        return red ? state_of(s, red, s->step) : fail(s);
    default:
        return fail(s);
    }
}

/* ---- what a reduction uses ---- */

static bool collect(rf_sample *s, const rf_val *v);

static bool collect_array(rf_sample *s, const rf_val *v)
{
    double offset;
    const rf_var *array = array_of(s, v->arg[0], &offset);
    s->failed = false; /* offsets have values later */
    for (unsigned i = 0; i < s->n_arrays; i++)
        if (s->array[i] == array)
            return collect(s, v->arg[1]);
    if (!array || !v->type || s->n_arrays == RF_SAMPLE_ARRAYS)
        return false;
    const rf_trace *t = s->p->trace;
    for (size_t i = 0; i < t->stores.len; i++)
        if (array_of(s, t->stores.data[i].base, &offset) == array)
            return false;
    s->failed = false;
    s->type[s->n_arrays] = v->type;
    s->array[s->n_arrays++] = array;
    return collect(s, v->arg[1]);
}

static bool collect_param(rf_sample *s, const rf_var *var)
{
    for (unsigned i = 0; i < s->n_params; i++)
        if (s->param[i] == var)
            return true;
    if (var == s->size || !var->type ||
        (var->type->kind != RF_TYPE_INT && var->type->kind != RF_TYPE_FLOAT))
        return var == s->size;
    if (s->n_params == RF_SAMPLE_PARAMS)
        return false;
    s->param[s->n_params++] = var;
    return true;
}

static bool collect_red(rf_sample *s, const rf_red *red)
{
    for (size_t i = 0; red && i < s->reds.len; i++)
        if (s->reds.data[i] == red)
            return true;
    if (!red || red->axis != s->p->plan->axis || red->n_outer || red->n_free ||
        red->path || !red->phi || red->phi->kind != RF_VAL_PHI || !red->next)
        return false;
    unsigned pass = s->pass;
    size_t at = s->reds.len;
    RF_PUSH(s->reds, red);
    s->pass = red->pass;
    bool ok = collect(s, red->init) && collect(s, red->next);
    s->pass = pass;
    for (size_t i = at; i + 1 < s->reds.len; i++)
        s->reds.data[i] = s->reds.data[i + 1]; /* behind what it uses */
    s->reds.data[s->reds.len - 1] = red;
    return ok;
}

static bool collect(rf_sample *s, const rf_val *v)
{
    if (v->kind == RF_VAL_LOAD)
        return collect_array(s, v);
    if (v->kind == RF_VAL_ENTRY)
        return collect_param(s, v->var);
    if (v->kind == RF_VAL_RESULT)
        return collect_red(s, v->red);
    if (v->kind == RF_VAL_PHI)
        return collect_red(s, red_of(s, v));
    if (v->kind == RF_VAL_OP && v->op == RF_OP_FIELD)
        return true;
    for (unsigned i = 0; i < v->n; i++)
        if (!collect(s, v->arg[i]))
            return false;
    return v->kind <= RF_VAL_CAST;
}

bool rf_sample_init(rf_sample *s, const rf_planner *p, const rf_red *red)
{
    const rf_loop *axis = p->plan->axis;
    const rf_val *upper = rf_plan_resolve((rf_planner *)p, axis->upper);
    *s = (rf_sample){ .p = p };
    if (upper->kind != RF_VAL_ENTRY || axis->is_inclusive ||
        axis->at_least_once || axis->is_reversed)
        return false;
    s->size = upper->var;
    if (eval(s, axis->lower) != 0 || eval(s, axis->step) != 1 || s->failed)
        return false;
    return collect_red(s, red) && s->n_arrays > 0;
}

void rf_sample_clear(rf_sample *s)
{
    RF_CLEAR(s->reds);
    RF_CLEAR(s->memo);
}

void rf_sample_set(rf_sample *s, const double *x, unsigned length)
{
    s->x = x;
    s->count = s->length = length;
    s->failed = false;
    s->memo.len = 0;
}

double rf_sample_result(rf_sample *s, const rf_red *red)
{
    return state_of(s, red, s->length);
}

double rf_sample_value(rf_sample *s, const rf_val *v, unsigned step)
{
    s->step = step;
    s->memo.len = 0;
    return eval(s, v);
}
