/* Shifts: when the running result m moves, what depends on it follows (T-6):
 *
 *     m_old = m;  m = max(m, x);  if (m != m_old) l *= exp(m_old - m); */
#include "emit/emitting.h"

/* ---- shifts ---- */

static bool rescales(const rf_member *dependent, const rf_member *shift)
{
    for (unsigned i = 0; i < dependent->n_shifts; i++)
        if (dependent->shifts[i] == shift)
            return true;
    return false;
}

/* All shifts of "m" are updated when its last one is. */
static bool is_last_shift(const rf_emitter *em, const rf_member *m,
                          const rf_member *shift)
{
    const rf_member *last = NULL;
    for (size_t i = 0; i < em->states.len; i++)
        if (rescales(m, em->states.data[i].member))
            last = em->states.data[i].member;
    return last == shift;
}

/* m != m_old, for every shift of the dependents. */
static rf_expr *shift_moved(rf_emitter *em, const rf_member *dependent)
{
    rf_expr *moved = NULL;
    for (unsigned i = 0; i < dependent->n_shifts; i++) {
        rf_state *s = rf_emit_state_for(em, dependent->shifts[i]);
        rf_expr *ne = rf_binary(em, RF_OP_NE, &rf_type_bool,
                                rf_state_here(em, s), rf_emit_use(em, s->old));
        moved = moved ? rf_binary(em, RF_OP_OR, &rf_type_bool, moved, ne) : ne;
    }
    return moved;
}

static void rescale_one(rf_emitter *em, rf_state *s)
{
    rf_expr *place;
    const rf_val *ratio = s->member->ratio;
    rf_emit_prepare(em, ratio);
    rf_open_loop *loop = rf_family_begin(em, s, &place);
    rf_emit_append(
        em, rf_assign_op(em, place, RF_OP_MUL,
                         rf_express_as(em, ratio, s->member->red->type)));
    rf_family_end(em, loop);
}

/* Dependents of "shift" follow it to its new value. */
static void rescale(rf_emitter *em, const rf_member *shift)
{
    rf_expr *moved = NULL;
    rf_open_block block;
    rf_block_begin(em, &block);
    unsigned *uses = em->uses;
    size_t n_uses = em->n_uses;
    em->uses = NULL;
    em->n_uses = 0;
    for (size_t i = 0; i < em->states.len; i++) {
        const rf_state *s = &em->states.data[i];
        if (s->member->ratio && is_last_shift(em, s->member, shift))
            rf_emit_tally(em, s->member->ratio,
                          s->family && !s->is_open ? 2 : 1);
    }
    for (size_t i = 0; i < em->states.len; i++) {
        rf_state *s = &em->states.data[i];
        if (!s->member->ratio || !is_last_shift(em, s->member, shift))
            continue;
        if (!moved)
            moved = shift_moved(em, s->member);
        rescale_one(em, s);
    }
    free(em->uses);
    em->uses = uses;
    em->n_uses = n_uses;
    rf_block_end(em, &block);
    if (moved) {
        rf_stmt *s = rf_if(em, moved, &block.body);
        rf_emit_append(em, s);
    }
}

/* if (x > m) m = x; with dependents of m alone: the rescale goes inside,
 *
 *     if (x > m) {
 *         l *= exp(m - x);
 *         m = x;
 *     } */
static bool has_own_branch(const rf_emitter *em, const rf_state *s,
                           const rf_val **test, const rf_val **moved)
{
    const rf_val *next = rf_emit_next(s->member);
    if ((s->family && !s->is_open) || next->kind != RF_VAL_OP ||
        next->op != RF_OP_SELECT || next->arg[2] != s->member->red->phi ||
        !rf_val_mentions(next->arg[0], s->member->red->phi) ||
        rf_val_mentions(next->arg[1], s->member->red->phi))
        return false;
    bool strict =
        next->arg[0]->kind == RF_VAL_OP &&
        (next->arg[0]->op == RF_OP_GT || next->arg[0]->op == RF_OP_LT);
    for (size_t i = 0; i < em->states.len; i++) {
        const rf_member *m = em->states.data[i].member;
        /* x >= m with both -inf would be exp(-inf - -inf) */
        if (rescales(m, s->member) &&
            (m->n_shifts != 1 || (m->dead_when && !strict)))
            return false;
    }
    *test = next->arg[0];
    *moved = next->arg[1];
    return true;
}

/* "ratio" with the old value still in the state and the new one "moved". */
static const rf_val *ratio_to(rf_emitter *em, const rf_member *m,
                              const rf_state *shift, const rf_val *moved)
{
    const rf_val *from[] = { shift->member->red->result,
                             rf_val_entry(em->vals, shift->member->old_var) };
    const rf_val *to[] = { moved, shift->member->red->phi };
    return rf_val_subst(em->vals, m->ratio, 2, from, to);
}

static void branch_body(rf_emitter *em, rf_state *s, const rf_val *moved)
{
    for (size_t i = 0; i < em->states.len; i++) {
        const rf_state *d = &em->states.data[i];
        if (rescales(d->member, s->member))
            rf_emit_tally(em, ratio_to(em, d->member, s, moved),
                          d->family && !d->is_open ? 2 : 1);
    }
    for (size_t i = 0; i < em->states.len; i++) {
        const rf_state *d = &em->states.data[i];
        if (!rescales(d->member, s->member))
            continue;
        rf_expr *place;
        const rf_val *ratio = ratio_to(em, d->member, s, moved);
        rf_emit_prepare(em, ratio);
        rf_open_loop *loop = rf_family_begin(em, d, &place);
        rf_emit_append(
            em, rf_assign_op(em, place, RF_OP_MUL,
                             rf_express_as(em, ratio, d->member->red->type)));
        rf_family_end(em, loop);
    }
    rf_emit_append(em,
                   rf_assign(em, rf_state_here(em, s),
                             rf_express_as(em, moved, s->member->red->type)));
}

static bool step_branch(rf_emitter *em, rf_state *s)
{
    const rf_val *test, *moved;
    if (!has_own_branch(em, s, &test, &moved))
        return false;
    rf_bind_state(em, s->member->red->phi, s);
    rf_emit_prepare(em, test);
    rf_expr *condition = rf_express(em, test);
    rf_open_block block;
    unsigned *uses = em->uses;
    size_t n_uses = em->n_uses;
    rf_block_begin(em, &block);
    em->uses = NULL;
    em->n_uses = 0;
    branch_body(em, s, moved);
    free(em->uses);
    em->uses = uses;
    em->n_uses = n_uses;
    rf_block_end(em, &block);
    rf_emit_append(em, rf_if(em, condition, &block.body));
    rf_unbind(em, s->member->red->phi);
    return true;
}

/* const float m_old = m; */
void rf_emit_declare_old(rf_emitter *em, rf_state *s)
{
    const char *wish = rf_arena_printf(em->arena, "%s_old", s->var->name);
    s->old =
        rf_new_var(em, rf_names_fresh(em, wish), s->member->red->type, true);
    rf_emit_append(em, rf_declare(em, s->old, rf_state_here(em, s)));
}

void rf_emit_step_shift(rf_emitter *em, rf_state *s)
{
    if (step_branch(em, s))
        return;
    if (!s->old)
        rf_emit_declare_old(em, s);
    rf_emit_update_member(em, s);
    rescale(em, s->member);
}
