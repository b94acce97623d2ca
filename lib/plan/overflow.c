/* Ratios subtract values that the source never subtracts: exp(c * (m_old - m))
 * with the first m_old = INT_MIN. Elements bound x - m, nothing bounds
 * m_old - m; so signed arithmetic on old values is done in 64 bits, where all
 * values are of 32 bits at most. */
#include "plan/derive.h"

static bool has_old(const rf_deriver *d, const rf_val *v)
{
    const rf_plan *plan = d->p->plan;
    for (size_t i = 0; i < plan->members.len; i++)
        if (rf_val_mentions(
                v, rf_val_entry(d->vals, plan->members.data[i]->old_var)))
            return true;
    return false;
}

static bool is_arithmetic(const rf_val *v)
{
    return v->kind == RF_VAL_OP && v->type->kind == RF_TYPE_INT &&
           (v->op == RF_OP_ADD || v->op == RF_OP_SUB || v->op == RF_OP_MUL ||
            v->op == RF_OP_NEG);
}

static const rf_val *
with_args(rf_deriver *d, const rf_val *v, const rf_type *type,
          const rf_val *(*map)(rf_deriver *, const rf_val *))
{
    rf_val proto = *v;
    const rf_val **args = RF_NEW_ARRAY(d->p->arena, v->n, const rf_val *);
    for (unsigned i = 0; i < v->n; i++) {
        args[i] = map(d, v->arg[i]);
        if (!args[i])
            return NULL;
    }
    proto.type = type;
    proto.arg = args;
    return rf_val_make(d->vals, &proto);
}

/* Integer "v" in 64 bits. */
static const rf_val *in_64_bits(rf_deriver *d, const rf_val *v)
{
    if (is_arithmetic(v))
        return with_args(d, v, &rf_type_long_long, in_64_bits);
    if (v->type->kind == RF_TYPE_INT && v->type->bits == 64)
        return NULL;
    return rf_val_cast(d->vals, &rf_type_long_long, v, NULL);
}

const rf_val *rf_derive_widen(rf_deriver *d, const rf_val *v)
{
    if (!has_old(d, v))
        return v;
    if (is_arithmetic(v) && !v->type->is_unsigned) {
        const rf_val *wide = in_64_bits(d, v);
        if (!wide)
            rf_derive_explain(d, RF_DIAG_ERROR, RF_NOWHERE,
                              "the difference of two integers may overflow");
        return wide;
    }
    return v->n ? with_args(d, v, v->type, rf_derive_widen) : v;
}
