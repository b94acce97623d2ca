/* After a pass: deferred factors (T-7), rows without a finite element, values
 * that the author named, stores that waited, live scalars. */
#include "emit/emitting.h"
#include "plan/widen.h"

#include <math.h>
#include <string.h>

/* ---- after a pass ---- */

static bool may_be_empty(rf_emitter *em, const rf_state *s, rf_expr **ran)
{
    if (s->any) {
        *ran = rf_emit_use(em, s->any);
        return true;
    }
    const rf_val *runs = rf_loop_runs(em, em->plan->axis);
    *ran = runs ? rf_express(em, runs) : NULL;
    return runs != NULL;
}

/* The first member that has no value where "shift" is infinite, or NULL. */
static rf_state *first_dead(rf_emitter *em, const rf_state *shift)
{
    for (size_t k = 0; k < em->states.len; k++) {
        rf_state *s = &em->states.data[k];
        if (s->member->dead_when && s->member->shifts[0] == shift->member)
            return s;
    }
    return NULL;
}

/* s = NAN, for all that have no value where "shift" is infinite. */
static void set_dead(rf_emitter *em, const rf_state *shift)
{
    for (rf_state *s = first_dead(em, shift);
         s < em->states.data + em->states.len; s++) {
        rf_expr *place;
        if (!s->member->dead_when || s->member->shifts[0] != shift->member)
            continue;
        rf_open_loop *loop = rf_family_begin(em, s, &place);
        rf_emit_append(em, rf_assign(em, place,
                                     rf_emit_constant(em, s->member->red->type,
                                                      "NAN", (double)NAN)));
        rf_family_end(em, loop);
    }
}

/* Every shifted value was -inf: the sums are what the source computes then,
 * exp(-inf - -inf). */
static void dead_rows_of(rf_emitter *em, const rf_state *shift)
{
    rf_open_block block;
    rf_expr *ran = NULL;
    rf_state *first = first_dead(em, shift);
    rf_open_loop *rows = rf_rows_begin(em, shift);
    rf_block_begin(em, &block);
    may_be_empty(em, first, &ran);
    set_dead(em, shift);
    rf_block_end(em, &block);
    rf_expr *dead =
        rf_binary(em, RF_OP_EQ, &rf_type_bool, rf_state_here(em, shift),
                  rf_express(em, rf_emit_dead_value(em, first->member)));
    if (ran)
        dead = rf_binary(em, RF_OP_AND, &rf_type_bool, ran, dead);
    rf_stmt *s = rf_if(em, dead, &block.body);
    s->text = first->member->dead_at_plus
                  ? "nothing finite: inf - inf, as the reference computes"
                  : "nothing finite: -inf - -inf, as the reference computes";
    rf_emit_append(em, s);
    rf_rows_end(em, rows);
}

void rf_emit_dead_rows(rf_emitter *em, unsigned pass)
{
    for (size_t i = 0; i < em->states.len; i++) {
        const rf_state *shift = &em->states.data[i];
        if (shift->member->is_shift && shift->member->pass == pass &&
            !em->plan->mark->masked_zero && first_dead(em, shift))
            dead_rows_of(em, shift);
    }
}

static void set_state(rf_emitter *em, const rf_state *s, const rf_val *value)
{
    rf_expr *place;
    rf_emit_prepare(em, value);
    rf_open_loop *loop = rf_family_begin(em, s, &place);
    rf_emit_append(
        em,
        rf_assign(em, place, rf_express_as(em, value, s->member->red->type)));
    rf_family_end(em, loop);
}

/* state = later(state), as a compound assignment where it reads as one. */
static void finish_state(rf_emitter *em, const rf_state *s)
{
    rf_expr *place;
    const rf_val *state = rf_val_entry(em->vals, s->member->state_var);
    const rf_val *later = s->member->later;
    if (s->member->is_derived) {
        rf_emit_prepare(em, later);
        rf_expr *e = rf_express_as(em, later, s->member->red->type);
        rf_emit_append(em, s->declared_outside
                               ? rf_assign(em, rf_emit_use(em, s->var), e)
                               : rf_declare(em, s->var, e));
        return;
    }
    rf_open_loop *loop = rf_family_begin(em, s, &place);
    rf_bind_state(em, state, s);
    if (later->kind == RF_VAL_OP && later->n == 2 && later->arg[0] == state &&
        (later->op == RF_OP_DIV || later->op == RF_OP_MUL))
        rf_emit_append(em, rf_assign_op(em, place, later->op,
                                        rf_express(em, later->arg[1])));
    else
        rf_emit_append(
            em, rf_assign(em, place,
                          rf_express_as(em, later, s->member->red->type)));
    rf_unbind(em, state);
    rf_family_end(em, loop);
}

