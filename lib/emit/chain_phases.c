/* What a tile goes through:
 *
 *     clear    e[m][l] = start of E
 *     first    P[m][n] = act(SUM_k A[m,k] B[k,n])       in registers, then kept
 *     second   e[m][l] += SUM_n P[m][n] D[n,l]          n of this tile
 *     finish   E[m,l] = e[m][l] and what else is stored
 *
 * A thread computes a micro tile of 4 x 4 elements, so that each element it
 * loads is used four times. Every sum runs in the author's order. */
#include "emit/chaining.h"

static const char *place_of(rf_chain_maker *mk, const char *format, int width)
{
    return rf_arena_printf(mk->em.arena, format, mk->slot->name, width);
}

static rf_expr *prepared(rf_chain_maker *mk, const rf_val *v,
                         const rf_type *type)
{
    rf_emit_tally(&mk->em, v, 1);
    rf_emit_prepare(&mk->em, v);
    return rf_express_as(&mk->em, v, type);
}

/* place = fmaf(a, b, place), as the author wrote it: it rounds once. */
static rf_expr *fused_step(rf_chain_maker *mk, const rf_red *red,
                           rf_expr *place)
{
    rf_emitter *em = &mk->em;
    const rf_val *v = red->next;
    if (red->guard && v->kind == RF_VAL_OP && v->op == RF_OP_SELECT)
        v = v->arg[2] == red->phi ? v->arg[1] : v->arg[2];
    if (v->kind != RF_VAL_CALL || v->n != 3 || v->arg[2] != red->phi)
        return NULL;
    rf_emit_tally(em, v->arg[0], 1);
    rf_emit_tally(em, v->arg[1], 1);
    rf_emit_prepare(em, v->arg[0]);
    rf_emit_prepare(em, v->arg[1]);
    rf_expr *args[] = { rf_express(em, v->arg[0]), rf_express(em, v->arg[1]),
                        place };
    rf_expr *call = rf_expr_new(em->arena, RF_OP_CALL, v->type, 3, args);
    call->name = v->name;
    return call;
}

/* A condition without conversions of truth values to int and back. */
static const rf_val *truth(rf_chain_maker *mk, const rf_val *v)
{
    bool is_truth = v->kind == RF_VAL_CAST && v->type->kind == RF_TYPE_INT &&
                    v->arg[0]->type->kind == RF_TYPE_BOOL;
    if (is_truth)
        return truth(mk, v->arg[0]);
    if (v->kind != RF_VAL_OP || (v->op != RF_OP_AND && v->op != RF_OP_OR))
        return v;
    return rf_val_op2(mk->em.vals, v->op, &rf_type_bool, truth(mk, v->arg[0]),
                      truth(mk, v->arg[1]));
}

/* The conditions of all levels of a sum. */
static const rf_val *guard_of(rf_chain_maker *mk, const rf_red *red)
{
    const rf_val *guard = red->guard;
    for (red = rf_chain_inner(red); red; red = rf_chain_inner(red)) {
        guard = rf_val_and(mk->em.vals, guard, red->path);
        guard = rf_val_and(mk->em.vals, guard, red->guard);
    }
    return guard ? truth(mk, guard) : NULL;
}

void rf_chain_accumulate(rf_chain_maker *mk, const rf_red *red, rf_expr *place)
{
    rf_emitter *em = &mk->em;
    rf_stmts inside = { 0 }, *outer = em->out;
    rf_expr *test = NULL;
    const rf_val *guard = guard_of(mk, red);
    if (guard) {
        test = prepared(mk, guard, &rf_type_bool);
        em->out = &inside;
    }
    red = rf_chain_leaf(red);
    rf_expr *step = fused_step(mk, red, place);
    if (step)
        rf_emit_append(em, rf_assign(em, place, step));
    else
        rf_emit_append(em, rf_assign_op(em, place, RF_OP_ADD,
                                        prepared(mk, red->term, red->type)));
    em->out = outer;
    if (test)
        rf_emit_append(em, rf_if(em, test, &inside));
}

typedef void element(rf_chain_maker *, const void *data);

/* "body" for every element of the thread's micro tile. */
static void for_micro(rf_chain_maker *mk, const rf_chain_index *column,
                      bool checked, element *body, const void *data)
{
    rf_chain_elements e;
    rf_chain_body b;
    rf_chain_begin_elements(mk, &e, column->tile);
    rf_chain_open(mk, &b, column);
    body(mk, data);
    bool i = mk->uses_i, j = mk->uses_j, t = mk->uses_t;
    const char *row = rf_chain_micro_row(mk, column->tile);
    const char *at = rf_chain_micro_column(mk, column->tile);
    mk->uses_i = i;
    mk->uses_j = j;
    mk->uses_t = t;
    rf_chain_close(mk, &b, row, at, checked);
    rf_chain_end_elements(mk, &e);
}

