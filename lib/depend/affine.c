/* Forms as piecewise affine functions of the parameters.
 *
 * A symbol whose value isl can express (a quotient by a constant, a minimum,
 * a value that wraps) is replaced by that expression; any other symbol is a
 * parameter. */
#include "depend/inside.h"

#include <string.h>

bool rf_type_is_integer(const rf_type *type)
{
    return type && (type->kind == RF_TYPE_INT || type->kind == RF_TYPE_BOOL);
}

unsigned rf_type_bits(const rf_type *type)
{
    return type->kind == RF_TYPE_BOOL ? 1 : type->bits ? type->bits : 32;
}

static isl_local_space *no_dimensions(isl_ctx *ctx)
{
    return isl_local_space_from_space(isl_space_set_alloc(ctx, 0, 0));
}

isl_val *rf_power_of_two(isl_ctx *ctx, unsigned n)
{
    return isl_val_2exp(isl_val_int_from_ui(ctx, n));
}

static isl_pw_aff *constant(isl_ctx *ctx, isl_val *value)
{
    return isl_pw_aff_from_aff(
        isl_aff_val_on_domain(no_dimensions(ctx), value));
}

isl_pw_aff *rf_affine_constant(rf_scope *scope, int64_t value)
{
    isl_ctx *ctx = scope->depend->ctx;
    return constant(ctx, isl_val_int_from_si(ctx, value));
}

isl_set *rf_affine_in_type(rf_scope *scope, isl_pw_aff *value,
                           const rf_type *type)
{
    isl_ctx *ctx = scope->depend->ctx;
    unsigned bits = rf_type_bits(type);
    bool is_signed = type->kind == RF_TYPE_INT && !type->is_unsigned;
    isl_val *high = rf_power_of_two(ctx, is_signed ? bits - 1 : bits);
    isl_val *low =
        is_signed ? isl_val_neg(isl_val_copy(high)) : isl_val_zero(ctx);
    isl_set *set =
        isl_pw_aff_ge_set(isl_pw_aff_copy(value), constant(ctx, low));
    return isl_set_intersect(set,
                             isl_pw_aff_lt_set(value, constant(ctx, high)));
}

static isl_pw_aff *symbol_value(rf_scope *scope, const rf_symbol *s);

isl_pw_aff *rf_affine_of(rf_scope *scope, const rf_form *form)
{
    isl_ctx *ctx = scope->depend->ctx;
    isl_pw_aff *sum = rf_affine_constant(scope, 0);
    for (unsigned i = 0; i < form->n; i++) {
        const rf_term *t = &form->term[i];
        isl_pw_aff *p = t->n ? symbol_value(scope, rf_symbol_product(scope, t))
                             : rf_affine_constant(scope, 1);
        isl_val *coef = isl_val_int_from_si(ctx, t->coef);
        sum = isl_pw_aff_add(sum, isl_pw_aff_scale_val(p, coef));
    }
    return sum;
}

isl_pw_aff *rf_affine_value(rf_scope *scope, unsigned tag, const rf_val *v)
{
    rf_form f = rf_form_exact(scope, tag, v);
    return f.ok ? rf_affine_of(scope, &f) : NULL;
}

/* "p" (mod 2^bits), as a value of "type". */
static isl_pw_aff *wrapped(rf_scope *scope, isl_pw_aff *p, const rf_type *type)
{
    isl_ctx *ctx = scope->depend->ctx;
    unsigned bits = rf_type_bits(type);
    if (type->is_unsigned)
        return isl_pw_aff_mod_val(p, rf_power_of_two(ctx, bits));
    isl_pw_aff *half = isl_pw_aff_scale_val(rf_affine_constant(scope, 1),
                                            rf_power_of_two(ctx, bits - 1));
    p = isl_pw_aff_add(p, isl_pw_aff_copy(half));
    p = isl_pw_aff_mod_val(p, rf_power_of_two(ctx, bits));
    return isl_pw_aff_sub(p, half);
}

/* A sum or a cast that may wrap; NULL if nothing more is known of it. */
static isl_pw_aff *wrap_value(rf_scope *scope, const rf_symbol *s)
{
    rf_form f = rf_depend_form_of(scope, s->tag, s->val);
    bool itself = f.n == 1 && f.term[0].n == 1 && f.term[0].factor[0] == s;
    if (!f.ok || itself || rf_form_is_nonlinear(&f) ||
        f.bits < rf_type_bits(s->val->type))
        return NULL;
    return wrapped(scope, rf_affine_of(scope, &f), s->val->type);
}

