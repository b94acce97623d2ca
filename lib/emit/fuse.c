/* The fused program of a plan:
 *
 *     states                        float m = -INFINITY, l = 0;
 *     pass 0:  update the shifts    m_old = m; m = max(m, x);
 *              rescale              if (m != m_old) l *= exp(m_old - m);  T-6
 *              add the terms        l += exp(x - m);
 *     finish                        o /= l;                               T-7
 *     ...                           further passes
 *     maps                          out[j] = exp(x[j] - m) / l; */
#include "emit/emitting.h"
#include "emit/print.h"

#include <math.h>
#include <string.h>

/* ---- states ---- */

static bool is_declared_inside(const rf_emitter *em, const rf_var *var)
{
    for (size_t i = 0; i < em->trace->declared.len; i++)
        if (em->trace->declared.data[i] == var)
            return true;
    return false;
}

static bool has_fixed_size(const rf_loop *l, int64_t *first)
{
    return l->lower->kind == RF_VAL_CONST && l->upper->kind == RF_VAL_CONST &&
           rf_val_is_int(l->lower, first);
}

/* A variable like the author's: the same object where it serves, so that code
 * after the region still finds it. */
static rf_var *state_var(rf_emitter *em, const rf_red *red, rf_state *s)
{
    for (size_t i = 0; i < em->states.len; i++)
        if (em->states.data[i].var == red->var && red->var)
            return rf_new_var(em, rf_names_fresh(em, red->var->name), red->type,
                              false);
    if (!red->var)
        return NULL;
    s->declared_outside = !is_declared_inside(em, red->var);
    if (s->declared_outside || !rf_names_is_taken(em, red->var->name))
        RF_PUSH(em->names, red->var->name);
    return red->var;
}

static const char *home_name(const rf_emitter *em, const rf_red *red)
{
    const rf_val *root = rf_trace_root(em->trace, red->base);
    return root->kind == RF_VAL_ENTRY ? root->var->name : "acc";
}

/* float o[64]; for the family o[n]. */
static rf_var *family_var(rf_emitter *em, const rf_red *red,
                          const rf_loop *loop)
{
    rf_type *t = RF_NEW(em->arena, rf_type);
    rf_expr *size = rf_express(em, loop->upper);
    int64_t first = 0;
    rf_val_is_int(loop->lower, &first);
    if (first)
        size = rf_binary(em, RF_OP_SUB, size->type, size,
                         rf_expr_int(em->arena, first));
    rf_buf text = { 0 };
    rf_print_expr(&text, size);
    *t = (rf_type){ .kind = RF_TYPE_ARRAY, .elem = red->type, .count = -1 };
    t->spelling = rf_arena_printf(em->arena, "%s[%s]", red->type->spelling,
                                  rf_buf_text(&text));
    if (size->op == RF_OP_INT && !size->spelling)
        t->count = size->value.i;
    rf_buf_free(&text);
    const char *wish = red->var    ? red->var->name
                       : red->base ? home_name(em, red)
                                   : "acc";
    if (!red->var)
        wish = rf_arena_printf(em->arena, "%s_acc", wish);
    return rf_new_var(em, rf_names_fresh(em, wish), t, false);
}

/* An array of the author's own that serves as the family's state. */
static rf_var *own_array(const rf_red *red)
{
    const rf_val *b = red->base;
    if (!b || b->kind != RF_VAL_ENTRY || b->var->storage != RF_VAR_LOCAL ||
        b->var->type->kind != RF_TYPE_ARRAY || red->n_free != 1 ||
        red->index != red->free[0]->index)
        return NULL;
    return b->var;
}

static const rf_loop *family_of(rf_emitter *em, const rf_red *red)
{
    unsigned n = red->n_outer + red->n_free;
    int64_t first;
    if (!n)
        return NULL;
    const rf_loop *l = red->n_outer ? red->outer[0] : red->free[0];
    if (n > 1) {
        rf_emit_fail(em, red->at, "a result with two free indices");
    } else if (!has_fixed_size(l, &first)) {
        rf_emit_fail(em, red->at,
                     "the number of results of this reduction is not a "
                     "constant");
        em->refusal->name = RF_DIAG_CAPACITY;
    }
    return l;
}