/* ---- clear ---- */

/* Where the running sum of this element is. */
static rf_expr *sum_at(rf_chain_maker *mk, const char *row, const char *column)
{
    rf_emitter *em = &mk->em;
    if (!mk->tiles->sums_in_memory)
        return rf_chain_at(mk, mk->sum, row, column);
    const rf_store *s = mk->ch->late.data[0];
    return rf_binary(em, RF_OP_INDEX, s->type, rf_express(em, s->base),
                     rf_express(em, s->index));
}

/* The sum starts from what lies in its place already. */
static bool starts_in_place(const rf_chain_maker *mk)
{
    const rf_val *init = mk->ch->second->init;
    const rf_store *s = mk->ch->late.data[0];
    return mk->tiles->sums_in_memory && init->kind == RF_VAL_LOAD &&
           init->arg[0] == s->base && init->arg[1] == s->index;
}

/* With operands in shared memory the sums of a tile stay in registers. */
static void start_second(rf_chain_maker *mk, const void *data)
{
    const rf_red *e = mk->ch->second;
    (void)data;
    rf_emit_append(&mk->em, rf_assign(&mk->em, rf_chain_micro_at(mk, mk->e),
                                      prepared(mk, e->init, e->type)));
}

/* The sums that were just declared begin as {}. */
static void begin_at_zero(rf_chain_maker *mk)
{
    rf_stmt *s = RF_LAST(*mk->em.out);
    s->expr = rf_expr_new(mk->em.arena, RF_OP_INIT_LIST, s->var->type, 0, NULL);
}

static void clear_registers(rf_chain_maker *mk)
{
    rf_chain_pieces p;
    mk->tensor = mk->tiles->tensor_second;
    mk->e = rf_chain_sums(mk, "sums", mk->ch->second->type, mk->l.tile);
    if (rf_val_is_number(mk->ch->second->init, 0)) {
        begin_at_zero(mk);
        return;
    }
    rf_chain_begin_pieces(mk, &p, mk->l.tile);
    for_micro(mk, &mk->l, false, start_second, NULL);
    rf_chain_end_pieces(mk, &p);
}

void rf_chain_clear_sums(rf_chain_maker *mk)
{
    if (mk->tiles->k && !mk->tiles->sums_in_memory) {
        clear_registers(mk);
        return;
    }
    rf_emitter *em = &mk->em;
    const rf_red *e = mk->ch->second;
    int width = mk->l.tile;
    const char *row = place_of(mk, "%s / %d", width);
    const char *column = place_of(mk, "%s %% %d", width);
    rf_chain_for f;
    rf_chain_body b;
    if (starts_in_place(mk))
        return;
    rf_chain_deal(mk, &f, mk->m.tile * width);
    rf_chain_open(mk, &b, &mk->l);
    rf_expr *value = prepared(mk, e->init, e->type);
    value = rf_chain_once(mk, RF_GROUP_SCATTER, value);
    rf_emit_append(em, rf_assign(em, sum_at(mk, row, column), value));
    rf_chain_close(mk, &b, row, column, mk->tiles->sums_in_memory);
    rf_chain_end(mk, &f);
}

/* ---- first ---- */

/* The product of another block's branch. */
static bool is_elsewhere(const rf_chain_maker *mk, size_t first)
{
    return mk->branches && first != mk->branch;
}

static void start_first(rf_chain_maker *mk, const void *data)
{
    (void)data;
    for (size_t i = 0; i < mk->ch->firsts.len; i++) {
        const rf_red *c = mk->ch->firsts.data[i];
        if (is_elsewhere(mk, i))
            continue;
        rf_expr *value = prepared(mk, c->init, c->type);
        if (!mk->branches)
            value = rf_chain_once(mk, RF_GROUP_EXCHANGE, value);
        rf_emit_append(
            &mk->em,
            rf_assign(&mk->em, rf_chain_micro_at(mk, mk->c[i]), value));
    }
}

