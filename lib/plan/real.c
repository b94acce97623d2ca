/* From typed values to real expressions (rf_real_of). */
#include "plan/real.h"
#include "plan/reals.h"

#include "ir/math.h"

#include <math.h>

rf_reals *rf_reals_new(rf_arena *arena, rf_syms *syms, rf_vals *vals,
                       bool assume_rounding)
{
    rf_reals *r = RF_NEW(arena, rf_reals);
    *r = (rf_reals){ .arena = arena,
                     .syms = syms,
                     .vals = vals,
                     .assume_rounding = assume_rounding };
    return r;
}

rf_syms *rf_reals_syms(rf_reals *r)
{
    return r->syms;
}

void rf_reals_set_axis(rf_reals *r, const rf_loop *axis)
{
    r->axis = axis;
}

static void add_pair(rf_reals *r, const rf_val *v, const rf_sym *sym,
                     bool is_derived)
{
    rf_real_pair *pair = RF_NEW(r->arena, rf_real_pair);
    *pair = (rf_real_pair){
        .val = v, .sym = sym, .is_derived = is_derived, .next = r->pairs
    };
    r->pairs = pair;
}

/* Forget what was derived from "v". */
static void forget_users(rf_reals *r, const rf_val *v)
{
    for (rf_real_pair **p = &r->pairs; *p;)
        if ((*p)->is_derived && (*p)->val != v && rf_val_mentions((*p)->val, v))
            *p = (*p)->next;
        else
            p = &(*p)->next;
}

void rf_reals_bind(rf_reals *r, const rf_val *v, const rf_sym *sym)
{
    forget_users(r, v);
    add_pair(r, v, sym, false);
}

void rf_reals_set_sign(rf_reals *r, const rf_var *var, rf_sign sign)
{
    rf_real_sign *known = RF_NEW(r->arena, rf_real_sign);
    *known = (rf_real_sign){ .var = var, .sign = sign, .next = r->signs };
    r->signs = known;
}

rf_sign rf_reals_sign(const rf_reals *r, const rf_var *var)
{
    for (const rf_real_sign *s = r->signs; s; s = s->next)
        if (s->var == var)
            return s->sign;
    return RF_SIGN_ANY;
}

static bool is_axis_index(const rf_val *v, const void *axis)
{
    return v->loop == axis && v->kind != RF_VAL_CONST;
}

static bool is_number(const rf_type *t)
{
    return t && (t->kind == RF_TYPE_INT || t->kind == RF_TYPE_FLOAT);
}

/* The parameter, or the array that the element lies in. */
static const rf_var *named_by(const rf_val *v)
{
    if (v->kind == RF_VAL_LOAD)
        v = v->arg[0];
    while (v->kind == RF_VAL_OP && v->op == RF_OP_ADD)
        v = v->arg[0];
    return v->kind == RF_VAL_ENTRY ? v->var : NULL;
}

static rf_sign sign_of_entry(const rf_reals *r, const rf_val *v)
{
    rf_sign sign = rf_reals_sign(r, named_by(v));
    if (sign != RF_SIGN_ANY && is_number(v->type))
        return sign;
    bool is_unsigned =
        v->type && v->type->kind == RF_TYPE_INT && v->type->is_unsigned;
    return is_unsigned ? RF_SIGN_NONNEG : RF_SIGN_ANY;
}

/* Anything without algebra of its own: x_l or a parameter. */
static const rf_sym *atom_of(rf_reals *r, const rf_val *v)
{
    bool element = r->axis && rf_val_find(v, is_axis_index, r->axis);
    rf_buf name = { 0 };
    rf_val_print(&name, v);
    const rf_sym *s = rf_sym_atom_signed(
        r->syms, element ? RF_ATOM_ELEMENT : RF_ATOM_PARAM,
        rf_arena_strdup(r->arena, rf_buf_text(&name)), v, sign_of_entry(r, v));
    rf_buf_free(&name);
    return s;
}