static void add_state(rf_emitter *em, const rf_member *m)
{
    rf_state s = { .member = m, .family = family_of(em, m->red) };
    if (em->refused)
        return;
    if (s.family) {
        s.var = own_array(m->red);
        s.declared_outside = s.var && !is_declared_inside(em, s.var);
        if (!s.var)
            s.var = family_var(em, m->red, s.family);
        else
            RF_PUSH(em->names, s.var->name);
    } else {
        s.var = state_var(em, m->red, &s);
        if (!s.var)
            s.var = rf_new_var(
                em,
                rf_names_fresh(em, rf_arena_printf(em->arena, "%s_%s",
                                                   home_name(em, m->red),
                                                   rf_reduce_name(m->red->op))),
                m->red->type, false);
    }
    RF_PUSH(em->states, s);
}

static rf_state *state_for(rf_emitter *em, const rf_member *m)
{
    for (size_t i = 0; i < em->states.len; i++)
        if (em->states.data[i].member == m)
            return &em->states.data[i];
    return NULL;
}

/* ---- declarations ---- */

static void declare_family(rf_emitter *em, const rf_state *s)
{
    const rf_val *init = s->member->init;
    if (!s->declared_outside)
        rf_emit_append(em, rf_declare(em, s->var, NULL));
    rf_open_loop *loop = rf_loop_begin(em, s->family);
    rf_expr *at = rf_emit_use(em, RF_LAST(em->counters).var);
    rf_emit_append(em,
                   rf_assign(em, rf_state_place(em, s, at),
                             rf_express_as(em, init, s->member->red->type)));
    rf_loop_end(em, loop);
}

static void declare_state(rf_emitter *em, rf_state *s)
{
    const rf_val *init = s->member->init;
    if (s->family) {
        declare_family(em, s);
    } else {
        rf_emit_prepare(em, init);
        rf_expr *e = rf_express_as(em, init, s->member->red->type);
        if (s->declared_outside)
            rf_emit_append(em, rf_assign(em, rf_emit_use(em, s->var), e));
        else
            rf_emit_append(em, rf_declare(em, s->var, e));
    }
    if (!s->any)
        return;
    rf_expr *no = rf_expr_int(em->arena, 0);
    no->spelling = "false";
    rf_emit_append(em, rf_declare(em, s->any, no));
}

/* ---- one step ---- */

static rf_expr *const_expr(rf_emitter *em, const rf_type *type,
                           const char *spelling, double value)
{
    rf_expr *e = rf_expr_new(em->arena, RF_OP_FLOAT, type, 0, NULL);
    e->spelling = spelling;
    e->value.f = value;
    return e;
}

/* The value at which a shifted term is dead: -INFINITY for a maximum. */
static const rf_val *dead_value(rf_emitter *em, const rf_member *m)
{
    rf_expr *inf =
        const_expr(em, m->dead_when->type, "INFINITY", (double)INFINITY);
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
    if (v->kind != RF_VAL_CALL)
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
                                    m->dead_when, dead_value(em, m));
    const rf_val *safe =
        rf_val_select(em->vals, dead, rf_val_const(em->vals, zero), e);
    return rf_val_subst(em->vals, term, 1, &e, &safe);
}

static const rf_val *term_of(rf_emitter *em, const rf_member *m)
{
    return guard_dead(em, m, m->term);
}

/* Run "write" for every index of the family, or once. */
static rf_open_loop *family_begin(rf_emitter *em, const rf_state *s,
                                  rf_expr **place)
{
    if (!s->family) {
        *place = rf_state_place(em, s, NULL);
        return NULL;
    }
    rf_open_loop *loop = rf_loop_begin(em, s->family);
    *place = rf_state_place(em, s, rf_emit_use(em, RF_LAST(em->counters).var));
    return loop;
}

static void family_end(rf_emitter *em, rf_open_loop *loop)
{
    if (loop)
        rf_loop_end(em, loop);
}

/* The update of one member without its guard. */
static const rf_val *unguarded_next(const rf_member *m)
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

static const char *extremum_name(const rf_member *m)
{
    bool max = m->red->op == RF_REDUCE_MAX;
    if (m->red->type->kind != RF_TYPE_FLOAT)
        return max ? "max" : "min";
    if (m->red->type->format == RF_F64)
        return max ? "fmax" : "fmin";
    return max ? "fmaxf" : "fminf";
}

