/* Loops whose test is on an image of the counter:
 *
 *     for (p = a; c + k * p < n; p += s)
 *
 * visits i = c + k * a, i + k s, i + 2 k s, ... below n, and p = a + (i - c -
 * k a) / (k s) * s. As `for (i = c + k * a; i < n; i += k * s)` it is a loop
 * like others. A number k may be negative, as in `n - 1 - p >= 0`, where i has
 * a sign; another k is positive, as a loop that ends has it. */
#include "ir/tracing.h"

/* 2^c of `x << c`, or NULL. */
static const rf_val *power(rf_tracer *tr, const rf_val *c, const rf_type *type)
{
    int64_t n;
    return rf_val_is_int(c, &n) && n >= 0 && n < 31
               ? rf_val_int(tr->vals, (int64_t)1 << n, type)
               : NULL;
}

static bool is_linear(rf_op op)
{
    return op == RF_OP_ADD || op == RF_OP_SUB || op == RF_OP_MUL ||
           op == RF_OP_SHL;
}

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
    if (v->kind != RF_VAL_OP || v->n != 2 || !is_linear(v->op))
        return false;
    unsigned moves = rf_val_mentions(v->arg[0], phi) ? 0 : 1;
    if (rf_val_mentions(v->arg[1 - moves], phi) ||
        !split(tr, v->arg[moves], phi, type, out))
        return false;
    const rf_val *rest = rf_usual_cast(tr, v->arg[1 - moves], type);
    rf_op op = v->op;
    if (op == RF_OP_SHL) {
        rest = moves == 0 ? power(tr, v->arg[1], type) : NULL;
        op = RF_OP_MUL;
    }
    if (!rest)
        return false;
    bool turns = op == RF_OP_SUB && moves == 1;
    out->offset = rf_val_op2(tr->vals, op, type, turns ? rest : out->offset,
                             turns ? out->offset : rest);
    if (turns)
        rest = rf_val_int(tr->vals, -1, type);
    if (op == RF_OP_MUL || turns)
        out->factor = rf_val_op2(tr->vals, RF_OP_MUL, type, out->factor, rest);
    return true;
}

bool rf_split_image(rf_tracer *tr, const rf_val *side, const rf_val *phi,
                    rf_image *out)
{
    int64_t k;
    return side->type && side->type->kind == RF_TYPE_INT && side != phi &&
           split(tr, side, phi, side->type, out) &&
           (!rf_val_is_int(out->factor, &k) || k > 0 ||
            (k < 0 && !side->type->is_unsigned));
}
