/* Operands by way of shared memory, two tiles in turns:
 *
 *     for (k0 = 0; k0 < K + step; k0 += step)
 *       fill      the tiles that begin at k0, if k0 < K
 *       multiply  those that began a step before
 *       wait; barrier
 *
 * so that copies run while others are multiplied, and a block reads each
 * element of a tile once. Elements of 4 bytes are copied asynchronously,
 * the others through registers. */
#include "emit/chaining.h"

/* "x" of the load that the operand begins with. */
static const char *name_of(const rf_chain_maker *mk, const rf_val *v)
{
    const rf_val *root =
        rf_trace_root(mk->ch->trace, rf_val_first_load(v)->arg[0]);
    return root->kind == RF_VAL_ENTRY ? root->var->name : "in";
}

static void declare_operand(rf_chain_maker *mk, bool second, unsigned i)
{
    rf_chain_stage *s = &mk->stage[second];
    const rf_chain_operand *op = &s->ops.list[i];
    const char *name = name_of(mk, op->value);
    s->tile[i] = rf_chain_array(
        mk, rf_arena_printf(mk->em.arena, "%s_tile", name), op->value->type, 2,
        op->of_rows ? mk->m.tile : mk->tiles->k,
        rf_chain_operand_width(mk->tiles, op, second));
    s->tile[i]->storage = RF_VAR_SHARED;
    s->tile[i]->alignment = 16;
    rf_emit_append(&mk->em, rf_declare(&mk->em, s->tile[i], NULL));
    s->one[i] = rf_chain_var(mk, rf_arena_printf(mk->em.arena, "%s_at", name),
                             op->value->type);
}

static void declare_stage(rf_chain_maker *mk, bool second)
{
    rf_chain_stage *s = &mk->stage[second];
    const rf_loop *axis = second ? mk->ch->n : mk->ch->k;
    rf_chain_operands_of(mk->ch, second, &s->ops);
    for (unsigned i = 0; i < s->ops.n; i++)
        declare_operand(mk, second, i);
    s->step = (rf_chain_index){ .loop = axis, .tile = mk->tiles->k };
    s->step.var = s->step.declared =
        second ? mk->n.var : rf_chain_var(mk, axis->name, axis->type);
    s->step.start = rf_chain_var(
        mk, rf_arena_printf(mk->em.arena, second ? "%s_at" : "%s0", axis->name),
        axis->type);
    s->fill = rf_chain_var(mk, "fill", &rf_type_int);
}

void rf_chain_declare_stages(rf_chain_maker *mk)
{
    declare_stage(mk, false);
    declare_stage(mk, true);
}

/* ---- fill ---- */

static rf_expr *operand_at(rf_chain_maker *mk, const rf_chain_stage *s,
                           unsigned i, const char *which, const char *row,
                           const char *column)
{
    rf_var *tile = s->tile[i];
    rf_expr *e =
        rf_chain_text(mk, "%s[%s][%s][%s]", tile->name, which, row, column);
    e->type = s->ops.list[i].value->type;
    return e;
}

/* rf_copy_async(&tile[..], &x[..]) for what 4 bytes hold as they are. */
static bool copies_itself(const rf_val *v)
{
    return v->kind == RF_VAL_LOAD && rf_chain_type_bytes(v->type) == 4 &&
           !v->type->is_volatile && v->type->kind == RF_TYPE_FLOAT;
}

static void put_operand(rf_chain_maker *mk, rf_expr *place, const rf_val *v)
{
    rf_emitter *em = &mk->em;
    rf_emit_tally(em, v, 1);
    if (!copies_itself(v)) {
        rf_emit_prepare(em, v);
        rf_emit_append(em, rf_assign(em, place, rf_express_as(em, v, v->type)));
        return;
    }
    rf_emit_prepare(em, v->arg[1]);
    rf_expr *from = rf_express(em, v);
    rf_expr *args[] = {
        rf_expr_new(em->arena, RF_OP_ADDRESS, v->type, 1, &place),
        rf_expr_new(em->arena, RF_OP_ADDRESS, v->type, 1, &from)
    };
    rf_expr *call = rf_expr_new(em->arena, RF_OP_CALL, v->type, 2, args);
    call->name = "rf_copy_async";
    rf_stmt *s = rf_stmt_new(em->arena, RF_STMT_EXPR);
    s->expr = call;
    rf_emit_append(em, s);
}