/* 0.125 and 3 are rationals; 1e-5 and INFINITY stay names. */
static const rf_sym *literal(rf_reals *r, const rf_val *v)
{
    const rf_expr *e = v->expr;
    if (e->op == RF_OP_INT)
        return rf_sym_int(r->syms, e->value.i);
    double x = e->value.f, scaled = x;
    int64_t den = 1;
    for (int i = 0; i < 20 && scaled != floor(scaled); i++) {
        scaled *= 2;
        den *= 2;
    }
    if (isfinite(x) && scaled == floor(scaled) && fabs(scaled) < 1e15)
        return rf_sym_rat(r->syms, (int64_t)scaled, den);
    return rf_sym_atom_signed(r->syms, RF_ATOM_PARAM,
                              e->spelling ? e->spelling : "constant", v,
                              x > 0 ? RF_SIGN_POSITIVE : RF_SIGN_ANY);
}

static const rf_sym *opaque_call(rf_reals *r, const rf_val *v, const char *name)
{
    const rf_sym **args = RF_NEW_ARRAY(r->arena, v->n + 1, const rf_sym *);
    for (unsigned i = 0; i < v->n; i++)
        args[i] = rf_real_of(r, v->arg[i]);
    return rf_sym_named(r->syms, RF_SYM_CALL, name, v->n, args);
}

static const char *format_name(const rf_type *t)
{
    static const char *const names[] = { "float", "double",   "half",
                                         "bf16",  "fp8_e4m3", "fp8_e5m2" };
    return t->kind == RF_TYPE_FLOAT ? names[t->format] : "int";
}

/* How many bits of a real survive in "t": more is wider. */
static int precision(const rf_type *t)
{
    static const int bits[] = { 24, 53, 11, 8, 4, 3 };
    return t->kind == RF_TYPE_FLOAT ? bits[t->format] : 24;
}

static const rf_sym *convert(rf_reals *r, const rf_val *v, const rf_type *to,
                             const rf_val *from)
{
    const rf_sym *a = rf_real_of(r, from);
    if (!from->type || !to || to->kind == RF_TYPE_DEPENDENT ||
        from->type->kind == RF_TYPE_DEPENDENT)
        return a;
    if (from->type->kind == RF_TYPE_BOOL && to->kind != RF_TYPE_BOOL)
        return rf_sym_make(r->syms, RF_SYM_SELECT, 3,
                           (const rf_sym *[]){ a, rf_sym_int(r->syms, 1),
                                               rf_sym_int(r->syms, 0) });
    if (to->kind == RF_TYPE_INT && from->type->kind == RF_TYPE_FLOAT)
        return rf_sym_named(r->syms, RF_SYM_ROUND,
                            v->kind == RF_VAL_CALL ? v->name : "int", 1, &a);
    bool narrows =
        to->kind == RF_TYPE_FLOAT && from->type->kind == RF_TYPE_FLOAT &&
        from->kind != RF_VAL_CONST && precision(from->type) > precision(to);
    if (narrows && !r->assume_rounding)
        return rf_sym_named(r->syms, RF_SYM_ROUND, format_name(to), 1, &a);
    return a;
}

static const rf_sym *relation(rf_reals *r, rf_op op, const rf_sym *a,
                              const rf_sym *b)
{
    const rf_sym *ab[] = { a, b }, *ba[] = { b, a };
    switch (op) {
    case RF_OP_LT:
        return rf_sym_make(r->syms, RF_SYM_LT, 2, ab);
    case RF_OP_LE:
        return rf_sym_make(r->syms, RF_SYM_LE, 2, ab);
    case RF_OP_GT:
        return rf_sym_make(r->syms, RF_SYM_LT, 2, ba);
    case RF_OP_GE:
        return rf_sym_make(r->syms, RF_SYM_LE, 2, ba);
    case RF_OP_EQ:
        return rf_sym_make(r->syms, RF_SYM_EQ, 2, ab);
    default: {
        const rf_sym *eq = rf_sym_make(r->syms, RF_SYM_EQ, 2, ab);
        return rf_sym_make(r->syms, RF_SYM_NOT, 1, &eq);
    }
    }
}

