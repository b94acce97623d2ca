/* Recognise updates: next = phi (+) term, whatever its spelling.
 *
 *     phi + t, t + phi, fma(a, b, phi), phi - t              SUM
 *     phi * t, phi / t                                       PRODUCT
 *     max(phi, t), t > phi ? t : phi, phi < t ? t : phi ...  MAX (MIN alike)
 *     phi && t, phi || t, phi & t, phi | t, phi ^ t          AND, OR ...
 *     c ? update : phi                                       guarded by c
 *     (phi + t) + u                                          SUM of t + u
 *     d(init: phi), the result of an inner loop              nested sums */
#include "ir/tracing.h"

static bool match(rf_tracer *tr, const rf_val *next, const rf_val *phi,
                  rf_match *out);

static bool mentions(const rf_val *v, const rf_val *phi)
{
    return rf_val_mentions(v, phi);
}

const rf_val *rf_strip_float_casts(const rf_val *v)
{
    while (v->kind == RF_VAL_CAST && v->type->kind == RF_TYPE_FLOAT &&
           v->arg[0]->type && v->arg[0]->type->kind == RF_TYPE_FLOAT &&
           v->type->format <= RF_F64 && v->arg[0]->type->format <= RF_F64)
        v = v->arg[0];
    return v;
}

static bool is_phi(const rf_val *v, const rf_val *phi)
{
    return rf_strip_float_casts(v) == phi;
}

/* out = (left (+) term): "left" is the part that holds phi. */
static bool extend(rf_tracer *tr, const rf_val *left, const rf_val *phi,
                   rf_reduce_op op, rf_op c_op, const rf_val *term,
                   rf_match *out)
{
    if (mentions(term, phi))
        return false;
    if (is_phi(left, phi)) {
        *out = (rf_match){ .op = op, .term = term };
        return true;
    }
    if (!match(tr, left, phi, out) || out->op != op || out->guard)
        return false;
    out->term = rf_val_op2(tr->vals, c_op, term->type, out->term, term);
    return true;
}

static const rf_val *negate(rf_tracer *tr, const rf_val *v)
{
    return rf_val_op(tr->vals, RF_OP_NEG, v->type, 1, &v, NULL);
}

static const rf_val *invert(rf_tracer *tr, const rf_val *v)
{
    const rf_val *one =
        rf_usual_cast(tr, rf_val_int(tr->vals, 1, &rf_type_int), v->type);
    return rf_val_op2(tr->vals, RF_OP_DIV, v->type, one, v);
}

static bool match_binary(rf_tracer *tr, const rf_val *next, const rf_val *phi,
                         rf_match *out)
{
    const rf_val *a = next->arg[0], *b = next->arg[1];
    if (next->op == RF_OP_SUB)
        return extend(tr, a, phi, RF_REDUCE_SUM, RF_OP_ADD, negate(tr, b), out);
    if (next->op == RF_OP_DIV && next->type->kind == RF_TYPE_FLOAT)
        return extend(tr, a, phi, RF_REDUCE_PRODUCT, RF_OP_MUL, invert(tr, b),
                      out);
    rf_reduce_op reduce;
    if (!rf_reduce_of_op(next->op, &reduce))
        return false;
    bool left = mentions(a, phi);
    return extend(tr, left ? a : b, phi, reduce, next->op, left ? b : a, out);
}

/* max(max(phi, t), u): the term is max(t, u) by the same function. */
static bool match_extremum(rf_tracer *tr, const rf_val *next, const rf_val *phi,
                           rf_reduce_op op, rf_match *out)
{
    if (next->n != 2)
        return false;
    bool left = mentions(next->arg[0], phi);
    const rf_val *with = next->arg[left ? 0 : 1];
    const rf_val *term = next->arg[left ? 1 : 0];
    if (mentions(term, phi))
        return false;
    if (is_phi(with, phi)) {
        *out = (rf_match){ .op = op, .term = term };
        return true;
    }
    if (!match(tr, with, phi, out) || out->op != op || out->guard)
        return false;
    rf_val proto = *next;
    proto.arg = (const rf_val *[]){ out->term, term };
    out->term = rf_val_make(tr->vals, &proto);
    return true;
}

static bool match_call(rf_tracer *tr, const rf_val *next, const rf_val *phi,
                       rf_match *out)
{
    switch (rf_math_find(next->name)) {
    case RF_MATH_MAX:
        return match_extremum(tr, next, phi, RF_REDUCE_MAX, out);
    case RF_MATH_MIN:
        return match_extremum(tr, next, phi, RF_REDUCE_MIN, out);
    case RF_MATH_FMA: {
        const rf_val *product = rf_val_op2(tr->vals, RF_OP_MUL, next->type,
                                           next->arg[0], next->arg[1]);
        return extend(tr, next->arg[2], phi, RF_REDUCE_SUM, RF_OP_ADD, product,
                      out);
    }
    case RF_MATH_ADD:
        if (mentions(next->arg[1], phi))
            return extend(tr, next->arg[1], phi, RF_REDUCE_SUM, RF_OP_ADD,
                          next->arg[0], out);
        return extend(tr, next->arg[0], phi, RF_REDUCE_SUM, RF_OP_ADD,
                      next->arg[1], out);
    default:
        return false;
    }
}

