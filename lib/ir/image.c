/* Loops whose test is on an image of the counter:
 *
 *     for (p = a; c + k * p < n; p++)
 *
 * visits i = c + k * a, i + k, i + 2 k, ... below n, and p = a + (i - c - k a)
 * / k. As `for (i = c + k * a; i < n; i += k)` it is a loop like others; k must
 * be positive, as a loop that ends has it. */
#include "ir/tracing.h"

/* "v" = out->offset + out->factor * phi, in "type" throughout. */
static bool split(rf_tracer *tr, const rf_val *v, const rf_val *phi,
                  const rf_type *type, rf_image *out)
{
    v = rf_val_without_int_casts(v);
    if (v == phi) {
        out->offset = rf_val_int(tr->vals, 0, type);
        out->factor = rf_val_int(tr->vals, 1, type);
        return true;
    }
    if (v->kind != RF_VAL_OP || v->n != 2 ||
        (v->op != RF_OP_ADD && v->op != RF_OP_SUB && v->op != RF_OP_MUL))
        return false;
    unsigned moves = rf_val_mentions(v->arg[0], phi) ? 0 : 1;
    if (rf_val_mentions(v->arg[1 - moves], phi) ||
        (v->op == RF_OP_SUB && moves == 1) ||
        !split(tr, v->arg[moves], phi, type, out))
        return false;
    const rf_val *rest = rf_usual_cast(tr, v->arg[1 - moves], type);
    out->offset = rf_val_op2(tr->vals, v->op, type, out->offset, rest);
    if (v->op == RF_OP_MUL)
        out->factor = rf_val_op2(tr->vals, v->op, type, out->factor, rest);
    return true;
}

bool rf_split_image(rf_tracer *tr, const rf_val *side, const rf_val *phi,
                    rf_image *out)
{
    int64_t k;
    return side->type && side->type->kind == RF_TYPE_INT && side != phi &&
           split(tr, side, phi, side->type, out) &&
           (!rf_val_is_int(out->factor, &k) || k > 0);
}