/* Add to every sum over the axes of "data". */
static void add_first(rf_chain_maker *mk, const void *data)
{
    for (size_t i = 0; i < mk->ch->firsts.len; i++)
        if (rf_chain_same_axes(mk->ch->firsts.data[i], data) &&
            !is_elsewhere(mk, i))
            rf_chain_accumulate(mk, mk->ch->firsts.data[i],
                                rf_chain_micro_at(mk, mk->c[i]));
}

/* The loops of "red" from "level" on; blocks along k share the outermost. */
static void sum_first(rf_chain_maker *mk, const rf_red *red,
                      const rf_red *level)
{
    rf_open_loop *loop = rf_loop_begin(&mk->em, level->axis);
    if (mk->slots[0] && !mk->branches && level == red)
        rf_chain_stride(mk, loop);
    if (rf_chain_inner(level))
        sum_first(mk, red, rf_chain_inner(level));
    else
        for_micro(mk, &mk->n, false, add_first, red);
    rf_loop_end(&mk->em, loop);
}

/* The complete sums are in scope as C. */
static void bind_sums(rf_chain_maker *mk)
{
    rf_emitter *em = &mk->em;
    for (size_t i = 0; i < mk->ch->firsts.len; i++) {
        const rf_red *c = mk->ch->firsts.data[i];
        const char *wish = c->var ? c->var->name : "sum";
        rf_var *var = rf_new_var(em, rf_names_fresh(em, wish), c->type, true);
        rf_emit_append(em, rf_declare(em, var,
                                      mk->slots[i]
                                          ? rf_chain_exchanged(mk, i)
                                          : rf_chain_micro_at(mk, mk->c[i])));
        rf_chain_bind(mk, c->result, var);
    }
}

static void keep_at(rf_chain_maker *mk, const char *row, const char *column)
{
    bind_sums(mk);
    for (size_t i = 0; i < mk->ch->kept.len; i++) {
        const rf_val *v = rf_chain_kept_as(mk->ch, mk->tiles, i);
        rf_expr *value = prepared(mk, v, v->type);
        rf_emit_append(
            &mk->em,
            rf_assign(&mk->em, rf_chain_at(mk, mk->p[i], row, column), value));
    }
}

static void keep(rf_chain_maker *mk, const void *data)
{
    (void)data;
    keep_at(mk, rf_chain_micro_row(mk, mk->n.tile),
            rf_chain_micro_column(mk, mk->n.tile));
}

static void put_store(rf_chain_maker *mk, const rf_store *s)
{
    rf_emitter *em = &mk->em;
    rf_stmts inside = { 0 }, *outer = em->out;
    rf_expr *test = NULL;
    if (s->guard) {
        test = prepared(mk, s->guard, &rf_type_bool);
        em->out = &inside;
    }
    rf_expr *value = prepared(mk, s->value, s->type);
    rf_expr *place =
        rf_binary(em, RF_OP_INDEX, s->type, rf_express(em, s->base),
                  rf_express(em, s->index));
    rf_emit_append(em, rf_assign_store(em, s, place, value));
    em->out = outer;
    if (test)
        rf_emit_append(em, rf_if(em, test, &inside));
}

static void store_early(rf_chain_maker *mk, const void *data)
{
    (void)data;
    bind_sums(mk);
    for (size_t i = 0; i < mk->ch->early.len; i++)
        put_store(mk, mk->ch->early.data[i]);
}

/* The sums of this block, for the others. */
static void pass_on(rf_chain_maker *mk, const void *data)
{
    (void)data;
    int width = mk->n.tile;
    for (size_t i = 0; i < mk->ch->firsts.len; i++)
        if (!is_elsewhere(mk, i))
            rf_emit_append(
                &mk->em,
                rf_assign(&mk->em,
                          rf_chain_at(mk, mk->part[i],
                                      rf_chain_micro_row(mk, width),
                                      rf_chain_micro_column(mk, width)),
                          rf_chain_micro_at(mk, mk->c[i])));
}

/* After the exchange, element by element: act, and once what is stored. */
static void finish_exchange(rf_chain_maker *mk)
{
    rf_emitter *em = &mk->em;
    const char *row = place_of(mk, "%s / %d", mk->n.tile);
    const char *column = place_of(mk, "%s %% %d", mk->n.tile);
    rf_chain_for f;
    rf_chain_body b;
    rf_chain_exchange(mk);
    rf_chain_deal(mk, &f, mk->m.tile * mk->n.tile);
    rf_chain_open(mk, &b, &mk->n);
    keep_at(mk, row, column);
    rf_chain_close(mk, &b, row, column, false);
    rf_chain_end(mk, &f);
    if (!mk->ch->early.len)
        return;
    rf_chain_deal(mk, &f, mk->m.tile * mk->n.tile);
    f.stmt->expr = rf_binary(em, RF_OP_AND, &rf_type_bool,
                             rf_chain_is(mk, mk->at_k, 0), f.stmt->expr);
    rf_chain_open(mk, &b, &mk->n);
    store_early(mk, NULL);
    rf_chain_close(mk, &b, row, column, true);
    rf_chain_end(mk, &f);
}

