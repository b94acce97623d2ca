/* The merge of two states (T-3).
 *
 *     m' = max(m, m_other)
 *     l' = l * ratio(m -> m') + l_other * ratio(m_other -> m')           (T-6)
 *
 * Where the other state comes from is up to the caller: another lane (team.c)
 * or a block that has ended (grid.c). */
#include "emit/combining.h"

#include <string.h>

/* ---- small pieces of text ---- */

const rf_type rf_type_unsigned = {
    .kind = RF_TYPE_INT, .bits = 32, .is_unsigned = true, .spelling = "unsigned"
};

rf_expr *rf_emit_builtin(rf_emitter *em, const char *record, const char *field)
{
    rf_var *var = RF_NEW(em->arena, rf_var);
    *var = (rf_var){ .name = record,
                     .type = &rf_type_unsigned,
                     .storage = RF_VAR_BUILTIN,
                     .is_const = true,
                     .at = RF_NOWHERE };
    rf_expr *of = rf_expr_var(em->arena, var);
    rf_expr *e = rf_expr_new(em->arena, RF_OP_FIELD, &rf_type_unsigned, 1, &of);
    e->name = field;
    return e;
}

rf_expr *rf_emit_number(rf_emitter *em, int64_t n)
{
    return rf_expr_int(em->arena, n);
}

rf_expr *rf_emit_op(rf_emitter *em, rf_op o, rf_expr *a, rf_expr *b)
{
    const rf_type *type =
        o >= RF_OP_LT && o <= RF_OP_OR ? &rf_type_bool : &rf_type_unsigned;
    return rf_binary(em, o, type, a, b);
}

rf_stmt *rf_emit_call_stmt(rf_emitter *em, const char *name)
{
    rf_stmt *s = rf_stmt_new(em->arena, RF_STMT_EXPR);
    s->expr = rf_expr_new(em->arena, RF_OP_CALL, &rf_type_int, 0, NULL);
    s->expr->name = name;
    return s;
}

/* ---- what is combined ---- */

static const rf_member *member_of(const rf_part *p)
{
    return p->state && !p->is_flag ? p->state->member : NULL;
}

bool rf_part_is_moment(const rf_part *p)
{
    return member_of(p) && member_of(p)->step;
}

static bool is_rescaled(const rf_part *p)
{
    return member_of(p) && member_of(p)->ratio;
}

static bool is_of_pass(const rf_state *s, unsigned pass)
{
    return s->member->pass == pass;
}

void rf_combine_collect(rf_combine *c)
{
    rf_emitter *em = c->em;
    c->parts = RF_NEW_ARRAY(em->arena, 2 * em->states.len + 1, rf_part);
    for (size_t i = 0; i < em->states.len; i++) {
        rf_state *s = &em->states.data[i];
        if (!is_of_pass(s, c->pass))
            continue;
        if (s->member->is_derived)
            continue;
        if (s->family || (s->member->step && !s->member->merge)) {
            rf_emit_fail(em, s->member->red->at,
                         "this state of a team cannot be merged yet");
            return;
        }
        c->parts[c->n++] = (rf_part){ .state = s,
                                      .var = s->var,
                                      .type = s->member->red->type };
        if (s->any)
            c->parts[c->n++] = (rf_part){ .state = s,
                                          .var = s->any,
                                          .is_flag = true,
                                          .type = &rf_type_bool };
    }
    if (rf_emit_is_counted(em, c->pass))
        c->parts[c->n++] = (rf_part){ .var = em->plan->count_var,
                                      .type = em->plan->count_var->type };
}

/* ---- the merge of two states ---- */

/* The author's update with the other state in place of the term, if the term
 * is all that it uses of the axis. */
static const rf_val *authors_merge(const rf_combine *c, const rf_part *p)
{
    const rf_member *m = p->state->member;
    const rf_val *from = m->red->term,
                 *to = rf_val_entry(c->em->vals, p->other);
    const rf_val *next =
        rf_val_subst(c->em->vals, rf_emit_next(m), 1, &from, &to);
    bool is_max = rf_reduce_is_extremum(m->red->op) &&
                  rf_val_mentions(next, to) && next->kind == RF_VAL_CALL &&
                  next->n == 2;
    return is_max && !rf_val_mentions(next, c->em->plan->axis->index) ? next
                                                                      : NULL;
}

/* var (+)= other */
static void merge_value(const rf_combine *c, const rf_part *p)
{
    rf_emitter *em = c->em;
    const rf_red *red = p->state->member->red;
    rf_expr *place = rf_emit_use(em, p->var);
    rf_expr *other = rf_emit_use(em, p->other);
    if (p->is_flag || red->op == RF_REDUCE_AND || red->op == RF_REDUCE_OR) {
        rf_op o = p->is_flag ? RF_OP_OR : rf_op_of_reduce(red->op);
        rf_emit_append(em,
                       rf_assign(em, place, rf_emit_op(em, o, place, other)));
        return;
    }
    const rf_val *authors = authors_merge(c, p);
    if (authors) {
        rf_bind_state(em, red->phi, p->state);
        rf_emit_update(em, place, red, authors);
        rf_unbind(em, red->phi);
    } else if (rf_reduce_is_extremum(red->op)) {
        rf_expr *e = rf_expr_new(em->arena, RF_OP_CALL, red->type, 2,
                                 (rf_expr *[]){ place, other });
        e->name = rf_emit_extremum_name(p->state->member);
        rf_emit_append(em, rf_assign(em, place, e));
    } else if (rf_op_of_reduce(red->op) != RF_OP_COUNT) {
        rf_emit_append(
            em, rf_assign_op(em, place, rf_op_of_reduce(red->op), other));
    } else {
        rf_emit_fail(em, red->at, "this result of a team cannot be merged");
    }
}

