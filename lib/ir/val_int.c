/* Integers that come out simpler, with nothing lost:
 *
 *     2 + 3 = 5,  x + 0 = x,  x - x = 0,  (x + c) + d = x + (c + d)
 *     (i - i0) / k * k = i - i0,  i0 + (i - i0) = i,  i0 - (i0 - i) = i
 *
 * the last three for the counter i of `for (i = i0; ...; i += k)`. */
#include "ir/val.h"

/* Fold integer constants: the result of a op b if it fits the type. */
static bool fold(rf_op op, int64_t a, int64_t b, int64_t *r)
{
    switch (op) {
    case RF_OP_ADD:
        return !__builtin_add_overflow(a, b, r);
    case RF_OP_SUB:
        return !__builtin_sub_overflow(a, b, r);
    case RF_OP_MUL:
        return !__builtin_mul_overflow(a, b, r);
    case RF_OP_DIV:
        return b && b != -1 && (*r = a / b, true);
    case RF_OP_REM:
        return b && b != -1 && (*r = a % b, true);
    default:
        return false;
    }
}

bool rf_type_has_int(const rf_type *t, int64_t v)
{
    unsigned bits = t->bits ? t->bits : 32;
    if (bits >= 64)
        return !t->is_unsigned || v >= 0;
    int64_t high = (int64_t)1 << (t->is_unsigned ? bits : bits - 1);
    return v < high && v >= (t->is_unsigned ? 0 : -high);
}

/* a + 0 = 0 + a = a - 0 = a * 1 = 1 * a = a / 1 = a, a * 0 = 0 * a = 0, on
 * integers. */
static const rf_val *int_identity(rf_op op, const rf_type *type,
                                  const rf_val *a, const rf_val *b)
{
    int64_t x = 0, y = 0;
    bool ax = rf_val_is_int(a, &x), by = rf_val_is_int(b, &y);
    bool keep_a = by && rf_type_same(a->type, type);
    bool keep_b = ax && rf_type_same(b->type, type);
    if (keep_a && y == 0 && (op == RF_OP_ADD || op == RF_OP_SUB))
        return a;
    if (keep_b && x == 0 && op == RF_OP_ADD)
        return b;
    if (keep_a && y == 1 && (op == RF_OP_MUL || op == RF_OP_DIV))
        return a;
    if (keep_b && x == 1 && op == RF_OP_MUL)
        return b;
    if (by && y == 0 && op == RF_OP_MUL && rf_type_same(b->type, type))
        return b;
    if (ax && x == 0 && op == RF_OP_MUL && rf_type_same(a->type, type))
        return a;
    return NULL;
}

/* (c + x) + d = (c + d) + x, also with minus. */
static const rf_val *fold_number_before(rf_vals *vals, rf_op op,
                                        const rf_type *type, const rf_val *a,
                                        int64_t d)
{
    int64_t c, sum;
    if (a->op != RF_OP_ADD || !rf_val_is_int(a->arg[0], &c) ||
        rf_expr_is_named_number(a->arg[0]->expr) ||
        !rf_type_same(a->arg[1]->type, type) ||
        (op == RF_OP_ADD ? __builtin_add_overflow(c, d, &sum)
                         : __builtin_sub_overflow(c, d, &sum)) ||
        !rf_type_has_int(type, sum))
        return NULL;
    return rf_val_op2(vals, RF_OP_ADD, type, rf_val_int(vals, sum, type),
                      a->arg[1]);
}

/* (x + c) + d = x + (c + d), also with minus. */
static const rf_val *fold_offsets(rf_vals *vals, rf_op op, const rf_type *type,
                                  const rf_val *a, const rf_val *b)
{
    int64_t c, d, sum;
    if ((op != RF_OP_ADD && op != RF_OP_SUB) || !rf_val_is_int(b, &d) ||
        rf_expr_is_named_number(b->expr) || a->kind != RF_VAL_OP || a->n != 2 ||
        (a->op != RF_OP_ADD && a->op != RF_OP_SUB) ||
        !rf_type_same(a->type, type))
        return NULL;
    if (!rf_val_is_int(a->arg[1], &c))
        return fold_number_before(vals, op, type, a, d);
    if (rf_expr_is_named_number(a->arg[1]->expr) || c == INT64_MIN ||
        d == INT64_MIN)
        return NULL;
    c = a->op == RF_OP_SUB ? -c : c;
    d = op == RF_OP_SUB ? -d : d;
    if (__builtin_add_overflow(c, d, &sum) ||
        !rf_type_has_int(type, sum < 0 ? -sum : sum))
        return NULL;
    return rf_val_op2(vals, sum < 0 ? RF_OP_SUB : RF_OP_ADD, type, a->arg[0],
                      rf_val_int(vals, sum < 0 ? -sum : sum, type));
}

const rf_val *rf_val_without_int_casts(const rf_val *v)
{
    while (v->kind == RF_VAL_CAST && v->type->kind == RF_TYPE_INT &&
           v->arg[0]->type && v->arg[0]->type->kind == RF_TYPE_INT &&
           (v->type->bits >= 32 || v->type->bits >= v->arg[0]->type->bits))
        v = v->arg[0];
    return v;
}

static bool same_int(const rf_val *a, const rf_val *b)
{
    int64_t x, y;
    a = rf_val_without_int_casts(a);
    b = rf_val_without_int_casts(b);
    return a == b || (rf_val_is_int(a, &x) && rf_val_is_int(b, &y) && x == y);
}