static void declare_sums(rf_chain_maker *mk)
{
    const rf_chain *ch = mk->ch;
    for (size_t i = 0; i < ch->firsts.len; i++)
        if (!is_elsewhere(mk, i))
            mk->c[i] = rf_chain_tile(mk, "acc", ch->firsts.data[i]->type,
                                     RF_CHAIN_MICRO, RF_CHAIN_MICRO, false);
}

static void sum_firsts(rf_chain_maker *mk)
{
    const rf_chain *ch = mk->ch;
    for_micro(mk, &mk->n, false, start_first, NULL);
    for (size_t i = 0; i < ch->firsts.len; i++) {
        bool done = is_elsewhere(mk, i);
        for (size_t k = 0; k < i && !mk->branches; k++)
            done |= rf_chain_same_axes(ch->firsts.data[k], ch->firsts.data[i]);
        if (!done)
            sum_first(mk, ch->firsts.data[i], ch->firsts.data[i]);
    }
}

/* Where tensor cores multiply it, P is 0 outside. */
static void keep_inside(rf_chain_maker *mk)
{
    const rf_type *type = rf_chain_kept_as(mk->ch, mk->tiles, 0)->type;
    rf_chain_elements e;
    rf_chain_body b;
    rf_chain_begin_elements(mk, &e, mk->n.tile);
    const char *row = rf_chain_micro_row(mk, mk->n.tile);
    const char *column = rf_chain_micro_column(mk, mk->n.tile);
    rf_chain_open(mk, &b, &mk->n);
    keep(mk, NULL);
    rf_chain_close(mk, &b, row, column, true);
    rf_chain_else_zero(mk, rf_chain_at(mk, mk->p[0], row, column), type);
    rf_chain_end_elements(mk, &e);
}

static void start_staged_sums(rf_chain_maker *mk)
{
    const rf_chain *ch = mk->ch;
    rf_chain_pieces p;
    bool zero = true;
    for (size_t i = 0; i < ch->firsts.len; i++) {
        mk->c[i] =
            rf_chain_sums(mk, "acc", ch->firsts.data[i]->type, mk->n.tile);
        if (rf_val_is_number(ch->firsts.data[i]->init, 0))
            begin_at_zero(mk);
        else
            zero = false;
    }
    if (zero)
        return;
    rf_chain_begin_pieces(mk, &p, mk->n.tile);
    for_micro(mk, &mk->n, false, start_first, NULL);
    rf_chain_end_pieces(mk, &p);
}

static void first_staged(rf_chain_maker *mk)
{
    rf_chain_pieces p;
    mk->tensor = mk->tiles->tensor_first;
    start_staged_sums(mk);
    rf_chain_staged_sum(mk, false, rf_expr_int(mk->em.arena, 0),
                        rf_express(&mk->em, mk->ch->k->upper));
    rf_chain_begin_pieces(mk, &p, mk->n.tile);
    if (mk->tiles->tensor_second)
        keep_inside(mk);
    else
        for_micro(mk, &mk->n, false, keep, NULL);
    if (mk->ch->early.len)
        for_micro(mk, &mk->n, true, store_early, NULL);
    rf_chain_end_pieces(mk, &p);
}

/* The sums of a tile, and what is made of them unless they are exchanged. */
static void sum_all(rf_chain_maker *mk)
{
    rf_chain_for f;
    bool exchanged = mk->slots[0] != NULL;
    rf_chain_deal(mk, &f,
                  mk->m.tile * mk->n.tile / RF_CHAIN_MICRO / RF_CHAIN_MICRO);
    declare_sums(mk);
    sum_firsts(mk);
    for_micro(mk, &mk->n, false, exchanged ? pass_on : keep, NULL);
    if (mk->ch->early.len && !exchanged)
        for_micro(mk, &mk->n, true, store_early, NULL);
    rf_chain_end(mk, &f);
}