/* Apply the deferred factors (T-7). */
void rf_emit_finish(rf_emitter *em, unsigned pass)
{
    for (size_t i = 0; i < em->states.len; i++) {
        rf_state *s = &em->states.data[i];
        if (s->member->pass != pass || !s->member->later)
            continue;
        rf_expr *ran = NULL;
        rf_open_block block, empty;
        bool guarded =
            s->member->later_needs_steps && may_be_empty(em, s, &ran);
        if (guarded)
            rf_block_begin(em, &block);
        finish_state(em, s);
        if (guarded) {
            rf_block_end(em, &block);
            rf_stmt *branch = rf_if(em, ran, &block.body);
            rf_block_begin(em, &empty);
            if (s->member->init_later)
                set_state(em, s, s->member->init_later);
            rf_block_end(em, &empty);
            if (empty.body.len)
                branch->orelse = rf_block(em, &empty.body);
            rf_emit_append(em, branch);
        }
        s->finished = true;
    }
}

/* Values that the author named between the loops: const float inv = 1 / l; */
bool rf_emit_is_state_name(const rf_emitter *em, const rf_var *var)
{
    for (size_t i = 0; i < em->states.len; i++)
        if (em->states.data[i].var == var)
            return true;
    return false;
}

static bool is_used_later(rf_emitter *em, const rf_binding *f, unsigned pass)
{
    if (rf_plan_needs(em->plan, f->var))
        return true;
    for (size_t i = 0; i < em->plan->stores.len; i++) {
        const rf_placed_store *s = &em->plan->stores.data[i];
        if (s->pass > pass &&
            (rf_val_mentions(s->store->value, f->value) ||
             (s->store->guard && rf_val_mentions(s->store->guard, f->value))))
            return true;
    }
    for (size_t i = 0; i < em->states.len; i++)
        if (em->states.data[i].member->pass > pass &&
            rf_val_mentions(em->states.data[i].member->term, f->value))
            return true;
    return false;
}

void rf_emit_names(rf_emitter *em, unsigned pass)
{
    for (size_t i = 0; i < em->trace->names.len; i++) {
        const rf_binding *f = &em->trace->names.data[i];
        unsigned ready;
        if (!rf_emit_is_declared(em, f->var) ||
            rf_emit_is_state_name(em, f->var) ||
            f->value->kind == RF_VAL_RESULT || f->value->kind == RF_VAL_CONST ||
            rf_type_is_pointer_like(f->var->type) ||
            !rf_plan_value_ready(em->plan, f->value, &ready) ||
            ready != pass + 1 || !is_used_later(em, f, pass) ||
            rf_names_is_taken(em, f->var->name))
            continue;
        rf_emit_prepare(em, f->value);
        RF_PUSH(em->names, f->var->name);
        rf_emit_append(
            em,
            rf_declare(em, f->var, rf_express_as(em, f->value, f->var->type)));
        RF_PUSH(em->scope, (rf_in_scope){ .value = f->value, .var = f->var });
    }
}

static bool same_nest(const rf_store *a, const rf_store *b)
{
    return a->n_loops && b->n_loops && a->loops[0] == b->loops[0];
}

/* Neighbours without a loop, from stores[i] on; returns the next store. */
static size_t emit_scalars(rf_emitter *em, unsigned pass, size_t i)
{
    rf_open_block leader;
    rf_emit_leader_begin(em, &leader);
    for (; i < em->plan->stores.len && !em->refused; i++) {
        const rf_placed_store *p = &em->plan->stores.data[i];
        if (p->in_pass || p->pass != pass || p->store->n_loops ||
            rf_emit_is_state_store(em, p->store))
            break;
        rf_emit_store_nest(em, p->store, 0);
    }
    rf_emit_leader_end(em, &leader);
    return i;
}

static void emit_stores(rf_emitter *em, unsigned pass)
{
    for (size_t i = 0; i < em->plan->stores.len && !em->refused;) {
        const rf_placed_store *p = &em->plan->stores.data[i];
        if (p->in_pass || p->pass != pass ||
            rf_emit_is_state_store(em, p->store)) {
            i++;
            continue;
        }
        if (!p->store->n_loops) {
            i = emit_scalars(em, pass, i);
            continue;
        }
        size_t last = i;
        while (last + 1 < em->plan->stores.len &&
               !em->plan->stores.data[last + 1].in_pass &&
               em->plan->stores.data[last + 1].pass == pass &&
               same_nest(p->store, em->plan->stores.data[last + 1].store))
            last++;
        rf_open_axis axis;
        rf_axis_begin(em, &axis, p->store->loops[0]);
        for (size_t k = i; k <= last; k++) {
            rf_emit_tally(em, em->plan->stores.data[k].store->value, 1);
            rf_emit_tally(em, em->plan->stores.data[k].store->index, 1);
        }
        for (size_t k = i; k <= last; k++)
            rf_emit_store_nest(em, em->plan->stores.data[k].store, 1);
        rf_axis_end(em, &axis);
        i = last + 1;
    }
}

