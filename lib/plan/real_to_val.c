/* From real expressions to C (rf_real_to_val).
 *
 *     a + (-1)*b     a - b          x * y^-1    x / y
 *     x^(1/2)        sqrt(x)        x^(-1/2)    rsqrt(x)
 *     e^x            the exp function that the source uses */
#include "plan/reals.h"

#include <stdlib.h>

static const rf_val *number(rf_reals *r, int64_t num, int64_t den,
                            const rf_type *type)
{
    bool is_open = type->kind == RF_TYPE_DEPENDENT;
    if (is_open && den == 1)
        return rf_val_cast(r->vals, type,
                           rf_val_int(r->vals, num, &rf_type_int), NULL);
    if (type->kind != RF_TYPE_FLOAT && !is_open)
        return rf_val_int(r->vals, num / den, type);
    const rf_type *t = is_open ? &rf_type_f64 : type;
    rf_expr *e = rf_expr_new(r->arena, RF_OP_FLOAT, t, 0, NULL);
    e->value.f = (double)num / (double)den;
    return rf_val_cast(r->vals, type, rf_val_const(r->vals, e), NULL);
}

static const rf_val *op2(rf_reals *r, rf_op op, const rf_type *type,
                         const rf_val *a, const rf_val *b)
{
    return a && b ? rf_val_op2(r->vals, op, type, a, b) : NULL;
}

/* The expression without a leading minus; *negative tells whether it had. */
static const rf_sym *unsigned_part(rf_reals *r, const rf_sym *e, bool *negative)
{
    *negative = (e->kind == RF_SYM_RAT && e->num < 0) ||
                (e->kind == RF_SYM_MUL && e->arg[0]->kind == RF_SYM_RAT &&
                 e->arg[0]->num < 0);
    return *negative ? rf_sym_neg(r->syms, e) : e;
}

static const rf_val *sum(rf_reals *r, const rf_sym *e, const rf_type *type)
{
    const rf_val *v = NULL;
    for (int want = 0; want < 3; want++) /* a + b, then + 1, then - c */
        for (unsigned i = 0; i < e->n; i++) {
            bool negative;
            const rf_sym *part = unsigned_part(r, e->arg[i], &negative);
            int rank = negative ? 2 : part->kind == RF_SYM_RAT;
            if (rank != want)
                continue;
            const rf_val *a = rf_real_to_val(r, part, type);
            if (!a)
                return NULL;
            if (!v && negative)
                v = rf_val_op(r->vals, RF_OP_NEG, type, 1, &a, NULL);
            else
                v = v ? op2(r, negative ? RF_OP_SUB : RF_OP_ADD, type, v, a)
                      : a;
        }
    return v;
}

static bool is_reciprocal(const rf_sym *e)
{
    return e->kind == RF_SYM_POW && e->arg[1]->kind == RF_SYM_RAT &&
           e->arg[1]->num < 0;
}

static bool is_small(const rf_sym *n)
{
    return n->kind == RF_SYM_RAT && n->den == 1 && n->num >= 1 && n->num <= 4;
}

/* v * x * x .. x for "e" = x^n, v * e for any other "e". A small "v" comes
 * first: 0 * x * x * x is 0 where x * x * x is infinite. */
static const rf_val *times(rf_reals *r, const rf_val *v, const rf_sym *e,
                           const rf_type *type)
{
    int64_t n = 1;
    if (e->kind == RF_SYM_POW && is_small(e->arg[1]))
        n = e->arg[1]->num;
    e = n > 1 ? e->arg[0] : e;
    const rf_val *a = rf_real_to_val(r, e, type);
    while (n-- > 0)
        v = op2(r, RF_OP_MUL, type, v, a);
    return v;
}

static const rf_val *product(rf_reals *r, const rf_sym *e, const rf_type *type)
{
    const rf_val *top = NULL, *bottom = NULL, *weight = NULL;
    const rf_sym *by = NULL;
    for (unsigned i = 0; i < e->n; i++) {
        const rf_sym *f = e->arg[i];
        bool below = is_reciprocal(f);
        if (below)
            f = rf_sym_pow(
                r->syms, f->arg[0],
                rf_sym_rat(r->syms, -f->arg[1]->num, f->arg[1]->den));
        const rf_val *a = rf_real_to_val(r, f, type);
        if (!a)
            return NULL;
        if (!below && f->kind == RF_SYM_ATOM && !weight) {
            weight = a;
            by = f;
        }
        const rf_val **side = below ? &bottom : &top;
        *side = *side ? op2(r, RF_OP_MUL, type, *side, a) : a;
    }
    if (weight && bottom && weight != top) { /* w / W * x: exact when w = W */
        const rf_val *v = op2(r, RF_OP_DIV, type, weight, bottom);
        for (unsigned i = 0; i < e->n; i++)
            if (e->arg[i] != by && !is_reciprocal(e->arg[i]))
                v = times(r, v, e->arg[i], type);
        return v;
    }
    if (!top)
        top = number(r, 1, 1, type);
    return bottom ? op2(r, RF_OP_DIV, type, top, bottom) : top;
}

static const rf_val *call(rf_reals *r, const char *single, const char *twice,
                          const rf_type *type, unsigned n,
                          const rf_val *const *args)
{
    for (unsigned i = 0; i < n; i++)
        if (!args[i])
            return NULL;
    bool is_double = type->kind == RF_TYPE_DEPENDENT || /* has overloads */
                     (type->kind == RF_TYPE_FLOAT && type->format == RF_F64);
    return rf_val_make(r->vals, &(rf_val){ .kind = RF_VAL_CALL,
                                           .type = type,
                                           .name = is_double ? twice : single,
                                           .n = n,
                                           .arg = args });
}