static const rf_sym *real_op(rf_reals *r, const rf_val *v)
{
    bool is_int = v->type && v->type->kind == RF_TYPE_INT;
    if (v->op == RF_OP_FIELD || v->op == RF_OP_INDEX ||
        rf_type_is_pointer_like(v->type))
        return atom_of(r, v);
    const rf_sym *a = rf_real_of(r, v->arg[0]);
    const rf_sym *b = v->n > 1 ? rf_real_of(r, v->arg[1]) : NULL;
    switch (v->op) {
    case RF_OP_ADD:
        return rf_sym_add(r->syms, a, b);
    case RF_OP_SUB:
        return is_int && v->type->is_unsigned ? opaque_call(r, v, "wrap")
                                              : rf_sym_sub(r->syms, a, b);
    case RF_OP_MUL:
        return rf_sym_mul(r->syms, a, b);
    case RF_OP_DIV:
        return is_int ? opaque_call(r, v, "div") : rf_sym_div(r->syms, a, b);
    case RF_OP_NEG:
        return rf_sym_neg(r->syms, a);
    case RF_OP_NOT:
        return rf_sym_make(r->syms, RF_SYM_NOT, 1, &a);
    case RF_OP_AND:
    case RF_OP_OR:
        return rf_sym_make(r->syms, v->op == RF_OP_AND ? RF_SYM_AND : RF_SYM_OR,
                           2, (const rf_sym *[]){ a, b });
    case RF_OP_SELECT:
        return rf_sym_make(
            r->syms, RF_SYM_SELECT, 3,
            (const rf_sym *[]){ a, b, rf_real_of(r, v->arg[2]) });
    default:
        if (v->op >= RF_OP_LT && v->op <= RF_OP_NE)
            return relation(r, v->op, a, b);
        return opaque_call(r, v, rf_op_name(v->op));
    }
}

static const rf_sym *root(rf_reals *r, const rf_sym *a, int64_t num)
{
    return rf_sym_pow(r->syms, a, rf_sym_rat(r->syms, num, 2));
}

static const rf_sym *logarithm(rf_reals *r, const rf_sym *a, int64_t base)
{
    const rf_sym *x = rf_sym_make(r->syms, RF_SYM_LOG, 1, &a);
    const rf_sym *b = rf_sym_int(r->syms, base);
    return base
               ? rf_sym_div(r->syms, x, rf_sym_make(r->syms, RF_SYM_LOG, 1, &b))
               : x;
}

static void remember_exp(rf_reals *r, unsigned base, const rf_val *v)
{
    unsigned slot = base == 0 ? 0 : base == 2 ? 1 : 2;
    if (!r->exp_call[slot])
        r->exp_call[slot] = v;
}

static const rf_sym *real_exp(rf_reals *r, const rf_val *v, unsigned base)
{
    remember_exp(r, base, v);
    return rf_sym_exp(r->syms, base, rf_real_of(r, v->arg[0]));
}

