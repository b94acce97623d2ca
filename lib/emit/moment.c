/* Steps of class M (T-8): states that move together.
 *
 *     delta = x - mean;            what several steps need of the old values
 *     mean += delta / (i + 1);     is computed before they change
 *     m2 += delta * (x - mean); */
#include "emit/emitting.h"

static const rf_val *old_of(rf_emitter *em, const rf_member *m)
{
    return rf_val_entry(em->vals, m->old_var);
}

typedef struct {
    const rf_emitter *em;
    const rf_member *moving;
} query;

/* A result of this pass that is not known before "moving" has moved. */
static bool is_new_result(const rf_val *v, const void *data)
{
    const query *q = data;
    bool after = false;
    for (size_t i = 0; i < q->em->states.len; i++) {
        const rf_member *m = q->em->states.data[i].member;
        after |= m == q->moving;
        if (after && v == m->red->result)
            return true;
    }
    return false;
}

/* Name the parts of "v" that need the old value of "m" and can be computed
 * now; true if nothing else in "v" needs it. */
static bool hoist_old(rf_emitter *em, const rf_val *v, const rf_member *m)
{
    const rf_val *old = old_of(em, m);
    query q = { .em = em, .moving = m };
    if (v == old)
        return false;
    if (!rf_val_mentions(v, old))
        return true;
    if (v->kind == RF_VAL_OP && !rf_val_find(v, is_new_result, &q)) {
        rf_emit_name(em, v, "delta");
        return true;
    }
    bool all = true;
    for (unsigned i = 0; i < v->n; i++)
        all &= hoist_old(em, v->arg[i], m);
    return all;
}

/* "sum" without its term "state"; NULL if it has none. */
static const rf_val *without(rf_emitter *em, const rf_val *sum,
                             const rf_val *state)
{
    if (sum->kind != RF_VAL_OP ||
        (sum->op != RF_OP_ADD && sum->op != RF_OP_SUB))
        return NULL;
    const rf_val *a = sum->arg[0], *b = sum->arg[1];
    if (sum->op == RF_OP_ADD && a == state)
        return b;
    if (sum->op == RF_OP_ADD && b == state)
        return a;
    if (a == state)
        return rf_val_op(em->vals, RF_OP_NEG, sum->type, 1, &b, NULL);
    a = without(em, a, state);
    return a ? rf_val_op2(em->vals, sum->op, sum->type, a, b) : NULL;
}

/* step = state + change or state - change: the change, else NULL. */
static const rf_val *change_of(rf_emitter *em, const rf_member *m, rf_op *op)
{
    const rf_val *own[] = { rf_val_entry(em->vals, m->state_var),
                            old_of(em, m) };
    for (int i = 0; i < 2; i++) {
        const rf_val *change = without(em, m->step, own[i]);
        if (!change)
            continue;
        bool negative = change->kind == RF_VAL_OP && change->op == RF_OP_NEG;
        *op = negative ? RF_OP_SUB : RF_OP_ADD;
        return negative ? change->arg[0] : change;
    }
    return NULL;
}

/* For those that have not stepped yet. */
static void hoist_for_others(rf_emitter *em, rf_state *s, bool *covered)
{
    size_t next = (size_t)(s - em->states.data) + 1;
    for (size_t i = next; i < em->states.len; i++) {
        const rf_member *o = em->states.data[i].member;
        rf_op op;
        if (!o->step || o->pass != s->member->pass)
            continue;
        const rf_val *change = change_of(em, o, &op);
        *covered &= hoist_old(em, change ? change : o->step, s->member);
    }
}

void rf_emit_step_member(rf_emitter *em, rf_state *s)
{
    const rf_member *m = s->member;
    const rf_val *old = old_of(em, m);
    bool covered = true;
    rf_op op = RF_OP_COUNT;
    rf_bind_state(em, old, s);
    rf_bind_state(em, rf_val_entry(em->vals, m->state_var), s);
    hoist_for_others(em, s, &covered);
    if (!covered)
        rf_emit_declare_old(em, s);
    const rf_val *change = change_of(em, m, &op);
    rf_expr *place = rf_emit_use(em, s->var);
    rf_emit_prepare(em, change ? change : m->step);
    if (change)
        rf_emit_append(em,
                       rf_assign_op(em, place, op,
                                    rf_express_as(em, change, m->red->type)));
    else
        rf_emit_append(
            em, rf_assign(em, place, rf_express_as(em, m->step, m->red->type)));
    rf_unbind(em, old);
    rf_unbind(em, rf_val_entry(em->vals, m->state_var));
}

/* ---- the count of a thread ---- */

bool rf_emit_is_counted(const rf_emitter *em, unsigned pass)
{
    for (size_t i = 0; em->trace->team && i < em->states.len; i++)
        if (em->states.data[i].member->pass == pass &&
            em->states.data[i].member->step)
            return true;
    return false;
}

void rf_emit_declare_count(rf_emitter *em, unsigned pass)
{
    rf_var *n = em->plan->count_var;
    if (!rf_emit_is_counted(em, pass))
        return;
    n->name = rf_names_fresh(em, "seen");
    rf_emit_append(em, rf_declare(em, n, rf_expr_int(em->arena, 0)));
}

void rf_emit_step_count(rf_emitter *em, unsigned pass)
{
    if (!rf_emit_is_counted(em, pass))
        return;
    rf_expr *n = rf_emit_use(em, em->plan->count_var);
    rf_stmt *s = rf_stmt_new(em->arena, RF_STMT_EXPR);
    s->expr = rf_expr_new(em->arena, RF_OP_PRE_INC, n->type, 1, &n);
    rf_emit_append(em, s);
}
