/* One combine of the whole state for a team (T-3): the lanes of a warp meet in
 * a shuffle loop, the warps of a block in shared memory, with one barrier.
 *
 *     m' = max(m, m_other)
 *     l' = l * ratio(m -> m') + l_other * ratio(m_other -> m')           (T-6)
 *
 * Every thread folds the states of the warps in the same order, so that all of
 * them hold the same result and no broadcast is needed. */
#include "emit/emitting.h"

#include <string.h>

/* ---- small pieces of text ---- */

static const rf_type type_unsigned = {
    .kind = RF_TYPE_INT, .bits = 32, .is_unsigned = true, .spelling = "unsigned"
};

static rf_expr *builtin(rf_emitter *em, const char *record, const char *field)
{
    rf_var *var = RF_NEW(em->arena, rf_var);
    *var = (rf_var){ .name = record,
                     .type = &type_unsigned,
                     .storage = RF_VAR_BUILTIN,
                     .is_const = true,
                     .at = RF_NOWHERE };
    rf_expr *of = rf_expr_var(em->arena, var);
    rf_expr *e = rf_expr_new(em->arena, RF_OP_FIELD, &type_unsigned, 1, &of);
    e->name = field;
    return e;
}

static rf_expr *number(rf_emitter *em, int64_t n)
{
    return rf_expr_int(em->arena, n);
}

static rf_expr *op(rf_emitter *em, rf_op o, rf_expr *a, rf_expr *b)
{
    const rf_type *type =
        o >= RF_OP_LT && o <= RF_OP_OR ? &rf_type_bool : &type_unsigned;
    return rf_binary(em, o, type, a, b);
}

/* The number of a thread in its block; rows of the block follow each other. */
static rf_expr *thread(rf_emitter *em)
{
    rf_expr *x = builtin(em, "threadIdx", "x");
    if (!em->trace->team->has_rows)
        return x;
    rf_expr *row = op(em, RF_OP_MUL, builtin(em, "threadIdx", "y"),
                      builtin(em, "blockDim", "x"));
    return op(em, RF_OP_ADD, row, x);
}

static rf_expr *threads(rf_emitter *em)
{
    rf_expr *x = builtin(em, "blockDim", "x");
    return em->trace->team->has_rows
               ? op(em, RF_OP_MUL, x, builtin(em, "blockDim", "y"))
               : x;
}

static rf_stmt *call_stmt(rf_emitter *em, const char *name)
{
    rf_stmt *s = rf_stmt_new(em->arena, RF_STMT_EXPR);
    s->expr = rf_expr_new(em->arena, RF_OP_CALL, &rf_type_int, 0, NULL);
    s->expr->name = name;
    return s;
}

/* ---- what is combined ---- */

/* One variable of the state and its counterpart in another lane. */
typedef struct {
    rf_state *state; /* NULL: the count of elements */
    rf_var *var;     /* the state's variable, or its flag */
    bool is_flag;    /* "any": some step contributed */
    rf_var *other;   /* while two states are merged */
    rf_var *before;  /* ... its own value before, or NULL */
    rf_var *shared;  /* one element a warp */
    const rf_type *type;
} part;

typedef struct {
    rf_emitter *em;
    unsigned pass;
    part *parts;
    size_t n;
} combine;

static const rf_member *member_of(const part *p)
{
    return p->state && !p->is_flag ? p->state->member : NULL;
}

static bool is_moment(const part *p)
{
    return member_of(p) && member_of(p)->step;
}

static bool is_rescaled(const part *p)
{
    return member_of(p) && member_of(p)->ratio;
}

static bool is_of_pass(const rf_state *s, unsigned pass)
{
    return s->member->pass == pass;
}

static void collect(combine *c)
{
    rf_emitter *em = c->em;
    c->parts = RF_NEW_ARRAY(em->arena, 2 * em->states.len + 1, part);
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
        c->parts[c->n++] =
            (part){ .state = s, .var = s->var, .type = s->member->red->type };
        if (s->any)
            c->parts[c->n++] = (part){ .state = s,
                                       .var = s->any,
                                       .is_flag = true,
                                       .type = &rf_type_bool };
    }
    if (rf_emit_is_counted(em, c->pass))
        c->parts[c->n++] = (part){ .var = em->plan->count_var,
                                   .type = em->plan->count_var->type };
}