/* place (+)= term, for members whose term is not the author's. */
static void add_term(rf_emitter *em, const rf_member *m, rf_expr *place,
                     const rf_val *term)
{
    static const rf_op ops[] = {
        [RF_REDUCE_SUM] = RF_OP_ADD, [RF_REDUCE_PRODUCT] = RF_OP_MUL
    };
    rf_emit_prepare(em, term);
    rf_expr *t = rf_express_as(em, term, m->red->type);
    if (m->red->op == RF_REDUCE_SUM || m->red->op == RF_REDUCE_PRODUCT) {
        rf_emit_append(em, rf_assign_op(em, place, ops[m->red->op], t));
        return;
    }
    rf_expr *value;
    if (m->red->op == RF_REDUCE_AND || m->red->op == RF_REDUCE_OR) {
        value =
            rf_binary(em, m->red->op == RF_REDUCE_AND ? RF_OP_AND : RF_OP_OR,
                      m->red->type, place, t);
    } else {
        value = rf_expr_new(em->arena, RF_OP_CALL, m->red->type, 2,
                            (rf_expr *[]){ place, t });
        value->name = extremum_name(m);
    }
    rf_emit_append(em, rf_assign(em, place, value));
}

static bool is_authors_update(const rf_member *m)
{
    return m->term == m->red->term && !m->dead_when;
}

static void update_member(rf_emitter *em, rf_state *s)
{
    const rf_member *m = s->member;
    rf_expr *place;
    const rf_val *term = term_of(em, m);
    if (s->family)
        rf_emit_tally(em, term, 2);
    if (s->family)
        for (unsigned i = 0; i < term->n; i++)
            if (!rf_val_mentions(term->arg[i], s->family->index))
                rf_emit_prepare(em, term->arg[i]);
    rf_open_loop *loop = family_begin(em, s, &place);
    if (is_authors_update(m)) {
        rf_bind_state(em, m->red->phi, s);
        rf_emit_update(em, place, m->red, unguarded_next(m));
        rf_unbind(em, m->red->phi);
    } else {
        add_term(em, m, place, term);
    }
    family_end(em, loop);
    if (s->any) {
        rf_expr *yes = rf_expr_int(em->arena, 1);
        yes->spelling = "true";
        rf_emit_append(em, rf_assign(em, rf_emit_use(em, s->any), yes));
    }
}

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
        rf_state *s = state_for(em, dependent->shifts[i]);
        rf_expr *ne =
            rf_binary(em, RF_OP_NE, &rf_type_bool, rf_emit_use(em, s->var),
                      rf_emit_use(em, s->old));
        moved = moved ? rf_binary(em, RF_OP_OR, &rf_type_bool, moved, ne) : ne;
    }
    return moved;
}