typedef struct {
    rf_chain_index m;
    size_t digits, row_decls;
} rf_kept_rows;

static rf_kept_rows keep_rows(const rf_chain_maker *mk)
{
    return (rf_kept_rows){ mk->m, mk->digits.len, mk->row_decls.len };
}

/* Rows of the tile count the axis, not the rows of the chain. */
static void axis_as_rows(rf_chain_maker *mk, const rf_chain_stage *s)
{
    mk->m = s->step;
    mk->digits.len = mk->row_decls.len = 0;
}

static void restore_rows(rf_chain_maker *mk, const rf_kept_rows *old)
{
    mk->m = old->m;
    mk->digits.len = old->digits;
    mk->row_decls.len = old->row_decls;
}

static void fill_operand(rf_chain_maker *mk, bool second, unsigned i)
{
    rf_chain_stage *s = &mk->stage[second];
    const rf_chain_operand *op = &s->ops.list[i];
    const rf_chain_index *column = op->of_rows ? &s->step
                                   : second    ? &mk->l
                                               : &mk->n;
    int rows = op->of_rows ? mk->m.tile : mk->tiles->k, width = column->tile;
    const char *t = mk->slot->name;
    const char *row = rf_arena_printf(mk->em.arena, "%s / %d", t, width);
    const char *at = rf_arena_printf(mk->em.arena, "%s %% %d", t, width);
    rf_expr *place = operand_at(mk, s, i, s->fill->name, row, at);
    rf_kept_rows old = keep_rows(mk);
    rf_chain_for f;
    rf_chain_body b;
    rf_chain_deal(mk, &f, rows * width);
    if (!op->of_rows)
        axis_as_rows(mk, s);
    rf_chain_open(mk, &b, column);
    put_operand(mk, place, op->value);
    rf_chain_close(mk, &b, row, at, true);
    restore_rows(mk, &old);
    rf_chain_else_zero(mk, place, op->value->type);
    rf_chain_end(mk, &f);
}

/* ---- multiply ---- */

static void bind_operands(rf_chain_maker *mk, bool second, bool of_rows)
{
    rf_emitter *em = &mk->em;
    const rf_chain_stage *s = &mk->stage[second];
    int width = second ? mk->l.tile : mk->n.tile;
    const char *other = rf_arena_printf(em->arena, "1 - %s", s->fill->name);
    const char *k =
        rf_arena_printf(em->arena, "%s %% %d", s->step.var->name, mk->tiles->k);
    for (unsigned i = 0; i < s->ops.n; i++) {
        const rf_val *v = s->ops.list[i].value;
        if (s->ops.list[i].of_rows != of_rows)
            continue;
        rf_var *one = rf_new_var(em, s->one[i]->name, v->type, true);
        rf_expr *at = of_rows ? operand_at(mk, s, i, other,
                                           rf_chain_micro_row(mk, width), k)
                              : operand_at(mk, s, i, other, k,
                                           rf_chain_micro_column(mk, width));
        rf_emit_append(em, rf_declare(em, one, at));
        rf_chain_bind(mk, v, one);
    }
}

static void add_terms(rf_chain_maker *mk, bool second)
{
    const rf_chain *ch = mk->ch;
    rf_chain_body b;
    const rf_chain_index *column = second ? &mk->l : &mk->n;
    rf_chain_open(mk, &b, column);
    if (second)
        rf_chain_accumulate(mk, ch->second, rf_chain_micro_at(mk, mk->e));
    for (size_t i = 0; i < ch->firsts.len && !second; i++)
        rf_chain_accumulate(mk, ch->firsts.data[i],
                            rf_chain_micro_at(mk, mk->c[i]));
    rf_chain_close(mk, &b, rf_chain_micro_row(mk, column->tile),
                   rf_chain_micro_column(mk, column->tile), false);
}