static rf_part *part_of(const rf_combine *c, const rf_member *m)
{
    for (size_t i = 0; i < c->n; i++)
        if (member_of(&c->parts[i]) == m)
            return &c->parts[i];
    return NULL;
}

static bool same_shifts(const rf_member *a, const rf_member *b)
{
    if (a->n_shifts != b->n_shifts)
        return false;
    for (unsigned i = 0; i < a->n_shifts; i++)
        if (a->shifts[i] != b->shifts[i])
            return false;
    return true;
}

/* if (m != before) l *= ratio(before -> m); for all parts that follow the same
 * shifts as "first"; "other": for the state of the other lane. */
static void rescale(const rf_combine *c, const rf_part *first, rf_var **before,
                    bool other)
{
    rf_emitter *em = c->em;
    const rf_member *m = first->state->member;
    rf_expr *moved = NULL;
    rf_open_block block;
    for (unsigned i = 0; i < m->n_shifts; i++) {
        rf_part *s = part_of(c, m->shifts[i]);
        s->state->old = other ? s->other : before[i];
        rf_expr *ne = rf_emit_op(em, RF_OP_NE, rf_emit_use(em, s->var),
                                 rf_emit_use(em, s->state->old));
        moved = moved ? rf_emit_op(em, RF_OP_OR, moved, ne) : ne;
    }
    rf_block_begin(em, &block);
    unsigned *uses = em->uses;
    size_t n_uses = em->n_uses;
    em->uses = NULL;
    em->n_uses = 0;
    for (const rf_part *p = first; p < c->parts + c->n; p++)
        if (is_rescaled(p) && same_shifts(member_of(p), m))
            rf_emit_tally(em, member_of(p)->ratio, 1);
    for (const rf_part *p = first; p < c->parts + c->n; p++) {
        const rf_member *d = member_of(p);
        if (!is_rescaled(p) || !same_shifts(d, m))
            continue;
        rf_emit_prepare(em, d->ratio);
        rf_expr *factor = rf_express_as(em, d->ratio, d->red->type);
        rf_var *var = other ? p->other : p->var;
        rf_emit_append(
            em, rf_assign_op(em, rf_emit_use(em, var), RF_OP_MUL, factor));
    }
    free(em->uses);
    em->uses = uses;
    em->n_uses = n_uses;
    rf_block_end(em, &block);
    rf_emit_append(em, rf_if(em, moved, &block.body));
}

static bool is_first_with_shifts(const rf_combine *c, const rf_part *p)
{
    for (const rf_part *q = c->parts; q < p; q++)
        if (is_rescaled(q) && same_shifts(member_of(q), member_of(p)))
            return false;
    return true;
}

/* const float m_old = m; for the rescaling that follows. */
static void keep_old(const rf_combine *c, rf_part *p)
{
    rf_emitter *em = c->em;
    const char *wish = rf_arena_printf(em->arena, "%s_old", p->var->name);
    p->before = rf_new_var(em, rf_names_fresh(em, wish), p->type, true);
    rf_emit_append(em, rf_declare(em, p->before, rf_emit_use(em, p->var)));
}

static void rescale_all(const rf_combine *c)
{
    rf_emitter *em = c->em;
    for (size_t i = 0; i < c->n; i++) {
        rf_part *p = &c->parts[i];
        const rf_member *m = member_of(p);
        if (!is_rescaled(p) || !is_first_with_shifts(c, p))
            continue;
        rf_var **old = RF_NEW_ARRAY(em->arena, m->n_shifts + 1, rf_var *);
        for (unsigned k = 0; k < m->n_shifts; k++)
            old[k] = part_of(c, m->shifts[k])->before;
        rescale(c, p, old, false);
        rescale(c, p, old, true);
    }
}

/* ---- moments (T-9) ---- */

/* A merge of class M needs the value that "p" had before. */
static bool is_old_needed(const rf_combine *c, const rf_part *p)
{
    const rf_member *m = member_of(p);
    for (size_t i = 0; m && i < c->n; i++)
        if (rf_part_is_moment(&c->parts[i]) &&
            rf_val_mentions(member_of(&c->parts[i])->merge,
                            rf_val_entry(c->em->vals, m->old_var)))
            return true;
    return false;
}