static void rescale_one(rf_emitter *em, rf_state *s)
{
    rf_expr *place;
    const rf_val *ratio = s->member->ratio;
    rf_emit_prepare(em, ratio);
    rf_open_loop *loop = family_begin(em, s, &place);
    rf_emit_append(
        em, rf_assign_op(em, place, RF_OP_MUL,
                         rf_express_as(em, ratio, s->member->red->type)));
    family_end(em, loop);
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
            rf_emit_tally(em, s->member->ratio, s->family ? 2 : 1);
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
    const rf_val *next = unguarded_next(s->member);
    if (s->family || next->kind != RF_VAL_OP || next->op != RF_OP_SELECT ||
        next->arg[2] != s->member->red->phi ||
        !rf_val_mentions(next->arg[0], s->member->red->phi) ||
        rf_val_mentions(next->arg[1], s->member->red->phi))
        return false;
    for (size_t i = 0; i < em->states.len; i++)
        if (rescales(em->states.data[i].member, s->member) &&
            em->states.data[i].member->n_shifts != 1)
            return false;
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
                          d->family ? 2 : 1);
    }
    for (size_t i = 0; i < em->states.len; i++) {
        const rf_state *d = &em->states.data[i];
        if (!rescales(d->member, s->member))
            continue;
        rf_expr *place;
        const rf_val *ratio = ratio_to(em, d->member, s, moved);
        rf_emit_prepare(em, ratio);
        rf_open_loop *loop = family_begin(em, d, &place);
        rf_emit_append(
            em, rf_assign_op(em, place, RF_OP_MUL,
                             rf_express_as(em, ratio, d->member->red->type)));
        family_end(em, loop);
    }
    rf_emit_append(em,
                   rf_assign(em, rf_emit_use(em, s->var),
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

static void step_shift(rf_emitter *em, rf_state *s)
{
    if (step_branch(em, s))
        return;
    const char *wish = rf_arena_printf(em->arena, "%s_old", s->var->name);
    s->old =
        rf_new_var(em, rf_names_fresh(em, wish), s->member->red->type, true);
    rf_emit_append(em, rf_declare(em, s->old, rf_emit_use(em, s->var)));
    update_member(em, s);
    rescale(em, s->member);
}

/* ---- a pass ---- */

static void tally_pass(rf_emitter *em, unsigned pass)
{
    for (size_t i = 0; i < em->states.len; i++) {
        const rf_state *s = &em->states.data[i];
        if (s->member->pass != pass)
            continue;
        if (is_authors_update(s->member))
            rf_emit_tally(em, s->member->red->next, s->family ? 2 : 1);
        else
            rf_emit_tally(em, term_of(em, s->member), s->family ? 2 : 1);
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
static bool is_state_store(const rf_emitter *em, const rf_store *s)
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
                  rf_express(em, s->index));
    rf_emit_append(em,
                   rf_assign(em, place, rf_express_as(em, s->value, s->type)));
}

/* The inner loops of a store, from loops[from] on. */
static void emit_store_nest(rf_emitter *em, const rf_store *s, unsigned from)
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
    emit_store_nest(em, s, from + 1);
    rf_loop_end(em, loop);
}

static bool same_guard(const rf_state *a, const rf_state *b)
{
    return a->member->guard == b->member->guard;
}

/* The members of "pass", those under one condition in one `if`. */
static void emit_members(rf_emitter *em, unsigned pass)
{
    RF_ARRAY(rf_state *) group = { 0 };
    for (size_t i = 0; i < em->states.len; i++)
        if (em->states.data[i].member->pass == pass)
            RF_PUSH(group, &em->states.data[i]);
    for (size_t i = 0; i < group.len;) {
        const rf_val *guard = group.data[i]->member->guard;
        rf_open_block block;
        rf_expr *c = NULL;
        if (guard) {
            rf_emit_prepare(em, guard);
            c = rf_express(em, guard);
            rf_block_begin(em, &block);
        }
        size_t first = i;
        for (; i < group.len && same_guard(group.data[i], group.data[first]);
             i++) {
            if (group.data[i]->member->is_shift)
                step_shift(em, group.data[i]);
            else
                update_member(em, group.data[i]);
        }
        if (guard) {
            rf_block_end(em, &block);
            rf_emit_append(em, rf_if(em, c, &block.body));
        }
    }
    RF_CLEAR(group);
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

static void emit_pass(rf_emitter *em, unsigned pass)
{
    rf_open_loop *loop = rf_loop_begin(em, em->plan->axis);
    loop->stmt->text = pass_comment(em, pass);
    tally_pass(em, pass);
    emit_members(em, pass);
    for (size_t i = 0; i < em->plan->stores.len && !em->refused; i++) {
        const rf_placed_store *p = &em->plan->stores.data[i];
        if (p->in_pass && p->pass == pass && !is_state_store(em, p->store))
            emit_store_nest(em, p->store, 1);
    }
    rf_loop_end(em, loop);
}

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

/* Every shifted value was -inf: the sums are what the source computes then,
 * exp(-inf - -inf). */
static void emit_dead_rows(rf_emitter *em, unsigned pass)
{
    for (size_t i = 0; i < em->states.len; i++) {
        rf_state *shift = &em->states.data[i];
        rf_open_block block;
        rf_expr *ran = NULL;
        const rf_member *first = NULL;
        if (!shift->member->is_shift || shift->member->pass != pass ||
            em->plan->mark->masked_zero)
            continue;
        rf_block_begin(em, &block);
        for (size_t k = 0; k < em->states.len; k++) {
            rf_state *s = &em->states.data[k];
            if (!s->member->dead_when || s->member->shifts[0] != shift->member)
                continue;
            if (!first)
                may_be_empty(em, s, &ran);
            first = s->member;
            rf_expr *place;
            rf_open_loop *loop = family_begin(em, s, &place);
            rf_emit_append(em, rf_assign(em, place,
                                         const_expr(em, s->member->red->type,
                                                    "NAN", (double)NAN)));
            family_end(em, loop);
        }
        rf_block_end(em, &block);
        if (!first)
            continue;
        rf_expr *dead =
            rf_binary(em, RF_OP_EQ, &rf_type_bool, rf_emit_use(em, shift->var),
                      rf_express(em, dead_value(em, first)));
        if (ran)
            dead = rf_binary(em, RF_OP_AND, &rf_type_bool, ran, dead);
        rf_stmt *s = rf_if(em, dead, &block.body);
        s->text =
            first->dead_at_plus
                ? "nothing finite: inf - inf, as the reference computes"
                : "nothing finite: -inf - -inf, as the reference computes";
        rf_emit_append(em, s);
    }
}

/* Apply the deferred factors (T-7). */
static void emit_finish(rf_emitter *em, unsigned pass)
{
    for (size_t i = 0; i < em->states.len; i++) {
        rf_state *s = &em->states.data[i];
        if (s->member->pass != pass || !s->member->later)
            continue;
        rf_expr *ran, *place;
        rf_open_block block;
        bool guarded = may_be_empty(em, s, &ran);
        if (guarded)
            rf_block_begin(em, &block);
        rf_open_loop *loop = family_begin(em, s, &place);
        const rf_val *state = rf_val_entry(em->vals, s->member->state_var);
        rf_bind_state(em, state, s);
        const rf_val *later = s->member->later;
        if (later->kind == RF_VAL_OP && later->n == 2 &&
            later->arg[0] == state &&
            (later->op == RF_OP_DIV || later->op == RF_OP_MUL))
            rf_emit_append(em, rf_assign_op(em, place, later->op,
                                            rf_express(em, later->arg[1])));
        else
            rf_emit_append(
                em, rf_assign(em, place,
                              rf_express_as(em, later, s->member->red->type)));
        rf_unbind(em, state);
        family_end(em, loop);
        if (guarded) {
            rf_block_end(em, &block);
            rf_emit_append(em, rf_if(em, ran, &block.body));
        }
        s->finished = true;
    }
}

/* Values that the author named between the loops: const float inv = 1 / l; */
static bool is_state_name(const rf_emitter *em, const rf_var *var)
{
    for (size_t i = 0; i < em->states.len; i++)
        if (em->states.data[i].var == var)
            return true;
    return false;
}

static bool is_used_later(rf_emitter *em, const rf_binding *f, unsigned pass)
{
    if (rf_block_needs(em->plan->block, em->plan->last + 1, f->var))
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

static void emit_names(rf_emitter *em, unsigned pass)
{
    for (size_t i = 0; i < em->trace->names.len; i++) {
        const rf_binding *f = &em->trace->names.data[i];
        unsigned ready;
        if (!is_declared_inside(em, f->var) || is_state_name(em, f->var) ||
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

/* Stores after pass "pass" (0: before the first); neighbours over one loop
 * share it. */
static void emit_stores(rf_emitter *em, unsigned pass)
{
    for (size_t i = 0; i < em->plan->stores.len && !em->refused;) {
        const rf_placed_store *p = &em->plan->stores.data[i];
        if (p->in_pass || p->pass != pass || is_state_store(em, p->store)) {
            i++;
            continue;
        }
        if (!p->store->n_loops) {
            emit_store_nest(em, p->store, 0);
            i++;
            continue;
        }
        size_t last = i;
        while (last + 1 < em->plan->stores.len &&
               !em->plan->stores.data[last + 1].in_pass &&
               em->plan->stores.data[last + 1].pass == pass &&
               same_nest(p->store, em->plan->stores.data[last + 1].store))
            last++;
        rf_open_loop *loop = rf_loop_begin(em, p->store->loops[0]);
        for (size_t k = i; k <= last; k++) {
            rf_emit_tally(em, em->plan->stores.data[k].store->value, 1);
            rf_emit_tally(em, em->plan->stores.data[k].store->index, 1);
        }
        for (size_t k = i; k <= last; k++)
            emit_store_nest(em, em->plan->stores.data[k].store, 1);
        rf_loop_end(em, loop);
        i = last + 1;
    }
}

/* ---- live scalars ---- */

static void emit_finals(rf_emitter *em)
{
    for (size_t i = 0; i < em->trace->finals.len && !em->refused; i++) {
        const rf_binding *f = &em->trace->finals.data[i];
        bool inside = is_declared_inside(em, f->var);
        rf_state *s = rf_state_of(em, f->value);
        bool in_scope = false;
        for (size_t k = 0; k < em->scope.len; k++)
            in_scope |= em->scope.data[k].var == f->var;
        if (!rf_block_needs(em->plan->block, em->plan->last + 1, f->var) ||
            (s && s->var == f->var) || in_scope ||
            (f->value->kind == RF_VAL_ENTRY && f->value->var == f->var))
            continue;
        rf_emit_prepare(em, f->value);
        rf_expr *e = rf_express_as(em, f->value, f->var->type);
        if (inside && !is_state_name(em, f->var))
            rf_emit_append(em, rf_declare(em, f->var, e));
        else
            rf_emit_append(em, rf_assign(em, rf_emit_use(em, f->var), e));
    }
}

/* ---- the author's declarations that stay ---- */

static bool is_used(const rf_emitter *em, const rf_var *var)
{
    for (size_t i = 0; i < em->used.len; i++)
        if (em->used.data[i] == var)
            return true;
    return rf_block_needs(em->plan->block, em->plan->last + 1, var);
}

static void use_in(rf_emitter *em, const rf_expr *e)
{
    if (!e)
        return;
    if (e->op == RF_OP_VAR)
        rf_emit_use(em, e->var);
    for (unsigned i = 0; i < e->n; i++)
        use_in(em, e->arg[i]);
}

/* A declaration whose value needs no loop: `const float *row = x + i * n;`. */
static bool is_kept(const rf_emitter *em, const rf_stmt *s)
{
    if (s->kind != RF_STMT_DECL || is_state_name(em, s->var))
        return false;
    if (rf_type_is_pointer_like(s->var->type))
        return true;
    if (!s->var->is_const || !s->expr)
        return false;
    for (size_t i = 0; i < em->trace->names.len; i++) {
        const rf_binding *b = &em->trace->names.data[i];
        unsigned ready;
        if (b->var == s->var)
            return rf_plan_value_ready(em->plan, b->value, &ready) &&
                   ready == 0;
    }
    return false;
}

/* Bind the values of kept declarations to their names. */
static void bind_kept(rf_emitter *em)
{
    const rf_stmt *b = em->plan->block;
    for (unsigned i = em->plan->first; i <= em->plan->last; i++) {
        if (!is_kept(em, b->list[i]))
            continue;
        RF_PUSH(em->names, b->list[i]->var->name);
        for (size_t k = 0; k < em->trace->names.len; k++) {
            const rf_binding *n = &em->trace->names.data[k];
            if (n->var == b->list[i]->var && n->value->kind != RF_VAL_CONST &&
                n->value->kind != RF_VAL_ENTRY)
                RF_PUSH(em->scope,
                        (rf_in_scope){ .value = n->value, .var = n->var });
        }
    }
}

/* The kept declarations that something uses, in order. */
static void keep_declarations(rf_emitter *em, rf_stmts *out)
{
    const rf_stmt *b = em->plan->block;
    for (unsigned i = em->plan->last + 1; i-- > em->plan->first;)
        if (is_kept(em, b->list[i]) && is_used(em, b->list[i]->var))
            use_in(em, b->list[i]->expr);
    for (unsigned i = em->plan->first; i <= em->plan->last; i++) {
        rf_stmt *s = b->list[i];
        bool is_state = false;
        for (size_t k = 0; k < em->states.len; k++)
            is_state |= em->states.data[k].var == s->var;
        if (s->kind == RF_STMT_DECL && !is_state && is_kept(em, s) &&
            is_used(em, s->var))
            RF_PUSH(*out, s);
    }
}

/* ---- the whole ---- */

static void set_contribution_flags(rf_emitter *em)
{
    for (size_t i = 0; i < em->states.len; i++) {
        rf_state *s = &em->states.data[i];
        if (s->member->guard &&
            ((s->member->later && s->member->later_needs_steps) ||
             s->member->dead_when))
            s->any =
                rf_new_var(em, rf_names_fresh(em, "any"), &rf_type_bool, false);
    }
}

static void build(rf_emitter *em)
{
    const rf_plan *plan = em->plan;
    rf_names_take_function(em);
    bind_kept(em);
    for (size_t i = 0; i < plan->members.len && !em->refused; i++)
        add_state(em, plan->members.data[i]);
    set_contribution_flags(em);
    for (unsigned pass = 0; pass < plan->n_loops && !em->refused; pass++) {
        emit_stores(em, pass);
        for (size_t i = 0; i < em->states.len && !em->refused; i++)
            if (em->states.data[i].member->pass == pass)
                declare_state(em, &em->states.data[i]);
        if (!em->refused)
            emit_pass(em, pass);
        emit_finish(em, pass);
        emit_dead_rows(em, pass);
        emit_names(em, pass);
    }
    if (!em->refused)
        emit_stores(em, plan->n_loops);
    emit_finals(em);
}

static const char *base_indent(rf_arena *arena, const rf_unit *unit,
                               uint32_t at)
{
    uint32_t begin = at;
    while (begin > 0 && unit->bytes[begin - 1] != '\n')
        begin--;
    uint32_t end = begin;
    while (unit->bytes[end] == ' ' || unit->bytes[end] == '\t')
        end++;
    return rf_arena_strndup(arena, unit->bytes + begin, end - begin);
}

/* Print the statements; the first line's indentation is already there. */
static const char *print(rf_emitter *em, const rf_stmts *list, uint32_t at)
{
    rf_buf text = { 0 };
    rf_print_style style = rf_print_style_of(em->unit->bytes, em->unit->size);
    style.base = base_indent(em->arena, em->unit, at);
    style.eol = "\n";
    for (size_t i = 0; i < list->len; i++)
        rf_print_stmt(&text, list->data[i], &style);
    const char *t = rf_buf_text(&text);
    size_t skip = strlen(style.base), n = text.len;
    while (n && t[n - 1] == '\n')
        n--;
    const char *copy =
        n > skip ? rf_arena_strndup(em->arena, t + skip, n - skip) : "";
    rf_buf_free(&text);
    return copy;
}

static void emitter_free(rf_emitter *em)
{
    RF_CLEAR(em->scope);
    RF_CLEAR(em->counters);
    RF_CLEAR(em->states);
    RF_CLEAR(em->names);
    RF_CLEAR(em->used);
    free(em->uses);
}

int rf_emit_plan(rf_arena *arena, const rf_unit *unit, const rf_plan *plan,
                 rf_emitted *out, rf_refusal *refusal)
{
    rf_stmts body = { 0 }, all = { 0 };
    rf_emitter em = { .arena = arena,
                      .unit = unit,
                      .plan = plan,
                      .trace = plan->trace,
                      .vals = plan->trace->vals,
                      .out = &body,
                      .refusal = refusal };
    build(&em);
    if (!em.refused) {
        keep_declarations(&em, &all);
        for (size_t i = 0; i < body.len; i++)
            RF_PUSH(all, body.data[i]);
        const rf_stmt *b = plan->block;
        out->begin = b->list[plan->first]->at.begin;
        out->end = b->list[plan->last]->at.end;
        out->text = print(&em, &all, out->begin);
    }
    RF_CLEAR(body);
    RF_CLEAR(all);
    emitter_free(&em);
    return em.refused ? -1 : 0;
}

const char *rf_emit_region(rf_arena *arena, const rf_unit *unit,
                           const rf_region *region, const rf_emitted *parts,
                           size_t n)
{
    rf_range whole =
        region->whole_function ? region->func->at : region->stmt->at;
    rf_buf text = { 0 };
    uint32_t at = whole.begin;
    for (size_t i = 0; i < n; i++) {
        rf_buf_add(&text, unit->bytes + at, parts[i].begin - at);
        rf_buf_puts(&text, parts[i].text);
        at = parts[i].end;
    }
    rf_buf_add(&text, unit->bytes + at, whole.end - at);
    const char *copy = rf_arena_strdup(arena, rf_buf_text(&text));
    rf_buf_free(&text);
    return copy;
}
