/* Values as polynomials in symbols.
 *
 * C integers become integers. Signed arithmetic that overflows is undefined,
 * so its polynomial is exact; unsigned arithmetic and narrowing casts keep
 * only v = polynomial (mod 2^bits), until a range is proven. */
#include "depend/inside.h"

#include <string.h>

enum { MAX_TERMS = 64 };

static rf_form bad(void)
{
    return (rf_form){ .ok = false };
}

rf_form rf_form_constant(rf_scope *scope, int64_t value)
{
    rf_form f = { .ok = true, .exact = true, .bits = 64 };
    f.term = RF_NEW(scope->arena, rf_term);
    f.n = value != 0;
    f.term[0].coef = value;
    return f;
}

static rf_form leaf(rf_scope *scope, unsigned tag, const rf_val *v)
{
    rf_form f = rf_form_constant(scope, 1);
    f.term[0].n = 1;
    f.term[0].factor[0] = rf_symbol_of(scope, tag, v);
    return f;
}

/* ---- arithmetic ---- */

static bool same_product(const rf_term *a, const rf_term *b)
{
    return a->n == b->n &&
           !memcmp(a->factor, b->factor, a->n * sizeof *a->factor);
}

/* Add "term" to "f", which has room; false on overflow. */
static bool term_add(rf_form *f, rf_term term)
{
    for (unsigned i = 0; i < f->n; i++) {
        if (!same_product(&f->term[i], &term))
            continue;
        if (__builtin_add_overflow(f->term[i].coef, term.coef,
                                   &f->term[i].coef))
            return false;
        if (!f->term[i].coef)
            f->term[i] = f->term[--f->n];
        return true;
    }
    if (f->n == MAX_TERMS)
        return false;
    if (term.coef)
        f->term[f->n++] = term;
    return true;
}

static rf_form sum_of_nothing(rf_scope *scope, const rf_form *a,
                              const rf_form *b)
{
    rf_form f = { .ok = true, .exact = a->exact && b->exact };
    f.bits = a->bits < b->bits ? a->bits : b->bits;
    f.term = RF_NEW_ARRAY(scope->arena, MAX_TERMS, rf_term);
    return f;
}

/* The modulus of a result counts only inexact operands. */
static unsigned modulus(const rf_form *a, const rf_form *b)
{
    unsigned x = a->exact ? 64 : a->bits, y = b->exact ? 64 : b->bits;
    return x < y ? x : y;
}

rf_form rf_form_add(rf_scope *scope, rf_form a, rf_form b, int64_t factor)
{
    if (!a.ok || !b.ok)
        return bad();
    rf_form f = sum_of_nothing(scope, &a, &b);
    f.bits = modulus(&a, &b);
    for (unsigned i = 0; i < a.n; i++)
        f.ok &= term_add(&f, a.term[i]);
    for (unsigned i = 0; i < b.n; i++) {
        rf_term t = b.term[i];
        f.ok &= !__builtin_mul_overflow(t.coef, factor, &t.coef);
        f.ok = f.ok && term_add(&f, t);
    }
    return f;
}

/* The product of two terms, its factors sorted; false if it is too large. */
static bool term_multiply(const rf_term *a, const rf_term *b, rf_term *r)
{
    *r = (rf_term){ .n = a->n + b->n };
    if (r->n > RF_MAX_FACTORS ||
        __builtin_mul_overflow(a->coef, b->coef, &r->coef))
        return false;
    for (unsigned i = 0, j = 0, k = 0; k < r->n; k++) {
        bool left =
            j == b->n || (i < a->n && a->factor[i]->id <= b->factor[j]->id);
        r->factor[k] = left ? a->factor[i++] : b->factor[j++];
    }
    return true;
}

rf_form rf_form_multiply(rf_scope *scope, rf_form a, rf_form b)
{
    if (!a.ok || !b.ok)
        return bad();
    rf_form f = sum_of_nothing(scope, &a, &b);
    f.bits = modulus(&a, &b);
    for (unsigned i = 0; i < a.n && f.ok; i++)
        for (unsigned j = 0; j < b.n && f.ok; j++) {
            rf_term t;
            f.ok = term_multiply(&a.term[i], &b.term[j], &t) && term_add(&f, t);
        }
    return f;
}

bool rf_form_is_nonlinear(const rf_form *form)
{
    for (unsigned i = 0; i < form->n; i++)
        for (unsigned j = 0; j < form->term[i].n; j++)
            if (form->term[i].n > 1 && form->term[i].factor[j]->tag)
                return true;
    return false;
}

/* ---- values ---- */