/* a / c and a % c towards zero, a >> n, a & mask for constants. */
static isl_pw_aff *quotient(rf_scope *scope, unsigned tag, const rf_val *v)
{
    int64_t c;
    isl_ctx *ctx = scope->depend->ctx;
    if (!rf_val_is_int(v->arg[1], &c) || c <= 0 || c > INT32_MAX)
        return NULL;
    bool is_mask = !(c & (c + 1));
    bool is_known = v->op == RF_OP_DIV || v->op == RF_OP_REM ||
                    (v->op == RF_OP_SHR && c < 31) ||
                    (v->op == RF_OP_BIT_AND && is_mask);
    isl_pw_aff *a = is_known ? rf_affine_value(scope, tag, v->arg[0]) : NULL;
    if (!a)
        return NULL;
    if (v->op == RF_OP_DIV)
        return isl_pw_aff_tdiv_q(a, rf_affine_constant(scope, c));
    if (v->op == RF_OP_REM)
        return isl_pw_aff_tdiv_r(a, rf_affine_constant(scope, c));
    if (v->op == RF_OP_BIT_AND)
        return isl_pw_aff_mod_val(a, isl_val_int_from_si(ctx, c + 1));
    return isl_pw_aff_floor(
        isl_pw_aff_scale_down_val(a, rf_power_of_two(ctx, (unsigned)c)));
}

/* 1 where "v" is true, else 0. */
static isl_pw_aff *truth_value(rf_scope *scope, unsigned tag, const rf_val *v)
{
    isl_set *set = rf_condition_set(scope, tag, v, false);
    return isl_set_indicator_function(set);
}

static isl_pw_aff *select_value(rf_scope *scope, unsigned tag, const rf_val *v)
{
    return isl_pw_aff_cond(truth_value(scope, tag, v->arg[0]),
                           rf_affine_value(scope, tag, v->arg[1]),
                           rf_affine_value(scope, tag, v->arg[2]));
}

static isl_pw_aff *extremum(rf_scope *scope, unsigned tag, const rf_val *v)
{
    static const char *const greatest[] = { "max", "umax", "llmax", "ullmax" };
    static const char *const least[] = { "min", "umin", "llmin", "ullmin" };
    for (size_t i = 0; i < RF_COUNTOF(greatest) && v->n == 2; i++) {
        bool is_max = !strcmp(v->name, greatest[i]);
        if (!is_max && strcmp(v->name, least[i]))
            continue;
        if (!rf_type_same(v->arg[0]->type, v->type) ||
            !rf_type_same(v->arg[1]->type, v->type))
            return NULL;
        isl_pw_aff *a = rf_affine_value(scope, tag, v->arg[0]);
        isl_pw_aff *b = rf_affine_value(scope, tag, v->arg[1]);
        return is_max ? isl_pw_aff_max(a, b) : isl_pw_aff_min(a, b);
    }
    return NULL;
}

/* What isl can say about leaf "s", or NULL. */
static isl_pw_aff *definition(rf_scope *scope, const rf_symbol *s)
{
    const rf_val *v = s->val;
    if (!v || !rf_type_is_integer(v->type))
        return NULL;
    if (v->kind == RF_VAL_CALL)
        return extremum(scope, s->tag, v);
    if (v->kind == RF_VAL_CAST)
        return v->type->kind == RF_TYPE_BOOL
                   ? truth_value(scope, s->tag, v->arg[0])
                   : wrap_value(scope, s);
    if (v->kind != RF_VAL_OP)
        return NULL;
    switch (v->op) {
    case RF_OP_SELECT:
        return select_value(scope, s->tag, v);
    case RF_OP_DIV:
    case RF_OP_REM:
    case RF_OP_SHR:
    case RF_OP_BIT_AND:
        return quotient(scope, s->tag, v);
    case RF_OP_AND:
    case RF_OP_OR:
    case RF_OP_NOT:
        return truth_value(scope, s->tag, v);
    default:
        return rf_op_is_relation(v->op) ? truth_value(scope, s->tag, v)
                                        : wrap_value(scope, s);
    }
}

static isl_pw_aff *symbol_value(rf_scope *scope, const rf_symbol *s)
{
    isl_pw_aff *p = s->n || s->builtin ? NULL : definition(scope, s);
    return p ? p : rf_symbol_parameter(scope, s);
}