/* for (k = k0 - 16; k < k0 && k < K; k++) every thread its micro tile */
static void multiply_micro(rf_chain_maker *mk, bool second)
{
    rf_emitter *em = &mk->em;
    const rf_chain_stage *s = &mk->stage[second];
    const char *start = s->step.start->name, *var = s->step.var->name;
    size_t scope = em->scope.len;
    rf_chain_for k, i, j;
    rf_chain_begin(mk, &k, s->step.var,
                   rf_chain_text(mk, "%s - %d", start, mk->tiles->k),
                   rf_chain_bound(mk, &s->step), NULL);
    k.stmt->expr =
        rf_binary(em, RF_OP_AND, &rf_type_bool,
                  rf_chain_text(mk, "%s < %s", var, start), k.stmt->expr);
    RF_PUSH(em->counters,
            (rf_counter){ .loop = s->step.loop, .var = s->step.var });
    rf_chain_unrolled(mk, &i, mk->i, RF_CHAIN_MICRO);
    if (second)
        rf_chain_bind_kept(mk);
    bind_operands(mk, second, true);
    rf_chain_unrolled(mk, &j, mk->j, RF_CHAIN_MICRO);
    bind_operands(mk, second, false);
    add_terms(mk, second);
    rf_chain_end(mk, &j);
    rf_chain_end(mk, &i);
    em->counters.len--;
    rf_chain_end(mk, &k);
    em->scope.len = scope;
}

static const char *of_piece(rf_chain_maker *mk, const rf_var *sums)
{
    return mk->u ? rf_arena_printf(mk->em.arena, "%s[%s]", sums->name,
                                   mk->u->name)
                 : sums->name;
}

/* Which operand is "v" of 16 bits, converted to more or not? */
static int operand_in(const rf_chain_stage *s, const rf_val *term, bool of_rows)
{
    for (unsigned i = 0; i < s->ops.n; i++)
        if (s->ops.list[i].of_rows == of_rows &&
            rf_val_mentions(term, s->ops.list[i].value))
            return (int)i;
    return -1;
}

/* Where the rows of a piece begin: in the operand's tile, or in that of P. */
static const char *rows_of_piece(rf_chain_maker *mk, bool second, int a,
                                 const char *k)
{
    const rf_chain_stage *s = &mk->stage[second];
    int width = second ? mk->l.tile : mk->n.tile;
    const char *row =
        rf_chain_piece_row(mk, RF_MMA_ROWS, width / RF_MMA_COLUMNS);
    if (!second)
        return rf_arena_printf(mk->em.arena, "&%s[1 - %s][%s][%s]",
                               s->tile[a]->name, s->fill->name, row, k);
    const char *n0 =
        mk->n.start ? rf_arena_printf(mk->em.arena, " - %s", mk->n.start->name)
                    : "";
    return rf_arena_printf(mk->em.arena, "&%s[%s][%s%s - %d + %s]",
                           mk->p[0]->name, row, s->step.start->name, n0,
                           mk->tiles->k, k);
}

static void call_mma(rf_chain_maker *mk, bool second, const rf_red *red,
                     const rf_var *sums, const char *k)
{
    rf_emitter *em = &mk->em;
    const rf_chain_stage *s = &mk->stage[second];
    int width = second ? mk->l.tile : mk->n.tile;
    int a = operand_in(s, red->term, true), b = operand_in(s, red->term, false);
    int lda = second
                  ? mk->n.tile + RF_CHAIN_PAD
                  : rf_chain_operand_width(mk->tiles, &s->ops.list[a], false);
    bool is_half = s->ops.list[b].value->type->format == RF_F16;
    rf_expr *args[] = {
        rf_chain_text(mk, "%s", of_piece(mk, sums)),
        rf_chain_text(mk, "%s", rows_of_piece(mk, second, a, k)),
        rf_expr_int(em->arena, lda),
        rf_chain_text(
            mk, "&%s[1 - %s][%s][%s]", s->tile[b]->name, s->fill->name, k,
            rf_chain_piece_column(mk, RF_MMA_COLUMNS, width / RF_MMA_COLUMNS)),
        rf_expr_int(em->arena,
                    rf_chain_operand_width(mk->tiles, &s->ops.list[b], second)),
    };
    rf_stmt *call = rf_stmt_new(em->arena, RF_STMT_EXPR);
    call->expr = rf_expr_new(em->arena, RF_OP_CALL, &rf_type_int, 5, args);
    call->expr->name = is_half ? "rf_mma_f16" : "rf_mma_bf16";
    rf_emit_append(em, call);
}