/* Stores after pass "pass" (0: before the first); neighbours over one loop
 * share it. Blocks of a grid make them in their last turn. */
void rf_emit_stores(rf_emitter *em, unsigned pass)
{
    rf_open_block last;
    bool grid = rf_emit_is_grid(em);
    if (!grid || pass == em->plan->n_loops) {
        emit_stores(em, pass);
        return;
    }
    rf_block_begin(em, &last);
    emit_stores(em, pass);
    rf_block_end(em, &last);
    if (last.body.len)
        rf_emit_append(
            em, rf_if(em, rf_emit_is_turn(em, em->plan->n_loops), &last.body));
}

/* ---- live scalars ---- */

static bool is_settled(rf_emitter *em, const rf_binding *f)
{
    const rf_state *s = rf_state_of(em, f->value);
    if (!rf_plan_needs(em->plan, f->var) ||
        (s && !s->family && !strcmp(s->var->name, f->var->name)) ||
        (f->value->kind == RF_VAL_ENTRY && f->value->var == f->var) ||
        rf_emit_is_kept(em, f->var))
        return true;
    for (size_t k = 0; k < em->scope.len; k++)
        if (em->scope.data[k].var == f->var)
            return true;
    return false;
}

static void emit_final(rf_emitter *em, const rf_binding *f)
{
    bool declare = rf_emit_is_declared(em, f->var) &&
                   !rf_emit_is_declared_before(em, f->var) &&
                   !rf_emit_is_state_name(em, f->var);
    rf_emit_prepare(em, f->value);
    rf_expr *e = rf_express_as(em, f->value, f->var->type);
    rf_emit_append(em, declare ? rf_declare(em, f->var, e)
                               : rf_assign(em, rf_emit_use(em, f->var), e));
}

enum { MOST_VISITS = 10000 };

/* Does "v" use "result" but as a part of "final"? */
static bool visit_beside(const rf_val *v, const rf_val *result,
                         const rf_val *final, unsigned *visits)
{
    if (!v || v == final)
        return false;
    if (v == result || ++*visits > MOST_VISITS)
        return true;
    for (unsigned i = 0; i < v->n; i++)
        if (visit_beside(v->arg[i], result, final, visits))
            return true;
    return false;
}

static bool uses_beside(const rf_val *v, const rf_val *result,
                        const rf_val *final)
{
    unsigned visits = 0;
    return visit_beside(v, result, final, &visits);
}

/* Is "result" needed after pass "pass" for nothing but "f"? */
static bool is_spent(rf_emitter *em, const rf_val *result, const rf_binding *f,
                     unsigned pass)
{
    const rf_plan *p = em->plan;
    for (size_t i = 0; i < p->stores.len; i++) {
        const rf_store *s = p->stores.data[i].store;
        if (uses_beside(s->value, result, f->value) ||
            uses_beside(s->index, result, f->value) ||
            uses_beside(s->guard, result, f->value))
            return false;
    }
    for (size_t i = 0; i < em->trace->finals.len; i++)
        if (uses_beside(em->trace->finals.data[i].value, result, f->value))
            return false;
    for (size_t i = 0; i < p->members.len; i++) {
        const rf_member *m = p->members.data[i];
        if (m->pass > pass && (uses_beside(m->term, result, f->value) ||
                               uses_beside(m->guard, result, f->value) ||
                               uses_beside(m->later, result, f->value) ||
                               uses_beside(m->step, result, f->value) ||
                               uses_beside(m->init, result, f->value)))
            return false;
    }
    return true;
}

/* mean /= n: a state that its variable turns into something else, at once if
 * nothing else needs it. */
void rf_emit_early_finals(rf_emitter *em, unsigned pass)
{
    for (size_t i = 0; i < em->trace->finals.len && !em->refused; i++) {
        const rf_binding *f = &em->trace->finals.data[i];
        unsigned ready;
        for (size_t k = 0; k < em->states.len; k++) {
            const rf_state *s = &em->states.data[k];
            const rf_val *result = s->member->red->result;
            if (s->var != f->var || s->family || s->place ||
                s->member->pass != pass || f->value == result ||
                !rf_val_mentions(f->value, result) ||
                !rf_plan_value_ready(em->plan, f->value, &ready) ||
                ready != pass + 1 || !is_used_later(em, f, pass) ||
                !is_spent(em, result, f, pass))
                continue;
            emit_final(em, f);
            RF_PUSH(em->scope,
                    (rf_in_scope){ .value = f->value, .var = f->var });
            break;
        }
    }
}

/* First what only reads the states, then the states that take a new value. */
void rf_emit_finals(rf_emitter *em)
{
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < em->trace->finals.len && !em->refused; i++) {
            const rf_binding *f = &em->trace->finals.data[i];
            if (rf_emit_is_state_name(em, f->var) == (round == 1) &&
                !is_settled(em, f))
                emit_final(em, f);
        }
}