/* ---- the merge of two states ---- */

static bool is_extremum(const rf_member *m)
{
    return m->red->op == RF_REDUCE_MAX || m->red->op == RF_REDUCE_MIN;
}

/* The author's update with the other state in place of the term, if the term
 * is all that it uses of the axis. */
static const rf_val *authors_merge(const combine *c, const part *p)
{
    const rf_member *m = p->state->member;
    const rf_val *from = m->red->term,
                 *to = rf_val_entry(c->em->vals, p->other);
    const rf_val *next =
        rf_val_subst(c->em->vals, rf_emit_next(m), 1, &from, &to);
    bool is_max = is_extremum(m) && rf_val_mentions(next, to) &&
                  next->kind == RF_VAL_CALL && next->n == 2;
    return is_max && !rf_val_mentions(next, c->em->plan->axis->index) ? next
                                                                      : NULL;
}

/* var (+)= other */
static void merge_value(const combine *c, const part *p)
{
    rf_emitter *em = c->em;
    const rf_red *red = p->state->member->red;
    rf_expr *place = rf_emit_use(em, p->var);
    rf_expr *other = rf_emit_use(em, p->other);
    if (p->is_flag || red->op == RF_REDUCE_AND || red->op == RF_REDUCE_OR) {
        rf_op o = p->is_flag ? RF_OP_OR : rf_op_of_reduce(red->op);
        rf_emit_append(em, rf_assign(em, place, op(em, o, place, other)));
        return;
    }
    const rf_val *authors = authors_merge(c, p);
    if (authors) {
        rf_bind_state(em, red->phi, p->state);
        rf_emit_update(em, place, red, authors);
        rf_unbind(em, red->phi);
    } else if (is_extremum(p->state->member)) {
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

static part *part_of(const combine *c, const rf_member *m)
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
static void rescale(const combine *c, const part *first, rf_var **before,
                    bool other)
{
    rf_emitter *em = c->em;
    const rf_member *m = first->state->member;
    rf_expr *moved = NULL;
    rf_open_block block;
    for (unsigned i = 0; i < m->n_shifts; i++) {
        part *s = part_of(c, m->shifts[i]);
        s->state->old = other ? s->other : before[i];
        rf_expr *ne = op(em, RF_OP_NE, rf_emit_use(em, s->var),
                         rf_emit_use(em, s->state->old));
        moved = moved ? op(em, RF_OP_OR, moved, ne) : ne;
    }
    rf_block_begin(em, &block);
    unsigned *uses = em->uses;
    size_t n_uses = em->n_uses;
    em->uses = NULL;
    em->n_uses = 0;
    for (const part *p = first; p < c->parts + c->n; p++)
        if (is_rescaled(p) && same_shifts(member_of(p), m))
            rf_emit_tally(em, member_of(p)->ratio, 1);
    for (const part *p = first; p < c->parts + c->n; p++) {
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

static bool is_first_with_shifts(const combine *c, const part *p)
{
    for (const part *q = c->parts; q < p; q++)
        if (is_rescaled(q) && same_shifts(member_of(q), member_of(p)))
            return false;
    return true;
}

/* const float m_old = m; for the rescaling that follows. */
static void keep_old(const combine *c, part *p)
{
    rf_emitter *em = c->em;
    const char *wish = rf_arena_printf(em->arena, "%s_old", p->var->name);
    p->before = rf_new_var(em, rf_names_fresh(em, wish), p->type, true);
    rf_emit_append(em, rf_declare(em, p->before, rf_emit_use(em, p->var)));
}

static void rescale_all(const combine *c)
{
    rf_emitter *em = c->em;
    for (size_t i = 0; i < c->n; i++) {
        part *p = &c->parts[i];
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
static bool is_old_needed(const combine *c, const part *p)
{
    const rf_member *m = member_of(p);
    for (size_t i = 0; m && i < c->n; i++)
        if (is_moment(&c->parts[i]) &&
            rf_val_mentions(member_of(&c->parts[i])->merge,
                            rf_val_entry(c->em->vals, m->old_var)))
            return true;
    return false;
}

/* In the merges "right" entries are the other lane's states. */
static void bind_others(const combine *c)
{
    rf_emitter *em = c->em;
    for (size_t i = 0; i < c->n; i++) {
        const part *p = &c->parts[i];
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
static void swap_steps(const combine *c)
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

static void write_moments(const combine *c)
{
    rf_emitter *em = c->em;
    unsigned *uses = em->uses;
    size_t n_uses = em->n_uses;
    em->uses = NULL;
    em->n_uses = 0;
    bind_others(c);
    swap_steps(c);
    for (size_t i = 0; i < c->n; i++)
        if (is_moment(&c->parts[i]))
            rf_emit_tally(em, member_of(&c->parts[i])->step, 1);
    for (size_t i = 0; i < c->n; i++)
        if (is_moment(&c->parts[i]))
            rf_emit_step_member(em, c->parts[i].state);
    swap_steps(c);
    free(em->uses);
    em->uses = uses;
    em->n_uses = n_uses;
}

/* if (n == 0) the other moments; else if (n_other > 0) those of both. */
static void merge_moments(const combine *c)
{
    rf_emitter *em = c->em;
    const part *count = &c->parts[c->n - 1];
    rf_open_block take, both;
    if (count->state)
        return;
    rf_block_begin(em, &take);
    for (size_t i = 0; i < c->n; i++)
        if (is_moment(&c->parts[i]))
            rf_emit_append(em, rf_assign(em, rf_emit_use(em, c->parts[i].var),
                                         rf_emit_use(em, c->parts[i].other)));
    rf_block_end(em, &take);
    rf_block_begin(em, &both);
    write_moments(c);
    rf_block_end(em, &both);
    rf_expr *n = rf_emit_use(em, count->var);
    rf_expr *n_other = rf_emit_use(em, count->other);
    rf_stmt *s = rf_if(em, op(em, RF_OP_EQ, n, number(em, 0)), &take.body);
    s->orelse = rf_if(em, op(em, RF_OP_GT, n_other, number(em, 0)), &both.body);
    rf_emit_append(em, s);
    rf_emit_append(em, rf_assign_op(em, n, RF_OP_ADD, n_other));
}

/* The state becomes that of both lanes. */
static void merge(const combine *c)
{
    for (size_t i = 0; i < c->n; i++) {
        part *p = &c->parts[i];
        p->before = NULL;
        bool is_shift = member_of(p) && member_of(p)->is_shift;
        if (is_shift || (!is_moment(p) && is_old_needed(c, p)))
            keep_old(c, p);
        if (is_shift)
            merge_value(c, p);
    }
    rescale_all(c);
    for (size_t i = 0; i < c->n; i++) {
        const part *p = &c->parts[i];
        bool is_shift = member_of(p) && member_of(p)->is_shift;
        if (p->state && !is_moment(p) && !is_shift)
            merge_value(c, p);
    }
    merge_moments(c);
}

/* ---- where the other state comes from ---- */

static void declare_other(const combine *c, part *p, rf_expr *from)
{
    rf_emitter *em = c->em;
    const char *wish = rf_arena_printf(em->arena, "%s_other", p->var->name);
    p->other =
        rf_new_var(em, rf_names_fresh(em, wish), p->type, !is_rescaled(p));
    rf_emit_append(em, rf_declare(em, p->other, from));
}

static rf_expr *shuffled(const combine *c, const part *p, const char *name,
                         rf_expr *mask, rf_expr *by)
{
    rf_expr *args[] = { mask, rf_emit_use(c->em, p->var), by };
    rf_expr *e = rf_expr_new(c->em->arena, RF_OP_CALL, p->type, 3, args);
    e->name = name;
    return e;
}

static rf_expr *full_mask(rf_emitter *em)
{
    rf_expr *e = number(em, 0xffffffff);
    e->spelling = "0xffffffff";
    return e;
}

/* ---- loops ---- */

typedef struct {
    rf_stmt *stmt;
    rf_open_block block;
    size_t names;
} counted;

static rf_var *counted_begin(const combine *c, counted *l, const char *name,
                             rf_expr *from)
{
    rf_emitter *em = c->em;
    l->names = em->names.len;
    rf_var *var =
        rf_new_var(em, rf_names_fresh(em, name), &type_unsigned, false);
    l->stmt = rf_stmt_new(em->arena, RF_STMT_FOR);
    l->stmt->init = rf_declare(em, var, from);
    rf_block_begin(em, &l->block);
    return var;
}

static void counted_end(const combine *c, counted *l, rf_expr *test,
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

/* A variable of the combine: const unsigned lanes = ...; */
static rf_var *constant(const combine *c, const char *name, rf_expr *value)
{
    rf_emitter *em = c->em;
    rf_var *v = rf_new_var(em, rf_names_fresh(em, name), &type_unsigned, true);
    rf_emit_append(em, rf_declare(em, v, value));
    return v;
}

static rf_expr *lane_of(rf_emitter *em, unsigned width)
{
    return op(em, RF_OP_REM, thread(em), number(em, width));
}

static rf_expr *warp_of(rf_emitter *em)
{
    return op(em, RF_OP_DIV, thread(em), number(em, 32));
}

static rf_expr *halve(rf_emitter *em, rf_var *var)
{
    return rf_assign_op(em, rf_expr_var(em->arena, var), RF_OP_DIV,
                        number(em, 2))
        ->expr;
}

/* x = __shfl_sync(mask, x, 0) */
static void broadcast(const combine *c, part *p, rf_expr *mask)
{
    rf_emitter *em = c->em;
    rf_emit_append(
        em, rf_assign(em, rf_emit_use(em, p->var),
                      shuffled(c, p, "__shfl_sync", mask, number(em, 0))));
}

/* All lanes of the group end with the state of the group. Two lanes round the
 * moments of both differently: where no further exchange follows, lane 0 tells
 * its own. */
static void exchange_full(combine *c, unsigned width, const char *text)
{
    rf_emitter *em = c->em;
    counted loop;
    rf_var *offset = counted_begin(c, &loop, "offset", number(em, width / 2));
    for (size_t i = 0; i < c->n; i++)
        declare_other(c, &c->parts[i],
                      shuffled(c, &c->parts[i], "__shfl_xor_sync",
                               full_mask(em), rf_expr_var(em->arena, offset)));
    merge(c);
    loop.stmt->text = text;
    counted_end(c, &loop,
                op(em, RF_OP_GT, rf_expr_var(em->arena, offset), number(em, 0)),
                halve(em, offset));
    for (size_t i = 0; i < c->n && em->trace->team->width; i++)
        if (is_moment(&c->parts[i]))
            broadcast(c, &c->parts[i], full_mask(em));
}

/* min(32, blockDim.x - first thread of the warp) */
static rf_var *existing_lanes(const combine *c, rf_var *lane)
{
    rf_emitter *em = c->em;
    rf_expr *left =
        op(em, RF_OP_SUB,
           op(em, RF_OP_ADD, threads(em), rf_expr_var(em->arena, lane)),
           thread(em));
    rf_expr *least = rf_expr_new(em->arena, RF_OP_CALL, &type_unsigned, 2,
                                 (rf_expr *[]){ number(em, 32), left });
    least->name = "min";
    least->arg[0]->spelling = "32u";
    return constant(c, "lanes", least);
}

/* The lane to read: lane + offset where it exists, else the lane itself. */
static rf_var *lane_to_read(const combine *c, rf_var *lane, rf_var *lanes,
                            rf_var *offset)
{
    rf_emitter *em = c->em;
    rf_expr *next = op(em, RF_OP_ADD, rf_expr_var(em->arena, lane),
                       rf_expr_var(em->arena, offset));
    rf_expr *exists = op(em, RF_OP_LT, next, rf_expr_var(em->arena, lanes));
    rf_expr *choice = rf_expr_new(
        em->arena, RF_OP_SELECT, &type_unsigned, 3,
        (rf_expr *[]){ exists, next, rf_expr_var(em->arena, lane) });
    return constant(c, "from", choice);
}

/* if (from != lane) merge */
static void merge_if_other(const combine *c, rf_var *from, rf_var *lane)
{
    rf_emitter *em = c->em;
    rf_open_block block;
    rf_block_begin(em, &block);
    merge(c);
    rf_block_end(em, &block);
    rf_expr *differs = op(em, RF_OP_NE, rf_expr_var(em->arena, from),
                          rf_expr_var(em->arena, lane));
    rf_emit_append(em, rf_if(em, differs, &block.body));
}

/* The last warp may have fewer lanes: lane 0 ends with the state, and in a
 * team of one warp tells the others. */
static void exchange_partial(combine *c, const char *text)
{
    rf_emitter *em = c->em;
    rf_var *lane = constant(c, "lane", lane_of(em, 32));
    rf_var *lanes = existing_lanes(c, lane);
    rf_expr *spare =
        op(em, RF_OP_SUB, number(em, 32), rf_expr_var(em->arena, lanes));
    rf_var *mask = constant(c, "mask", op(em, RF_OP_SHR, full_mask(em), spare));
    counted loop;
    rf_var *offset = counted_begin(c, &loop, "offset", number(em, 16));
    rf_var *from = lane_to_read(c, lane, lanes, offset);
    for (size_t i = 0; i < c->n; i++)
        declare_other(c, &c->parts[i],
                      shuffled(c, &c->parts[i], "__shfl_sync",
                               rf_expr_var(em->arena, mask),
                               rf_expr_var(em->arena, from)));
    merge_if_other(c, from, lane);
    loop.stmt->text = text;
    counted_end(c, &loop,
                op(em, RF_OP_GT, rf_expr_var(em->arena, offset), number(em, 0)),
                halve(em, offset));
    for (size_t i = 0; i < c->n && em->trace->team->width; i++)
        broadcast(c, &c->parts[i], rf_expr_var(em->arena, mask));
}

/* ---- shared memory ---- */

static rf_var *shared_array(rf_emitter *em, const part *p, const char *what,
                            unsigned slots)
{
    rf_type *t = RF_NEW(em->arena, rf_type);
    *t = (rf_type){ .kind = RF_TYPE_ARRAY, .elem = p->type, .count = slots };
    t->spelling =
        rf_arena_printf(em->arena, "%s[%u]", p->type->spelling, slots);
    const char *wish = rf_arena_printf(em->arena, "%s_%s", p->var->name, what);
    rf_var *var = rf_new_var(em, rf_names_fresh(em, wish), t, false);
    var->storage = RF_VAR_SHARED;
    return var;
}

static rf_expr *element(rf_emitter *em, const part *p, rf_expr *at)
{
    return rf_binary(em, RF_OP_INDEX, p->type,
                     rf_expr_var(em->arena, p->shared), at);
}

static rf_expr *warps_of(rf_emitter *em)
{
    rf_expr *size = threads(em);
    if (em->trace->team->has_partial_warps)
        size = op(em, RF_OP_ADD, size, number(em, 31));
    return op(em, RF_OP_DIV, size, number(em, 32));
}

/* Everyone folds the slots in the same order. */
static void fold_slots(combine *c, const char *name, rf_expr *n)
{
    rf_emitter *em = c->em;
    for (size_t i = 0; i < c->n; i++)
        rf_emit_append(em, rf_assign(em, rf_emit_use(em, c->parts[i].var),
                                     element(em, &c->parts[i], number(em, 0))));
    counted loop;
    rf_var *w = counted_begin(c, &loop, name, number(em, 1));
    for (size_t i = 0; i < c->n; i++)
        declare_other(c, &c->parts[i],
                      element(em, &c->parts[i], rf_expr_var(em->arena, w)));
    merge(c);
    rf_expr *v = rf_expr_var(em->arena, w);
    counted_end(c, &loop, op(em, RF_OP_LT, rf_expr_var(em->arena, w), n),
                rf_expr_new(em->arena, RF_OP_PRE_INC, &type_unsigned, 1, &v));
}

/* Lane 0 of each warp publishes, everyone folds what the warps left. */
static void exchange_warps(combine *c)
{
    rf_emitter *em = c->em;
    unsigned warps = (em->trace->team->largest + 31) / 32;
    for (size_t i = 0; i < c->n; i++) {
        c->parts[i].shared = shared_array(em, &c->parts[i], "warp", warps);
        rf_emit_append(em, rf_declare(em, c->parts[i].shared, NULL));
    }
    rf_open_block block;
    rf_block_begin(em, &block);
    for (size_t i = 0; i < c->n; i++)
        rf_emit_append(em, rf_assign(em, element(em, &c->parts[i], warp_of(em)),
                                     rf_emit_use(em, c->parts[i].var)));
    rf_block_end(em, &block);
    rf_emit_append(em,
                   rf_if(em, op(em, RF_OP_EQ, lane_of(em, 32), number(em, 0)),
                         &block.body));
    rf_emit_append(em, call_stmt(em, "__syncthreads"));
    fold_slots(c, "warp", warps_of(em));
}

/* ---- clusters ---- */

static rf_expr *call(rf_emitter *em, const char *name, unsigned n,
                     rf_expr *const *args)
{
    rf_expr *e = rf_expr_new(em->arena, RF_OP_CALL, &type_unsigned, n, args);
    e->name = name;
    return e;
}

static void push(const combine *c, const part *p)
{
    rf_emitter *em = c->em;
    rf_stmt *s = rf_stmt_new(em->arena, RF_STMT_EXPR);
    s->expr = call(em, "rf_team_push", 2,
                   (rf_expr *[]){ rf_expr_var(em->arena, p->shared),
                                  rf_emit_use(em, p->var) });
    rf_emit_append(em, s);
}

/* Every block gets the states of all blocks, in the order of their ranks. */
static void exchange_blocks(combine *c)
{
    rf_emitter *em = c->em;
    unsigned blocks = em->trace->team->cluster;
    for (size_t i = 0; i < c->n; i++) {
        c->parts[i].shared = shared_array(em, &c->parts[i], "block", blocks);
        rf_emit_append(em, rf_declare(em, c->parts[i].shared, NULL));
    }
    if (!em->has_met) {
        rf_stmt *ready = call_stmt(em, "rf_team_sync");
        ready->text = "all blocks of the row run, and their slots are free";
        rf_emit_append(em, ready);
    }
    em->has_met = true;
    for (size_t i = 0; i < c->n; i++)
        push(c, &c->parts[i]);
    rf_emit_append(em, call_stmt(em, "rf_team_sync"));
    fold_slots(c, "block", call(em, "rf_team_blocks", 0, NULL));
}

/* ---- the whole ---- */

void rf_emit_combine(rf_emitter *em, unsigned pass)
{
    const rf_team *team = em->trace->team;
    combine c = { .em = em, .pass = pass };
    if (!team)
        return;
    collect(&c);
    if (!c.n || em->refused)
        return;
    bool block = team->width == 0;
    const char *text = block
                           ? "one combine for the block: the lanes of a warp, "
                             "then the warps"
                           : "one combine for the lanes that share a row";
    if (team->has_partial_warps && (block || team->width == 32))
        exchange_partial(&c, text);
    else
        exchange_full(&c, block ? 32 : team->width, text);
    if (block && team->largest > 32)
        exchange_warps(&c);
    if (team->cluster > 1)
        exchange_blocks(&c);
    for (size_t i = 0; i < em->states.len; i++)
        em->states.data[i].old = NULL;
}

void rf_emit_last_barrier(rf_emitter *em)
{
    if (!em->plan->ends_with_barrier)
        return;
    bool block = em->trace->team->width == 0;
    bool cluster = em->trace->team->cluster > 1;
    rf_stmt *s = call_stmt(em, cluster ? "rf_team_sync"
                               : block ? "__syncthreads"
                                       : "__syncwarp");
    s->text = block ? "before the shared states are used again"
                    : "others read what was stored";
    rf_emit_append(em, s);
}