/* i - i0 of a loop `for (i = i0; ...; i += k)`, which k divides; or NULL. */
static const rf_loop *counted(const rf_val *v)
{
    int64_t zero;
    if (v->kind == RF_VAL_INDEX)
        return rf_val_is_int(v->loop->lower, &zero) && !zero ? v->loop : NULL;
    bool is_difference = v->kind == RF_VAL_OP && v->op == RF_OP_SUB &&
                         v->arg[0]->kind == RF_VAL_INDEX &&
                         v->arg[1] == v->arg[0]->loop->lower;
    return is_difference ? v->arg[0]->loop : NULL;
}

/* x where "v" is x - a, the count of such a loop; or NULL. */
static const rf_val *added_back(const rf_val *v, const rf_val *a)
{
    v = rf_val_without_int_casts(v);
    bool cancels = v->kind == RF_VAL_OP && v->op == RF_OP_SUB && counted(v) &&
                   same_int(v->arg[1], a);
    return cancels ? v->arg[0] : NULL;
}

/* a + (x - a) = x;  (u + (x - a)) + a = u + x. */
static const rf_val *cancel_sum(rf_vals *vals, const rf_type *type,
                                const rf_val *v, const rf_val *a)
{
    const rf_val *x = added_back(v, a);
    if (x)
        return rf_val_cast(vals, type, x, NULL);
    x = v->kind == RF_VAL_OP && v->op == RF_OP_ADD && v->n == 2 &&
                rf_type_same(v->type, type)
            ? added_back(v->arg[1], a)
            : NULL;
    return x ? rf_val_op2(vals, RF_OP_ADD, type, v->arg[0],
                          rf_val_cast(vals, type, x, NULL))
             : NULL;
}

/* a - (a - x) = x for the counter x of `for (x = a; ...; x -= k)`. */
static const rf_val *cancel_difference(rf_vals *vals, const rf_type *type,
                                       const rf_val *a, const rf_val *v)
{
    v = rf_val_without_int_casts(v);
    bool cancels = v->kind == RF_VAL_OP && v->op == RF_OP_SUB &&
                   v->arg[1]->kind == RF_VAL_INDEX &&
                   v->arg[0] == v->arg[1]->loop->lower &&
                   same_int(v->arg[0], a);
    return cancels ? rf_val_cast(vals, type, v->arg[1], NULL) : NULL;
}

/* x where "v" is x / k, the number of steps of such a loop; or NULL. */
static const rf_val *multiplied_back(const rf_val *v, const rf_val *k)
{
    v = rf_val_without_int_casts(v);
    bool cancels =
        v->kind == RF_VAL_OP && v->op == RF_OP_DIV && counted(v->arg[0]) &&
        v->arg[1] == counted(v->arg[0])->step && same_int(v->arg[1], k);
    return cancels ? v->arg[0] : NULL;
}

/* x / k * k = x;  (u + x / k) * k = u * k + x. */
static const rf_val *cancel_product(rf_vals *vals, const rf_type *type,
                                    const rf_val *v, const rf_val *k)
{
    const rf_val *x = multiplied_back(v, k);
    if (x)
        return rf_val_cast(vals, type, x, NULL);
    x = v->kind == RF_VAL_OP && v->op == RF_OP_ADD && v->n == 2 &&
                rf_type_same(v->type, type)
            ? multiplied_back(v->arg[1], k)
            : NULL;
    return x ? rf_val_op2(vals, RF_OP_ADD, type,
                          rf_val_op2(vals, RF_OP_MUL, type, v->arg[0], k),
                          rf_val_cast(vals, type, x, NULL))
             : NULL;
}

static const rf_val *cancel(rf_vals *vals, rf_op op, const rf_type *type,
                            const rf_val *a, const rf_val *b)
{
    const rf_val *v = NULL;
    if (op == RF_OP_ADD)
        v = cancel_sum(vals, type, a, b);
    if (op == RF_OP_ADD && !v)
        v = cancel_sum(vals, type, b, a);
    if (op == RF_OP_SUB)
        v = cancel_difference(vals, type, a, b);
    if (op == RF_OP_MUL)
        v = cancel_product(vals, type, a, b);
    if (op == RF_OP_MUL && !v)
        v = cancel_product(vals, type, b, a);
    return v;
}

const rf_val *rf_val_int_simplify(rf_vals *vals, rf_op op, const rf_type *type,
                                  const rf_val *const *args)
{
    int64_t a, b, r = 0;
    if (type->kind != RF_TYPE_INT)
        return NULL;
    if (rf_val_is_int(args[0], &a) && rf_val_is_int(args[1], &b) &&
        fold(op, a, b, &r) && rf_type_has_int(type, r))
        return rf_val_int(vals, r, type);
    if (op == RF_OP_SUB && args[0] == args[1])
        return rf_val_int(vals, 0, type);
    const rf_val *folded = fold_offsets(vals, op, type, args[0], args[1]);
    if (!folded && op == RF_OP_ADD)
        folded = fold_offsets(vals, op, type, args[1], args[0]);
    folded = folded ? folded : cancel(vals, op, type, args[0], args[1]);
    return folded ? folded : int_identity(op, type, args[0], args[1]);
}
