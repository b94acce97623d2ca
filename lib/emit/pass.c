/* One pass over the axis: members in order, then the stores that belong to
 * the pass; all under their conditions. */
#include "emit/emitting.h"

/* ---- a pass ---- */

static void tally_pass(rf_emitter *em, unsigned pass)
{
    for (size_t i = 0; i < em->states.len; i++) {
        const rf_state *s = &em->states.data[i];
        if (s->member->pass != pass)
            continue;
        if (s->member->step)
            rf_emit_tally(em, s->member->step, 1);
        else if (rf_emit_is_authors(s->member))
            rf_emit_tally(em, s->member->red->next, s->family ? 2 : 1);
        else
            rf_emit_tally(em, rf_emit_term(em, s->member), s->family ? 2 : 1);
        if (s->member->guard)
            rf_emit_tally(em, s->member->guard, 1);
    }
    for (size_t i = 0; i < em->plan->stores.len; i++) {
        const rf_placed_store *p = &em->plan->stores.data[i];
        if (p->in_pass && p->pass == pass && !p->store->is_result) {
            rf_emit_tally(em, p->store->value, 1);
            rf_emit_tally(em, p->store->index, 1);
        }
    }
}

/* acc[d] = acc[d]: the author's array is the state. */
bool rf_emit_is_state_store(const rf_emitter *em, const rf_store *s)
{
    for (size_t i = 0; i < em->states.len; i++)
        if (s->base->kind == RF_VAL_ENTRY &&
            s->base->var == em->states.data[i].var)
            return true;
    return false;
}

static void emit_store(rf_emitter *em, const rf_store *s)
{
    rf_emit_prepare(em, s->value);
    rf_expr *place =
        rf_binary(em, RF_OP_INDEX, s->type, rf_express(em, s->base),
                  rf_express_index(em, s->index));
    rf_emit_append(em, rf_assign_store(em, s, place,
                                       rf_express_as(em, s->value, s->type)));
}

/* The inner loops of a store, from loops[from] on. */
void rf_emit_store_nest(rf_emitter *em, const rf_store *s, unsigned from)
{
    if (from == s->n_loops) {
        rf_open_block block;
        rf_expr *c = NULL;
        if (s->guard) {
            rf_emit_prepare(em, s->guard);
            c = rf_express(em, s->guard);
            rf_block_begin(em, &block);
        }
        emit_store(em, s);
        if (s->guard) {
            rf_block_end(em, &block);
            rf_emit_append(em, rf_if(em, c, &block.body));
        }
        return;
    }
    rf_open_loop *loop = rf_loop_begin(em, s->loops[from]);
    rf_emit_tally(em, s->value, 1);
    rf_emit_store_nest(em, s, from + 1);
    rf_loop_end(em, loop);
}

static bool same_guard(const rf_state *a, const rf_state *b)
{
    return a->member->guard == b->member->guard;
}

/* Members in order, those under one condition in one `if`. */
static void emit_group(rf_emitter *em, rf_state *const *group, size_t n)
{
    for (size_t i = 0; i < n;) {
        const rf_val *guard = group[i]->member->guard;
        rf_open_block block;
        rf_expr *c = NULL;
        if (guard) {
            rf_emit_prepare(em, guard);
            c = rf_express(em, guard);
            rf_block_begin(em, &block);
        }
        size_t first = i;
        for (; i < n && same_guard(group[i], group[first]); i++) {
            if (group[i]->member->is_shift)
                rf_emit_step_shift(em, group[i]);
            else
                rf_emit_update_member(em, group[i]);
        }
        if (guard) {
            rf_block_end(em, &block);
            rf_emit_append(em, rf_if(em, c, &block.body));
        }
    }
}

/* The members of "pass". */
static void emit_members(rf_emitter *em, unsigned pass)
{
    RF_ARRAY(rf_state *) group = { 0 };
    const rf_loop *rows = NULL;
    for (size_t i = 0; i < em->states.len; i++) {
        rf_state *s = &em->states.data[i];
        if (s->member->pass != pass || (s->is_joint && s->family == rows))
            continue;
        if (!s->is_joint) {
            RF_PUSH(group, s);
            continue;
        }
        emit_group(em, group.data, group.len);
        group.len = 0;
        rows = s->family;
        rf_emit_rows(em, s, emit_group);
    }
    emit_group(em, group.data, group.len);
    RF_CLEAR(group);
}

static bool uses_phi_of(const rf_member *m, const rf_member *other)
{
    return m != other && !m->step && !other->step &&
           m->red->phi != other->red->phi &&
           (rf_val_mentions(m->red->next, other->red->phi) ||
            rf_val_mentions(m->term, other->red->phi));
}

/* The step of a moment uses the old value of an accumulator of class S. */
static bool uses_old_of(rf_emitter *em, const rf_member *m,
                        const rf_member *other)
{
    return m->step && !other->step &&
           rf_val_mentions(m->step, rf_val_entry(em->vals, other->old_var));
}

/* A recurrence may use the value that another accumulator had before the
 * step: where = x > best ? i : where. */
static void keep_old_values(rf_emitter *em, unsigned pass)
{
    for (size_t i = 0; i < em->states.len; i++) {
        rf_state *s = &em->states.data[i];
        bool needed = false;
        for (size_t k = 0; k < em->states.len; k++)
            needed |= em->states.data[k].member->pass == pass &&
                      (uses_phi_of(em->states.data[k].member, s->member) ||
                       uses_old_of(em, em->states.data[k].member, s->member));
        if (!needed || s->member->pass != pass || s->family)
            continue;
        rf_emit_declare_old(em, s);
        RF_PUSH(em->scope,
                (rf_in_scope){ .value = s->member->red->phi, .var = s->old });
    }
}

static const char *pass_comment(rf_emitter *em, unsigned pass)
{
    rf_buf moved = { 0 }, shifts = { 0 };
    for (size_t i = 0; i < em->states.len; i++) {
        const rf_state *s = &em->states.data[i];
        if (s->member->pass != pass)
            continue;
        if (s->member->ratio)
            rf_buf_printf(&moved, "%s%s", moved.len ? ", " : "", s->var->name);
        if (s->member->is_shift)
            rf_buf_printf(&shifts, "%s%s", shifts.len ? ", " : "",
                          s->var->name);
    }
    const char *text = NULL;
    if (moved.len)
        text = rf_arena_printf(
            em->arena, "%s: relative to the %s so far, rescaled when it moves",
            rf_buf_text(&moved), rf_buf_text(&shifts));
    rf_buf_free(&moved);
    rf_buf_free(&shifts);
    return text;
}

void rf_emit_pass(rf_emitter *em, unsigned pass)
{
    rf_open_axis axis;
    rf_axis_begin(em, &axis, em->plan->axis);
    axis.loop->stmt->text = pass_comment(em, pass);
    tally_pass(em, pass);
    keep_old_values(em, pass);
    emit_members(em, pass);
    rf_emit_step_count(em, pass);
    for (size_t i = 0; i < em->plan->stores.len && !em->refused; i++) {
        const rf_placed_store *p = &em->plan->stores.data[i];
        if (p->in_pass && p->pass == pass &&
            !rf_emit_is_state_store(em, p->store))
            rf_emit_store_nest(em, p->store, 1);
    }
    rf_axis_end(em, &axis);
}