/* In the merges "right" entries are the other lane's states. */
static void bind_others(const rf_combine *c)
{
    rf_emitter *em = c->em;
    for (size_t i = 0; i < c->n; i++) {
        const rf_part *p = &c->parts[i];
        rf_var *stand_in = !p->state      ? em->plan->count_right_var
                           : member_of(p) ? member_of(p)->right_var
                                          : NULL;
        if (stand_in)
            RF_PUSH(em->scope,
                    (rf_in_scope){ .value = rf_val_entry(em->vals, stand_in),
                                   .var = p->other });
        if (member_of(p) && p->before)
            p->state->old = p->before;
    }
}

/* Steps and merges change places: a merge is emitted as a step is. */
static void swap_steps(const rf_combine *c)
{
    for (size_t i = 0; i < c->n; i++) {
        rf_member *m = (rf_member *)(uintptr_t)member_of(&c->parts[i]);
        if (!m || !m->step)
            continue;
        const rf_val *step = m->step;
        m->step = m->merge;
        m->merge = step;
    }
}

static void write_moments(const rf_combine *c)
{
    rf_emitter *em = c->em;
    unsigned *uses = em->uses;
    size_t n_uses = em->n_uses;
    em->uses = NULL;
    em->n_uses = 0;
    bind_others(c);
    swap_steps(c);
    for (size_t i = 0; i < c->n; i++)
        if (rf_part_is_moment(&c->parts[i]))
            rf_emit_tally(em, member_of(&c->parts[i])->step, 1);
    for (size_t i = 0; i < c->n; i++)
        if (rf_part_is_moment(&c->parts[i]))
            rf_emit_step_member(em, c->parts[i].state);
    swap_steps(c);
    free(em->uses);
    em->uses = uses;
    em->n_uses = n_uses;
}

/* if (n == 0) the other moments; else if (n_other > 0) those of both. */
static void merge_moments(const rf_combine *c)
{
    rf_emitter *em = c->em;
    const rf_part *count = &c->parts[c->n - 1];
    rf_open_block take, both;
    if (count->state)
        return;
    rf_block_begin(em, &take);
    for (size_t i = 0; i < c->n; i++)
        if (rf_part_is_moment(&c->parts[i]))
            rf_emit_append(em, rf_assign(em, rf_emit_use(em, c->parts[i].var),
                                         rf_emit_use(em, c->parts[i].other)));
    rf_block_end(em, &take);
    rf_block_begin(em, &both);
    write_moments(c);
    rf_block_end(em, &both);
    rf_expr *n = rf_emit_use(em, count->var);
    rf_expr *n_other = rf_emit_use(em, count->other);
    rf_stmt *s = rf_if(em, rf_emit_op(em, RF_OP_EQ, n, rf_emit_number(em, 0)),
                       &take.body);
    s->orelse =
        rf_if(em, rf_emit_op(em, RF_OP_GT, n_other, rf_emit_number(em, 0)),
              &both.body);
    rf_emit_append(em, s);
    rf_emit_append(em, rf_assign_op(em, n, RF_OP_ADD, n_other));
}

/* The state becomes that of both lanes. */
void rf_combine_merge(const rf_combine *c)
{
    for (size_t i = 0; i < c->n; i++) {
        rf_part *p = &c->parts[i];
        p->before = NULL;
        bool is_shift = member_of(p) && member_of(p)->is_shift;
        if (is_shift || (!rf_part_is_moment(p) && is_old_needed(c, p)))
            keep_old(c, p);
        if (is_shift)
            merge_value(c, p);
    }
    rescale_all(c);
    for (size_t i = 0; i < c->n; i++) {
        const rf_part *p = &c->parts[i];
        bool is_shift = member_of(p) && member_of(p)->is_shift;
        if (p->state && !rf_part_is_moment(p) && !is_shift)
            merge_value(c, p);
    }
    merge_moments(c);
}

void rf_combine_declare_other(const rf_combine *c, rf_part *p, rf_expr *from)
{
    rf_emitter *em = c->em;
    const char *wish = rf_arena_printf(em->arena, "%s_other", p->var->name);
    p->other =
        rf_new_var(em, rf_names_fresh(em, wish), p->type, !is_rescaled(p));
    rf_emit_append(em, rf_declare(em, p->other, from));
}

/* ---- loops ---- */

rf_var *rf_counted_begin(const rf_combine *c, rf_counted *l, const char *name,
                         rf_expr *from)
{
    rf_emitter *em = c->em;
    l->names = em->names.len;
    rf_var *var =
        rf_new_var(em, rf_names_fresh(em, name), &rf_type_unsigned, false);
    l->stmt = rf_stmt_new(em->arena, RF_STMT_FOR);
    l->stmt->init = rf_declare(em, var, from);
    rf_block_begin(em, &l->block);
    return var;
}

void rf_counted_end(const rf_combine *c, rf_counted *l, rf_expr *test,
                    rf_expr *step)
{
    rf_emitter *em = c->em;
    rf_block_end(em, &l->block);
    l->stmt->expr = test;
    l->stmt->step = step;
    l->stmt->body = rf_block(em, &l->block.body);
    em->names.len = l->names;
    rf_emit_append(em, l->stmt);
}
