/* What passes through shared memory on its way to a product: the largest parts
 * of its term that vary with the axis and with the rows or the columns, not
 * with both,
 *
 *     C[m,n] = SUM_k A[m,k] B[k,n]        A over (m, k), B over (k, n)
 *
 * so that a block reads each element of its tiles once. On tensor cores a term
 * is the product of one such value of 16 bits and another, and the sum has 32
 * bits: the products are exact, the sums come in another order. */
#include "plan/chaining.h"

#include <string.h>

bool rf_chain_varies_with_row(const rf_chain *ch, const rf_val *v)
{
    for (size_t i = 0; i < ch->folded.len; i++)
        if (rf_chain_varies(v, ch->folded.data[i]))
            return true;
    return rf_chain_varies(v, ch->m);
}

bool rf_chain_counts_up(const rf_loop *l)
{
    int64_t lower, step;
    return rf_val_is_int(l->lower, &lower) && lower == 0 &&
           rf_val_is_int(l->step, &step) && step == 1 && !l->is_inclusive &&
           !l->at_least_once;
}

/* ---- 16 bits ---- */

static bool is_narrow(const rf_type *t)
{
    return t->kind == RF_TYPE_FLOAT &&
           (t->format == RF_F16 || t->format == RF_BF16);
}

/* "v" before its conversion from 16 bits to more; else "v". */
static const rf_val *narrowest(const rf_val *v)
{
    bool widens =
        v->kind == RF_VAL_CAST || (v->kind == RF_VAL_CALL && v->n == 1 &&
                                   (!strcmp(v->name, "__half2float") ||
                                    !strcmp(v->name, "__bfloat162float")));
    bool wide = v->type->kind == RF_TYPE_FLOAT &&
                (v->type->format == RF_F32 || v->type->format == RF_F64);
    return widens && wide && is_narrow(v->arg[0]->type) ? v->arg[0] : v;
}

const rf_val *rf_chain_kept_as(const rf_chain *ch, const rf_chain_tiles *t,
                               size_t i)
{
    const rf_val *v = ch->kept.data[i];
    return t->tensor_second ? narrowest(v) : v;
}

/* ---- the parts of a term ---- */

static bool is_kept(const rf_chain *ch, const rf_val *v)
{
    for (size_t i = 0; i < ch->kept.len; i++)
        if (ch->kept.data[i] == v)
            return true;
    return false;
}

static bool add_operand(rf_chain_operands *out, const rf_val *v, bool of_rows)
{
    v = narrowest(v);
    for (unsigned i = 0; i < out->n; i++)
        if (out->list[i].value == v)
            return true;
    if (out->n == RF_CHAIN_OPERANDS)
        return false;
    out->list[out->n++] = (rf_chain_operand){ .value = v, .of_rows = of_rows };
    return true;
}

/* False: a load of "v" belongs to neither side. */
static bool collect(const rf_chain *ch, const rf_val *v, const rf_loop *axis,
                    const rf_loop *column, rf_chain_operands *out)
{
    if (is_kept(ch, v) || !rf_val_first_load(v))
        return true;
    bool rows = rf_chain_varies_with_row(ch, v);
    bool columns = rf_chain_varies(v, column);
    if (rf_chain_varies(v, axis) && rows != columns)
        return add_operand(out, v, rows);
    if (v->kind != RF_VAL_OP && v->kind != RF_VAL_CAST &&
        v->kind != RF_VAL_CALL)
        return false;
    for (unsigned i = 0; i < v->n; i++)
        if (!collect(ch, v->arg[i], axis, column, out))
            return false;
    return true;
}

static bool is_plain(const rf_red *red, const rf_loop *axis)
{
    return red->axis == axis && !red->guard && !red->path &&
           !rf_chain_inner(red) && rf_chain_counts_up(axis);
}

bool rf_chain_operands_of(const rf_chain *ch, bool second,
                          rf_chain_operands *out)
{
    *out = (rf_chain_operands){ 0 };
    if (ch->rows != RF_ROWS_LOOP)
        return false;
    if (second)
        return is_plain(ch->second, ch->n) &&
               collect(ch, ch->second->term, ch->n, ch->l, out) && out->n;
    for (size_t i = 0; i < ch->firsts.len; i++) {
        const rf_red *c = ch->firsts.data[i];
        if (!is_plain(c, ch->k) || !collect(ch, c->term, ch->k, ch->n, out))
            return false;
    }
    return out->n > 0;
}

/* ---- tensor cores ---- */

/* term = row * column, or column * row; both of one type of 16 bits. */
static bool is_tensor_term(const rf_chain *ch, const rf_val *term,
                           const rf_loop *column, const rf_val **row,
                           const rf_val **other)
{
    if (term->kind != RF_VAL_OP || term->op != RF_OP_MUL)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const rf_val *a = narrowest(term->arg[i]);
        const rf_val *b = narrowest(term->arg[1 - i]);
        if (!is_narrow(a->type) || !rf_type_same(a->type, b->type) ||
            rf_chain_varies(a, column) || rf_chain_varies_with_row(ch, b))
            continue;
        *row = a;
        *other = b;
        return rf_chain_varies(b, column) && rf_val_first_load(b);
    }
    return false;
}

static bool is_float(const rf_red *red)
{
    return red->type->kind == RF_TYPE_FLOAT && red->type->format == RF_F32 &&
           red->term->type->kind == RF_TYPE_FLOAT &&
           red->term->type->format == RF_F32;
}

bool rf_chain_fits_tensor(const rf_chain *ch, bool second)
{
    rf_chain_operands ops;
    const rf_val *a, *b;
    if (!rf_chain_operands_of(ch, second, &ops))
        return false;
    if (second)
        return ch->kept.len == 1 && ops.n == 1 && is_float(ch->second) &&
               is_tensor_term(ch, ch->second->term, ch->l, &a, &b) &&
               a == narrowest(ch->kept.data[0]) && b == ops.list[0].value;
    for (size_t i = 0; i < ch->firsts.len; i++) {
        const rf_red *c = ch->firsts.data[i];
        if (!is_float(c) || !is_tensor_term(ch, c->term, ch->n, &a, &b) ||
            !rf_val_first_load(a) || !rf_chain_varies_with_row(ch, a))
            return false;
    }
    return true;
}

/* ---- the memory they take ---- */

int rf_chain_operand_width(const rf_chain_tiles *t, const rf_chain_operand *op,
                           bool second)
{
    bool tensor = second ? t->tensor_second : t->tensor_first;
    int columns = op->of_rows ? t->k : second ? t->l : t->n;
    return columns + (tensor ? RF_CHAIN_PAD : 0);
}

int64_t rf_chain_operand_bytes(const rf_chain *ch, const rf_chain_tiles *t)
{
    int64_t bytes = 0;
    for (int second = 0; t->k && second < 2; second++) {
        rf_chain_operands ops;
        rf_chain_operands_of(ch, second, &ops);
        for (unsigned i = 0; i < ops.n; i++) {
            const rf_chain_operand *op = &ops.list[i];
            bytes += (int64_t)2 * (op->of_rows ? t->m : t->k) *
                     rf_chain_operand_width(t, op, second) *
                     rf_chain_type_bytes(op->value->type);
        }
    }
    return bytes;
}
