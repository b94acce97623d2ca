/* One step of one member: state (+)= term, in the author's form where the
 * term is the author's. */
#include "emit/emitting.h"

#include "ir/math.h"

#include <math.h>

/* ---- one step ---- */

rf_expr *rf_emit_constant(rf_emitter *em, const rf_type *type,
                          const char *spelling, double value)
{
    rf_expr *e = rf_expr_new(em->arena, RF_OP_FLOAT, type, 0, NULL);
    e->spelling = spelling;
    e->value.f = value;
    return e;
}

/* The value at which a shifted term is dead: -INFINITY for a maximum. */
const rf_val *rf_emit_dead_value(rf_emitter *em, const rf_member *m)
{
    rf_expr *inf =
        rf_emit_constant(em, m->dead_when->type, "INFINITY", (double)INFINITY);
    const rf_val *v = rf_val_const(em->vals, inf);
    if (m->dead_at_plus)
        return v;
    return rf_val_op(em->vals, RF_OP_NEG, v->type, 1, &v, NULL);
}

typedef struct {
    const rf_emitter *em;
    const rf_member *m;
} exp_query;

static bool is_shifted_exp(const rf_val *v, const void *data)
{
    const exp_query *q = data;
    if (v->kind != RF_VAL_CALL || v->math == RF_MATH_CONVERT)
        return false;
    for (unsigned i = 0; i < q->m->n_shifts; i++)
        if (rf_val_mentions(v, q->m->shifts[i]->red->result))
            return true;
    return false;
}

/* t == -inf ? 0 : exp(t - m): never -inf - -inf. */
static const rf_val *guard_dead(rf_emitter *em, const rf_member *m,
                                const rf_val *term)
{
    if (!m->dead_when)
        return term;
    exp_query q = { .em = em, .m = m };
    const rf_val *e = rf_val_find(term, is_shifted_exp, &q);
    if (!e)
        return term;
    rf_expr *zero = rf_expr_new(em->arena, RF_OP_FLOAT, e->type, 0, NULL);
    zero->value.f = 0;
    const rf_val *dead = rf_val_op2(em->vals, RF_OP_EQ, &rf_type_bool,
                                    m->dead_when, rf_emit_dead_value(em, m));
    const rf_val *safe =
        rf_val_select(em->vals, dead, rf_val_const(em->vals, zero), e);
    return rf_val_subst(em->vals, term, 1, &e, &safe);
}

const rf_val *rf_emit_term(rf_emitter *em, const rf_member *m)
{
    return guard_dead(em, m, m->term);
}

/* Run "write" for every index of the family, or once. */
rf_open_loop *rf_family_begin(rf_emitter *em, const rf_state *s,
                              rf_expr **place)
{
    if (!s->family || s->is_open) {
        *place = rf_state_here(em, s);
        return NULL;
    }
    rf_open_loop *loop = rf_loop_begin(em, s->family);
    *place = rf_state_place(em, s, rf_emit_use(em, RF_LAST(em->counters).var));
    return loop;
}

void rf_family_end(rf_emitter *em, rf_open_loop *loop)
{
    if (loop)
        rf_loop_end(em, loop);
}

/* The update of one member without its guard. */
const rf_val *rf_emit_next(const rf_member *m)
{
    const rf_val *next = m->red->next;
    while (next->kind == RF_VAL_OP && next->op == RF_OP_SELECT && m->guard &&
           next->arg[2] == m->red->phi && next->arg[0] != m->guard &&
           rf_val_mentions(m->guard, next->arg[0]))
        next = next->arg[1];
    if (m->guard && next->kind == RF_VAL_OP && next->op == RF_OP_SELECT) {
        if (next->arg[0] == m->guard && next->arg[2] == m->red->phi)
            return next->arg[1];
        if (next->arg[1] == m->red->phi)
            return next->arg[2];
    }
    return next;
}

const char *rf_emit_extremum_name(const rf_member *m)
{
    return rf_math_extremum(m->red->op == RF_REDUCE_MAX, m->red->type);
}

/* place (+)= term, for members whose term is not the author's. */
static void add_term(rf_emitter *em, const rf_member *m, rf_expr *place,
                     const rf_val *term)
{
    rf_op op = rf_op_of_reduce(m->red->op);
    bool is_logical = op == RF_OP_AND || op == RF_OP_OR;
    rf_emit_prepare(em, term);
    rf_expr *t = rf_express_as(em, term, m->red->type), *value;
    if (op != RF_OP_COUNT && !is_logical) {
        rf_emit_append(em, rf_assign_op(em, place, op, t));
        return;
    }
    if (is_logical) {
        value = rf_binary(em, op, m->red->type, place, t);
    } else {
        value = rf_expr_new(em->arena, RF_OP_CALL, m->red->type, 2,
                            (rf_expr *[]){ place, t });
        value->name = rf_emit_extremum_name(m);
    }
    rf_emit_append(em, rf_assign(em, place, value));
}

bool rf_emit_is_authors(const rf_member *m)
{
    return m->term == m->red->term && !m->dead_when;
}

void rf_emit_update_member(rf_emitter *em, rf_state *s)
{
    const rf_member *m = s->member;
    rf_expr *place;
    if (m->is_derived)
        return;
    if (m->step) {
        rf_emit_step_member(em, s);
        return;
    }
    const rf_val *term = rf_emit_term(em, m);
    if (s->family && !s->is_open) {
        rf_emit_tally(em, term, 2);
        rf_emit_hoist(em, term, s->family);
    }
    rf_open_loop *loop = rf_family_begin(em, s, &place);
    if (rf_emit_is_authors(m)) {
        rf_bind_state(em, m->red->phi, s);
        rf_emit_update(em, place, m->red, rf_emit_next(m));
        rf_unbind(em, m->red->phi);
    } else {
        add_term(em, m, place, term);
    }
    rf_family_end(em, loop);
    if (s->any) {
        rf_expr *yes = rf_expr_int(em->arena, 1);
        yes->spelling = "true";
        rf_emit_append(em, rf_assign(em, rf_emit_use(em, s->any), yes));
    }
}