/* for (k = 0; k < 32; k += 16) every warp its pieces */
static void multiply_tensor(rf_chain_maker *mk, bool second)
{
    const rf_chain *ch = mk->ch;
    rf_chain_for f;
    rf_var *k = rf_chain_var(mk, "step", &rf_type_int);
    rf_chain_begin(mk, &f, k, rf_expr_int(mk->em.arena, 0),
                   rf_expr_int(mk->em.arena, mk->tiles->k),
                   rf_expr_int(mk->em.arena, RF_MMA_STEP));
    if (second)
        call_mma(mk, true, ch->second, mk->e, k->name);
    for (size_t i = 0; i < ch->firsts.len && !second; i++)
        call_mma(mk, false, ch->firsts.data[i], mk->c[i], k->name);
    rf_chain_end(mk, &f);
}

/* ---- the loop ---- */

static void under(rf_chain_maker *mk, rf_expr *test, rf_stmts *inside,
                  rf_stmts *outer)
{
    mk->em.out = outer;
    rf_emit_append(&mk->em, rf_if(&mk->em, test, inside));
}

static void fill(rf_chain_maker *mk, bool second, rf_expr *to)
{
    rf_emitter *em = &mk->em;
    rf_chain_stage *s = &mk->stage[second];
    rf_stmts inside = { 0 }, *outer = em->out;
    em->out = &inside;
    for (unsigned i = 0; i < s->ops.n; i++)
        fill_operand(mk, second, i);
    under(mk,
          rf_binary(em, RF_OP_LT, &rf_type_bool, rf_emit_use(em, s->step.start),
                    to),
          &inside, outer);
}

static void multiply(rf_chain_maker *mk, bool second, rf_expr *from)
{
    rf_emitter *em = &mk->em;
    rf_chain_stage *s = &mk->stage[second];
    rf_stmts inside = { 0 }, *outer = em->out;
    rf_chain_pieces p;
    em->out = &inside;
    rf_chain_begin_pieces(mk, &p, second ? mk->l.tile : mk->n.tile);
    mk->uses_t = true;
    if (mk->tensor)
        multiply_tensor(mk, second);
    else
        multiply_micro(mk, second);
    rf_chain_end_pieces(mk, &p);
    under(mk,
          rf_binary(em, RF_OP_GT, &rf_type_bool, rf_emit_use(em, s->step.start),
                    from),
          &inside, outer);
}

static bool copies(const rf_chain_stage *s)
{
    for (unsigned i = 0; i < s->ops.n; i++)
        if (copies_itself(s->ops.list[i].value))
            return true;
    return false;
}

/* N + 16 */
static rf_expr *past_end(rf_chain_maker *mk, int step)
{
    return rf_binary(&mk->em, RF_OP_ADD, mk->n.var->type,
                     rf_chain_bound(mk, &mk->n),
                     rf_expr_int(mk->em.arena, step));
}

void rf_chain_staged_sum(rf_chain_maker *mk, bool second, rf_expr *from,
                         rf_expr *to)
{
    rf_emitter *em = &mk->em;
    rf_chain_stage *s = &mk->stage[second];
    int step = mk->tiles->k;
    rf_chain_for f;
    rf_expr *last = rf_binary(em, RF_OP_ADD, s->step.start->type, to,
                              rf_expr_int(em->arena, step));
    rf_chain_begin(mk, &f, s->step.start, from, last,
                   rf_expr_int(em->arena, step));
    if (second)
        f.stmt->expr = rf_binary(em, RF_OP_AND, &rf_type_bool, f.stmt->expr,
                                 rf_binary(em, RF_OP_LT, &rf_type_bool,
                                           rf_emit_use(em, s->step.start),
                                           past_end(mk, step)));
    rf_var *which = rf_new_var(em, s->fill->name, &rf_type_int, true);
    rf_emit_append(em, rf_declare(em, which,
                                  rf_chain_text(mk, "%s / %d %% 2",
                                                s->step.start->name, step)));
    fill(mk, second, to);
    multiply(mk, second, from);
    if (copies(s)) {
        rf_stmt *wait = rf_stmt_new(em->arena, RF_STMT_EXPR);
        wait->expr = rf_chain_text(mk, "rf_copy_wait()");
        rf_emit_append(em, wait);
    }
    rf_chain_barrier(mk);
    rf_chain_end(mk, &f);
}