static const rf_val *power(rf_reals *r, const rf_sym *e, const rf_type *type)
{
    const rf_sym *x = e->arg[1];
    const rf_val *base = rf_real_to_val(r, e->arg[0], type);
    if (!base)
        return NULL;
    if (x->kind == RF_SYM_RAT && x->den == 2 && x->num == 1)
        return call(r, "sqrtf", "sqrt", type, 1, &base);
    if (x->kind == RF_SYM_RAT && x->den == 2 && x->num == -1)
        return call(r, "rsqrtf", "rsqrt", type, 1, &base);
    if (x->kind == RF_SYM_RAT && x->den == 1 && llabs(x->num) <= 4) {
        const rf_val *v = base;
        for (int64_t i = 1; i < llabs(x->num); i++)
            v = op2(r, RF_OP_MUL, type, v, base);
        return x->num < 0 ? op2(r, RF_OP_DIV, type, number(r, 1, 1, type), v)
                          : v;
    }
    const rf_val *args[] = { base, rf_real_to_val(r, x, type) };
    return call(r, "powf", "pow", type, 2, args);
}

static const rf_val *exponential(rf_reals *r, const rf_sym *e,
                                 const rf_type *type)
{
    static const char *const single[] = { "expf", "exp2f", "exp10f" };
    static const char *const twice[] = { "exp", "exp2", "exp10" };
    unsigned slot = e->base == 0 ? 0 : e->base == 2 ? 1 : 2;
    const rf_val *seen = r->exp_call[slot];
    const rf_type *t = seen && seen->type ? seen->type : type;
    const rf_type *in = seen ? seen->arg[0]->type : type;
    const rf_val *a = rf_real_to_val(r, e->arg[0], in ? in : t);
    if (!a)
        return NULL;
    if (!seen)
        return call(r, single[slot], twice[slot], t, 1, &a);
    return call(r, seen->name, seen->name, t, 1, &a);
}

static bool is_integer(const rf_sym *e)
{
    if (e->kind == RF_SYM_ATOM) {
        const rf_val *key = e->atom->key;
        return key->type && key->type->kind == RF_TYPE_INT;
    }
    bool all = e->kind == RF_SYM_ADD ||
               (e->kind == RF_SYM_MUL && e->arg[0]->kind == RF_SYM_RAT) ||
               (e->kind == RF_SYM_RAT && e->den == 1);
    for (unsigned i = 0; i < e->n; i++)
        all = all && is_integer(e->arg[i]);
    return all;
}

static bool is_real(const rf_type *t)
{
    return t->kind == RF_TYPE_FLOAT || t->kind == RF_TYPE_DEPENDENT;
}

/* A leaf in the type of the expression around it, where that is wider. */
static const rf_val *leaf(rf_reals *r, const rf_val *v, const rf_type *type)
{
    const rf_type *from = v->type; /* NULL: not known */
    bool wider =
        from && from->kind == type->kind &&
        ((type->kind == RF_TYPE_FLOAT && type->format <= RF_F64 &&
          from->format != RF_F64 && from->format != type->format) ||
         (type->kind == RF_TYPE_INT && type->bits == 64 && from->bits < 64));
    return wider ? rf_val_cast(r->vals, type, v, NULL) : v;
}

static const rf_val *nary(rf_reals *r, const rf_sym *e, const rf_type *type)
{
    bool max = e->kind == RF_SYM_MAX;
    const rf_val *v = rf_real_to_val(r, e->arg[0], type);
    for (unsigned i = 1; i < e->n && v; i++) {
        const rf_val *args[] = { v, rf_real_to_val(r, e->arg[i], type) };
        v = call(r, max ? "fmaxf" : "fminf", max ? "fmax" : "fmin", type, 2,
                 args);
    }
    return v;
}

const rf_val *rf_real_to_val(rf_reals *r, const rf_sym *e, const rf_type *type)
{
    const rf_val *a;
    switch (e->kind) {
    case RF_SYM_RAT:
        return number(r, e->num, e->den, type);
    case RF_SYM_ATOM:
        return leaf(r, e->atom->key, type);
    case RF_SYM_ADD:
        if (is_real(type) && is_integer(e)) {
            a = sum(r, e, &rf_type_long_long); /* exact */
            return a ? rf_val_cast(r->vals, type, a, NULL) : NULL;
        }
        return sum(r, e, type);
    case RF_SYM_MUL: {
        bool negative;
        const rf_sym *part = unsigned_part(r, e, &negative);
        if (!negative)
            return product(r, e, type);
        a = rf_real_to_val(r, part, type);
        return a ? rf_val_op(r->vals, RF_OP_NEG, type, 1, &a, NULL) : NULL;
    }
    case RF_SYM_POW:
        return power(r, e, type);
    case RF_SYM_EXP:
        return exponential(r, e, type);
    case RF_SYM_LOG:
        a = rf_real_to_val(r, e->arg[0], type);
        return call(r, "logf", "log", type, 1, &a);
    case RF_SYM_ABS:
        a = rf_real_to_val(r, e->arg[0], type);
        return call(r, "fabsf", "fabs", type, 1, &a);
    case RF_SYM_MAX:
    case RF_SYM_MIN:
        return nary(r, e, type);
    default:
        return NULL;
    }
}