/* (t > phi ? t : phi) is a maximum, and the seven other orders. */
static bool match_comparison(const rf_val *c, const rf_val *yes,
                             const rf_val *no, const rf_val *phi, rf_match *out)
{
    if (c->kind != RF_VAL_OP || c->n != 2 || c->op < RF_OP_LT ||
        c->op > RF_OP_GE)
        return false;
    const rf_val *a = c->arg[0], *b = c->arg[1];
    bool greater = c->op == RF_OP_GT || c->op == RF_OP_GE;
    bool phi_left = is_phi(a, phi);
    const rf_val *t = phi_left ? b : a;
    if ((!phi_left && !is_phi(b, phi)) || mentions(t, phi))
        return false;
    bool yes_is_phi = is_phi(yes, phi);
    const rf_val *kept = yes_is_phi ? no : yes;
    if ((!yes_is_phi && !is_phi(no, phi)) ||
        rf_strip_float_casts(kept) != rf_strip_float_casts(t))
        return false;
    bool left_wins = yes_is_phi == phi_left; /* yes is the left operand */
    out->op = greater == left_wins ? RF_REDUCE_MAX : RF_REDUCE_MIN;
    out->term = kept;
    out->guard = NULL;
    return true;
}

/* c ? update(phi) : phi, with c free of phi. */
static bool match_guarded(rf_tracer *tr, const rf_val *c, const rf_val *yes,
                          const rf_val *no, const rf_val *phi, rf_match *out)
{
    if (mentions(c, phi))
        return false;
    if (is_phi(no, phi) && match(tr, yes, phi, out)) {
        out->guard = rf_val_and(tr->vals, c, out->guard);
        return true;
    }
    if (is_phi(yes, phi) && match(tr, no, phi, out)) {
        out->guard = rf_val_and(tr->vals, rf_val_not(tr->vals, c), out->guard);
        return true;
    }
    rf_match other;
    if (!match(tr, yes, phi, out) || !match(tr, no, phi, &other) ||
        out->op != other.op || out->guard || other.guard)
        return false;
    out->term = rf_val_select(tr->vals, c, out->term, other.term);
    return true;
}

/* p && q ? a : phi, with q about phi: guarded by p. */
static bool match_conjunction(rf_tracer *tr, const rf_val *c, const rf_val *yes,
                              const rf_val *no, const rf_val *phi,
                              rf_match *out)
{
    if (c->kind != RF_VAL_OP || c->op != RF_OP_AND || !is_phi(no, phi))
        return false;
    for (int i = 0; i < 2; i++) {
        const rf_val *p = c->arg[i], *q = c->arg[1 - i];
        if (mentions(p, phi) ||
            !match(tr, rf_val_select(tr->vals, q, yes, no), phi, out))
            continue;
        out->guard = rf_val_and(tr->vals, p, out->guard);
        return true;
    }
    return false;
}

static bool match_select(rf_tracer *tr, const rf_val *next, const rf_val *phi,
                         rf_match *out)
{
    const rf_val *c = next->arg[0], *yes = next->arg[1], *no = next->arg[2];
    if (c->kind == RF_VAL_OP && c->op == RF_OP_NOT && mentions(c, phi))
        return match_comparison(c->arg[0], no, yes, phi, out);
    return match_comparison(c, yes, no, phi, out) ||
           match_guarded(tr, c, yes, no, phi, out) ||
           match_conjunction(tr, c, yes, no, phi, out);
}

/* phi passed through an inner loop: its terms are summed on their own. */
static bool match_nested(rf_tracer *tr, const rf_val *next, const rf_val *phi,
                         rf_match *out)
{
    const rf_red *inner = next->red;
    rf_match before;
    bool plain = is_phi(inner->init, phi);
    if (!plain && (!match(tr, inner->init, phi, &before) ||
                   before.op != inner->op || before.guard))
        return false;
    if (mentions(inner->term, phi) ||
        (inner->guard && mentions(inner->guard, phi)))
        return false;
    rf_red alone = *inner;
    alone.init = rf_identity_of(tr, inner->op, inner->type);
    if (!alone.init)
        return false;
    const rf_val *result = rf_make_red(tr, NULL, &alone);
    *out = (rf_match){ .op = inner->op, .term = result };
    if (plain)
        return true;
    if (inner->op != RF_REDUCE_SUM)
        return false;
    out->term =
        rf_val_op2(tr->vals, RF_OP_ADD, inner->type, before.term, result);
    return true;
}

static bool match(rf_tracer *tr, const rf_val *next, const rf_val *phi,
                  rf_match *out)
{
    if (!mentions(next, phi) && next->kind != RF_VAL_RESULT)
        return false;
    next = rf_strip_float_casts(next);
    switch (next->kind) {
    case RF_VAL_OP:
        if (next->op == RF_OP_SELECT)
            return match_select(tr, next, phi, out);
        return next->n == 2 && match_binary(tr, next, phi, out);
    case RF_VAL_CALL:
        return match_call(tr, next, phi, out);
    case RF_VAL_RESULT:
        return match_nested(tr, next, phi, out);
    default:
        return false;
    }
}

bool rf_match_update(rf_tracer *tr, const rf_val *next, const rf_val *phi,
                     rf_match *out)
{
    return match(tr, next, phi, out);
}