/* if (rank == 0) { sums of the first } if (rank == 1) ... */
static void sum_branches(rf_chain_maker *mk)
{
    rf_emitter *em = &mk->em;
    rf_stmts *outer = em->out;
    size_t names = em->names.len;
    for (mk->branch = 0; mk->branch < mk->ch->firsts.len; mk->branch++) {
        rf_stmts inside = { 0 };
        em->out = &inside;
        sum_all(mk);
        em->out = outer;
        rf_emit_append(
            em, rf_if(em, rf_chain_is(mk, mk->at_k, (int)mk->branch), &inside));
        em->names.len = names;
    }
}

void rf_chain_first(rf_chain_maker *mk)
{
    if (mk->tiles->k) {
        size_t taken = mk->em.names.len;
        first_staged(mk);
        mk->em.names.len = taken;
        return;
    }
    size_t names = mk->em.names.len;
    if (mk->branches)
        sum_branches(mk);
    else
        sum_all(mk);
    if (mk->slots[0])
        finish_exchange(mk);
    mk->em.names.len = names;
}

/* ---- second ---- */

static void load_sum(rf_chain_maker *mk, const void *store)
{
    int width = mk->l.tile;
    rf_expr *own = rf_chain_micro_at(mk, mk->e);
    rf_expr *kept = sum_at(mk, rf_chain_micro_row(mk, width),
                           rf_chain_micro_column(mk, width));
    rf_emit_append(&mk->em, store ? rf_assign(&mk->em, kept, own)
                                  : rf_assign(&mk->em, own, kept));
}

static void add_second(rf_chain_maker *mk, const void *data)
{
    (void)data;
    rf_chain_accumulate(mk, mk->ch->second, rf_chain_micro_at(mk, mk->e));
}

void rf_chain_bind_kept(rf_chain_maker *mk)
{
    rf_emitter *em = &mk->em;
    const char *n = mk->n.start
                        ? rf_arena_printf(em->arena, "%s - %s", mk->n.var->name,
                                          mk->n.start->name)
                        : mk->n.var->name;
    for (size_t i = 0; i < mk->ch->kept.len; i++) {
        const rf_val *v = mk->ch->kept.data[i];
        rf_var *var = rf_new_var(em, mk->kept[i]->name, v->type, true);
        rf_emit_append(
            em, rf_declare(em, var,
                           rf_chain_at(mk, mk->p[i],
                                       rf_chain_micro_row(mk, mk->l.tile), n)));
        rf_chain_bind(mk, v, var);
    }
}

/* The sum over the n of this tile. */
static void sum_second(rf_chain_maker *mk)
{
    rf_emitter *em = &mk->em;
    rf_chain_for n, i, j;
    rf_chain_body b;
    size_t scope = em->scope.len;
    rf_expr *from =
        mk->n.start ? rf_emit_use(em, mk->n.start) : rf_expr_int(em->arena, 0);
    rf_chain_begin(mk, &n, mk->n.var, from, rf_chain_bound(mk, &mk->n), NULL);
    if (mk->n.start)
        n.stmt->expr = rf_binary(
            em, RF_OP_AND, &rf_type_bool,
            rf_binary(
                em, RF_OP_LT, &rf_type_bool, rf_emit_use(em, mk->n.var),
                rf_chain_text(mk, "%s + %d", mk->n.start->name, mk->n.tile)),
            n.stmt->expr);
    RF_PUSH(em->counters, (rf_counter){ .loop = mk->n.loop, .var = mk->n.var });
    rf_chain_unrolled(mk, &i, mk->i, RF_CHAIN_MICRO);
    rf_chain_bind_kept(mk);
    rf_chain_unrolled(mk, &j, mk->j, RF_CHAIN_MICRO);
    rf_chain_open(mk, &b, &mk->l);
    add_second(mk, NULL);
    rf_chain_close(mk, &b, rf_chain_micro_row(mk, mk->l.tile),
                   rf_chain_micro_column(mk, mk->l.tile), false);
    rf_chain_end(mk, &j);
    rf_chain_end(mk, &i);
    em->counters.len--;
    rf_chain_end(mk, &n);
    em->scope.len = scope;
}

/* n0 + 64; the whole axis is one tile if there is no n0. */
static rf_expr *second_end(rf_chain_maker *mk)
{
    if (!mk->n.start)
        return rf_expr_int(mk->em.arena, mk->n.tile);
    return rf_chain_text(mk, "%s + %d", mk->n.start->name, mk->n.tile);
}