/* True if all values of "from" are values of "to". */
static bool type_contains(const rf_type *to, const rf_type *from)
{
    unsigned t = rf_type_bits(to), f = rf_type_bits(from);
    bool from_signed = from->kind == RF_TYPE_INT && !from->is_unsigned;
    if (to->is_unsigned || to->kind == RF_TYPE_BOOL)
        return !from_signed && t >= f;
    return from_signed ? t >= f : t > f;
}

/* True if "f", which is the exact value of "v", is provably a value of "to". */
static bool fits(rf_scope *scope, const rf_form *f, const rf_val *v,
                 const rf_type *to)
{
    if (type_contains(to, v->type) || scope->depend->no_wrap)
        return true;
    if (rf_form_is_nonlinear(f))
        return false;
    isl_pw_aff *value = rf_affine_of(scope, f);
    return rf_scope_implies(scope, rf_affine_in_type(scope, value, to));
}

/* The conversion of "v" to "to". */
static rf_form converted(rf_scope *scope, unsigned tag, const rf_val *v,
                         const rf_type *to)
{
    if (!rf_type_is_integer(v->type))
        return bad();
    rf_form f = rf_depend_form_of(scope, tag, v);
    if (rf_type_same(v->type, to))
        return f;
    if (f.ok && !f.exact && f.bits < rf_type_bits(to))
        f = rf_form_exact(scope, tag, v);
    if (!f.ok || (f.exact && fits(scope, &f, v, to)))
        return f;
    f.exact = false;
    f.bits = rf_type_bits(to);
    return f;
}

static rf_form constant_of(rf_scope *scope, unsigned tag, const rf_val *v)
{
    int64_t value;
    if (!rf_val_is_int(v, &value) || (v->type->is_unsigned && value < 0))
        return leaf(scope, tag, v);
    return rf_form_constant(scope, value);
}

/* a << n for a constant n. */
static rf_form shifted(rf_scope *scope, unsigned tag, const rf_val *v)
{
    int64_t n;
    rf_form a = converted(scope, tag, v->arg[0], v->type);
    if (!rf_val_is_int(v->arg[1], &n) || n < 0 || n > 30)
        return bad();
    return rf_form_multiply(scope, a, rf_form_constant(scope, (int64_t)1 << n));
}

static rf_form arithmetic(rf_scope *scope, unsigned tag, const rf_val *v)
{
    if (v->op == RF_OP_SHL)
        return shifted(scope, tag, v);
    rf_form a = converted(scope, tag, v->arg[0], v->type), b = a;
    if (v->n == 2)
        b = converted(scope, tag, v->arg[1], v->type);
    switch (v->op) {
    case RF_OP_ADD:
        return rf_form_add(scope, a, b, 1);
    case RF_OP_SUB:
        return rf_form_add(scope, a, b, -1);
    case RF_OP_MUL:
        return rf_form_multiply(scope, a, b);
    case RF_OP_NEG:
        return rf_form_add(scope, rf_form_constant(scope, 0), a, -1);
    default:
        return a;
    }
}

static bool is_arithmetic(const rf_val *v)
{
    if (v->kind != RF_VAL_OP || v->type->kind != RF_TYPE_INT)
        return false;
    return v->op == RF_OP_ADD || v->op == RF_OP_SUB || v->op == RF_OP_MUL ||
           v->op == RF_OP_NEG || v->op == RF_OP_PLUS || v->op == RF_OP_SHL;
}

rf_form rf_depend_form_of(rf_scope *scope, unsigned tag, const rf_val *v)
{
    if (!rf_type_is_integer(v->type))
        return bad();
    if (v->kind == RF_VAL_CONST)
        return constant_of(scope, tag, v);
    rf_form f = bad();
    if (is_arithmetic(v)) {
        f = arithmetic(scope, tag, v);
        if (f.ok && v->type->is_unsigned && !scope->depend->no_wrap)
            f.exact = false;
        if (f.ok && !f.exact && f.bits > rf_type_bits(v->type))
            f.bits = rf_type_bits(v->type);
    } else if (v->kind == RF_VAL_CAST && v->type->kind == RF_TYPE_INT) {
        f = converted(scope, tag, v->arg[0], v->type);
    }
    return f.ok ? f : leaf(scope, tag, v);
}

rf_form rf_form_exact(rf_scope *scope, unsigned tag, const rf_val *v)
{
    rf_form f = rf_depend_form_of(scope, tag, v);
    if (!f.ok || f.exact)
        return f;
    isl_pw_aff *value = rf_affine_of(scope, &f);
    if (rf_scope_implies(scope, rf_affine_in_type(scope, value, v->type)))
        f.exact = true;
    return f.exact ? f : leaf(scope, tag, v);
}
