/* and, or over conditions that mention results (THEORY 3):
 *
 *     or_l (g_l && h) = (or_l g_l) && h      or_l (g_l || h) = (or_l g_l) || h
 *     or_l !g_l = !(and_l g_l)               (and dually)
 *     or_l (f(g_l) < h) = f(min_l g_l) < h   f rising; max where f falls */
#include "algebra/internal.h"

static rf_reduce_op dual(rf_reduce_op op)
{
    return op == RF_REDUCE_OR ? RF_REDUCE_AND : RF_REDUCE_OR;
}

static bool peel(const rf_question *q, rf_reduce_op op, const rf_sym *e,
                 rf_separation *out);

/* g && h, g || h with h free of x */
static bool peel_lattice(const rf_question *q, rf_reduce_op op, const rf_sym *e,
                         rf_separation *out)
{
    rf_syms *s = q->alg->syms;
    rf_nodes own = { 0 }, rest = { 0 };
    for (unsigned i = 0; i < e->n; i++)
        if (rf_depends(q, e->arg[i]) == RF_ON_D)
            RF_PUSH(own, e->arg[i]);
        else
            RF_PUSH(rest, e->arg[i]);
    const rf_sym *h = rf_sym_make(s, e->kind, own.len, own.data);
    const rf_sym *g = rf_sym_make(s, e->kind, rest.len, rest.data);
    bool ok = own.len && rest.len && peel(q, op, g, out);
    RF_CLEAR(own);
    RF_CLEAR(rest);
    if (!ok)
        return false;
    const rf_sym *args[] = { out->later, h };
    out->h = out->h_later = h;
    rf_accept(q, out, e->kind == RF_SYM_AND ? RF_TIMES_AND : RF_TIMES_OR,
              rf_sym_make(s, e->kind, 2, args));
    return true;
}

/* a < b, a <= b with one side free of x: the best of the other side decides */
static bool peel_relation(const rf_question *q, rf_reduce_op op,
                          const rf_sym *e, rf_separation *out)
{
    rf_transport t;
    bool left = rf_depends(q, e->arg[1]) != RF_ON_X &&
                !rf_sym_has_role(e->arg[1], RF_ATOM_ELEMENT);
    bool right = !rf_sym_has_role(e->arg[0], RF_ATOM_ELEMENT);
    if (!left && !right)
        return false;
    if (!rf_transport_find(q, e->arg[left ? 0 : 1], out->state, &t))
        return false;
    bool least = left != t.falling;
    const rf_sym *args[] = { left ? t.map : e->arg[0],
                             left ? e->arg[1] : t.map };
    out->g = out->lift = t.g;
    out->reduce = least == (op == RF_REDUCE_OR) ? RF_REDUCE_MIN : RF_REDUCE_MAX;
    rf_accept(q, out, RF_TIMES_MAP,
              rf_sym_make(q->alg->syms, e->kind, 2, args));
    return true;
}

static bool peel_mixed_relation(const rf_question *q, rf_reduce_op op,
                                const rf_sym *e, rf_separation *out)
{
    rf_syms *s = q->alg->syms;
    const rf_sym *g, *h;
    const rf_sym *difference = rf_sym_sub(s, e->arg[0], e->arg[1]);
    if (peel_relation(q, op, e, out))
        return true;
    if (!rf_split_sum(q, difference, &g, &h))
        return false;
    const rf_sym *args[] = { g, rf_sym_neg(s, h) };
    return peel_relation(q, op, rf_sym_make(s, e->kind, 2, args), out);
}

static bool peel(const rf_question *q, rf_reduce_op op, const rf_sym *e,
                 rf_separation *out)
{
    rf_syms *s = q->alg->syms;
    out->reduce = op;
    if (!(rf_depends(q, e) & RF_ON_D)) {
        out->g = out->lift = e;
        rf_accept(q, out, RF_TIMES_NONE, out->state);
        return true;
    }
    switch (e->kind) {
    case RF_SYM_AND:
    case RF_SYM_OR:
        return peel_lattice(q, op, e, out);
    case RF_SYM_NOT:
        if (!peel(q, dual(op), e->arg[0], out))
            return false;
        rf_accept(q, out, RF_TIMES_MAP, rf_sym_not(s, out->later));
        return true;
    case RF_SYM_LT:
    case RF_SYM_LE:
        return peel_mixed_relation(q, op, e, out);
    default:
        return false;
    }
}

void rf_separate_logic(const rf_question *q, rf_separation *out)
{
    if (peel(q, q->op, q->f, out))
        return;
    out->blame = q->f;
    out->reason = "the condition is no comparison that a maximum or minimum "
                  "could decide";
}