static void second_staged(rf_chain_maker *mk)
{
    rf_emitter *em = &mk->em;
    rf_chain_pieces p;
    bool in_memory = mk->tiles->sums_in_memory;
    mk->tensor = mk->tiles->tensor_second;
    if (in_memory) {
        mk->e = rf_chain_sums(mk, "sums", mk->ch->second->type, mk->l.tile);
        begin_at_zero(mk);
        rf_chain_begin_pieces(mk, &p, mk->l.tile);
        for_micro(mk, &mk->l, true, load_sum, NULL);
        rf_chain_end_pieces(mk, &p);
    }
    rf_expr *from =
        mk->n.start ? rf_emit_use(em, mk->n.start) : rf_expr_int(em->arena, 0);
    rf_chain_staged_sum(mk, true, from, second_end(mk));
    if (!in_memory)
        return;
    rf_chain_begin_pieces(mk, &p, mk->l.tile);
    for_micro(mk, &mk->l, true, load_sum, mk);
    rf_chain_end_pieces(mk, &p);
}

void rf_chain_second(rf_chain_maker *mk)
{
    if (mk->tiles->k) {
        size_t taken = mk->em.names.len;
        second_staged(mk);
        mk->em.names.len = taken;
        return;
    }
    size_t names = mk->em.names.len;
    bool checked = mk->tiles->sums_in_memory;
    rf_chain_for f;
    rf_chain_deal(mk, &f,
                  mk->m.tile * mk->l.tile / RF_CHAIN_MICRO / RF_CHAIN_MICRO);
    mk->e = rf_chain_tile(mk, "acc", mk->ch->second->type, RF_CHAIN_MICRO,
                          RF_CHAIN_MICRO, false);
    if (checked)
        RF_LAST(*mk->em.out)->expr =
            rf_expr_new(mk->em.arena, RF_OP_INIT_LIST, mk->e->type, 0, NULL);
    for_micro(mk, &mk->l, checked, load_sum, NULL);
    sum_second(mk);
    for_micro(mk, &mk->l, checked, load_sum, mk);
    rf_chain_end(mk, &f);
    mk->em.names.len = names;
}

/* ---- finish ---- */

static void finish_one(rf_chain_maker *mk, const void *data)
{
    const rf_red *e = mk->ch->second;
    (void)data;
    const char *wish = e->var ? e->var->name : "sum";
    rf_var *var =
        rf_new_var(&mk->em, rf_names_fresh(&mk->em, wish), e->type, true);
    rf_emit_append(&mk->em,
                   rf_declare(&mk->em, var, rf_chain_micro_at(mk, mk->e)));
    rf_chain_bind(mk, e->result, var);
    for (size_t i = 0; i < mk->ch->late.len; i++)
        put_store(mk, mk->ch->late.data[i]);
}

static void finish_registers(rf_chain_maker *mk)
{
    rf_chain_pieces p;
    mk->tensor = mk->tiles->tensor_second;
    rf_chain_begin_pieces(mk, &p, mk->l.tile);
    for_micro(mk, &mk->l, true, finish_one, NULL);
    rf_chain_end_pieces(mk, &p);
}

void rf_chain_finish(rf_chain_maker *mk)
{
    if (mk->tiles->k && !mk->tiles->sums_in_memory) {
        finish_registers(mk);
        return;
    }
    rf_emitter *em = &mk->em;
    const rf_red *e = mk->ch->second;
    int width = mk->l.tile;
    const char *slot = rf_chain_slot(mk);
    const char *row = rf_arena_printf(em->arena, "%s / %d", slot, width);
    const char *column = rf_arena_printf(em->arena, "%s %% %d", slot, width);
    rf_chain_for f;
    rf_chain_body b;
    if (mk->tiles->sums_in_memory &&
        mk->ch->late.data[0]->value == mk->ch->second->result)
        return;
    rf_chain_scatter(mk);
    rf_chain_deal(mk, &f, rf_chain_part(mk));
    rf_chain_open(mk, &b, &mk->l);
    const char *wish = e->var ? e->var->name : "sum";
    rf_var *var = rf_new_var(em, rf_names_fresh(em, wish), e->type, true);
    rf_expr *sum = mk->inbox ? rf_chain_gathered(mk) : sum_at(mk, row, column);
    rf_emit_append(em, rf_declare(em, var, sum));
    rf_chain_bind(mk, e->result, var);
    for (size_t i = 0; i < mk->ch->late.len; i++)
        put_store(mk, mk->ch->late.data[i]);
    rf_chain_close(mk, &b, row, column, true);
    rf_chain_end(mk, &f);
}