static const rf_sym *real_call(rf_reals *r, const rf_val *v)
{
    rf_math meaning = v->math;
    const rf_sym *a = v->n > 0 ? rf_real_of(r, v->arg[0]) : NULL;
    const rf_sym *b = v->n > 1 ? rf_real_of(r, v->arg[1]) : NULL;
    if (!a || (v->n < 2 && (meaning == RF_MATH_MAX || meaning == RF_MATH_MIN ||
                            meaning == RF_MATH_POW)))
        return atom_of(r, v);
    switch (meaning) {
    case RF_MATH_EXP:
        return real_exp(r, v, 0);
    case RF_MATH_EXP2:
        return real_exp(r, v, 2);
    case RF_MATH_EXP10:
        return real_exp(r, v, 10);
    case RF_MATH_LOG:
        return logarithm(r, a, 0);
    case RF_MATH_LOG2:
        return logarithm(r, a, 2);
    case RF_MATH_LOG10:
        return logarithm(r, a, 10);
    case RF_MATH_SQRT:
        return root(r, a, 1);
    case RF_MATH_RSQRT:
        return root(r, a, -1);
    case RF_MATH_RCP:
        return rf_sym_pow(r->syms, a, rf_sym_int(r->syms, -1));
    case RF_MATH_ADD:
        return rf_sym_add(r->syms, a, b);
    case RF_MATH_SUB:
        return rf_sym_sub(r->syms, a, b);
    case RF_MATH_MUL:
        return rf_sym_mul(r->syms, a, b);
    case RF_MATH_DIV:
        return rf_sym_div(r->syms, a, b);
    case RF_MATH_FMA:
        return rf_sym_add(r->syms, rf_sym_mul(r->syms, a, b),
                          rf_real_of(r, v->arg[2]));
    case RF_MATH_MAX:
        return rf_sym_max(r->syms, a, b);
    case RF_MATH_MIN:
        return rf_sym_min(r->syms, a, b);
    case RF_MATH_ABS:
        return rf_sym_make(r->syms, RF_SYM_ABS, 1, &a);
    case RF_MATH_NEG:
        return rf_sym_neg(r->syms, a);
    case RF_MATH_POW:
        return rf_sym_pow(r->syms, a, b);
    case RF_MATH_CONVERT:
        return convert(r, v, v->type, v->arg[0]);
    default:
        return opaque_call(r, v, v->name);
    }
}

static bool is_result(const rf_val *v, const void *axis)
{
    return v->kind == RF_VAL_RESULT && v->red->axis == axis;
}

/* w[i - at] with a result "at", or an inner sum over terms with results: some
 * function of the results, never a mere element. */
static const rf_sym *function_of_results(rf_reals *r, const rf_val *v)
{
    const rf_val *inside[] = { v->kind == RF_VAL_RESULT ? v->red->term : NULL,
                               v->kind == RF_VAL_RESULT ? v->red->init : NULL };
    const rf_sym *args[8];
    unsigned n = 0;
    args[n++] = atom_of(r, v);
    for (unsigned i = 0; i < v->n && n < 6; i++)
        args[n++] = rf_real_of(r, v->arg[i]);
    for (unsigned i = 0; i < 2 && n < 8; i++)
        if (inside[i])
            args[n++] = rf_real_of(r, inside[i]);
    return rf_sym_named(r->syms, RF_SYM_CALL,
                        v->kind == RF_VAL_LOAD ? "load" : "inner", n, args);
}

static const rf_sym *real_new(rf_reals *r, const rf_val *v)
{
    if ((v->kind == RF_VAL_LOAD || v->kind == RF_VAL_RESULT) && r->axis &&
        rf_val_find(v, is_result, r->axis))
        return function_of_results(r, v);
    switch (v->kind) {
    case RF_VAL_CONST:
        return literal(r, v);
    case RF_VAL_OP:
        return real_op(r, v);
    case RF_VAL_CALL:
        return real_call(r, v);
    case RF_VAL_CAST:
        return convert(r, v, v->type, v->arg[0]);
    default:
        return atom_of(r, v);
    }
}

const rf_sym *rf_real_of(rf_reals *r, const rf_val *v)
{
    for (const rf_real_pair *p = r->pairs; p; p = p->next)
        if (p->val == v)
            return p->sym;
    const rf_sym *s = real_new(r, v);
    bool is_whole = v->kind == RF_VAL_OP || v->kind == RF_VAL_CALL ||
                    v->kind == RF_VAL_CAST || v->kind == RF_VAL_RESULT;
    add_pair(r, v, s, is_whole && s->kind != RF_SYM_ATOM);
    return s;
}

const rf_val *rf_real_find(rf_reals *r, const rf_val *v, const rf_sym *e)
{
    for (unsigned i = 0; i < v->n; i++) {
        const rf_val *found = rf_real_find(r, v->arg[i], e);
        if (found)
            return found;
    }
    return rf_real_of(r, v) == e ? v : NULL;
}
