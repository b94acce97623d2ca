/* Who computes which elements of a tile in registers: a thread micro tiles of
 * 4 x 4 elements, or a warp pieces of 16 x 32 on tensor cores, of which each
 * lane has 16. Pieces are dealt in turns; their number, the block's size and
 * with them the turns are known when the kernel is written. */
#include "emit/chaining.h"

#include <string.h>

static int workers(const rf_chain_maker *mk)
{
    return mk->tensor ? mk->tiles->threads / 32 : mk->tiles->threads;
}

static int pieces_of(const rf_chain_maker *mk, int columns)
{
    int size = mk->tensor ? RF_MMA_ROWS * RF_MMA_COLUMNS
                          : RF_CHAIN_MICRO * RF_CHAIN_MICRO;
    return mk->m.tile * columns / size;
}

int rf_chain_pieces_each(const rf_chain_maker *mk, int columns)
{
    return (pieces_of(mk, columns) + workers(mk) - 1) / workers(mk);
}

rf_var *rf_chain_sums(rf_chain_maker *mk, const char *wish, const rf_type *type,
                      int columns)
{
    int each = rf_chain_pieces_each(mk, columns);
    int rows = mk->tensor ? 0 : RF_CHAIN_MICRO;
    int size = mk->tensor ? RF_MMA_ROWS * RF_MMA_COLUMNS / 32 : RF_CHAIN_MICRO;
    rf_var *var =
        rf_chain_array(mk, wish, type, each > 1 ? each : 0, rows, size);
    rf_emit_append(&mk->em, rf_declare(&mk->em, var, NULL));
    return var;
}

static const char *worker(const rf_chain_maker *mk)
{
    return (mk->tensor ? mk->warp : mk->slot)->name;
}

/* const int warp = threadIdx.x / 32 + u * 4; */
static void name_piece(rf_chain_maker *mk)
{
    rf_var *t = rf_new_var(&mk->em, worker(mk), &rf_type_int, true);
    const char *turn = mk->u ? rf_arena_printf(mk->em.arena, " + %s * %d",
                                               mk->u->name, workers(mk))
                             : "";
    rf_emit_append(&mk->em,
                   rf_declare(&mk->em, t,
                              rf_chain_text(mk, "threadIdx.x%s%s",
                                            mk->tensor ? " / 32" : "", turn)));
}

void rf_chain_begin_pieces(rf_chain_maker *mk, rf_chain_pieces *p, int columns)
{
    int each = rf_chain_pieces_each(mk, columns);
    *p = (rf_chain_pieces){ .pieces = pieces_of(mk, columns),
                            .names = mk->em.names.len };
    p->loops = each > 1;
    p->tests = p->pieces % workers(mk) != 0;
    mk->u = p->loops ? rf_chain_var(mk, "u", &rf_type_int) : NULL;
    if (p->loops)
        rf_chain_unrolled(mk, &p->f, mk->u, each);
    else
        p->f = (rf_chain_for){ .outer = mk->em.out };
    if (!p->loops)
        mk->em.out = &p->f.body;
    mk->uses_t = p->tests;
    name_piece(mk);
    p->outer = mk->em.out;
    if (p->tests)
        mk->em.out = &p->inside;
}

static void end_test(rf_chain_maker *mk, rf_chain_pieces *p)
{
    rf_emitter *em = &mk->em;
    em->out = p->outer;
    rf_expr *known = rf_binary(em, RF_OP_LT, &rf_type_bool,
                               rf_chain_text(mk, "%s", worker(mk)),
                               rf_expr_int(em->arena, p->pieces));
    rf_emit_append(em, rf_if(em, known, &p->inside));
}

void rf_chain_end_pieces(rf_chain_maker *mk, rf_chain_pieces *p)
{
    mk->em.names.len = p->names;
    if (p->tests)
        end_test(mk, p);
    if (!mk->uses_t) {
        memmove(p->f.body.data, p->f.body.data + 1,
                (p->f.body.len - 1) * sizeof *p->f.body.data);
        p->f.body.len--;
    }
    if (p->loops) {
        rf_chain_end(mk, &p->f);
        return;
    }
    mk->em.out = p->f.outer;
    rf_stmt *scope = rf_block(&mk->em, &p->f.body);
    scope->is_scope = true;
    rf_emit_append(&mk->em, scope);
}

/* ---- the element at hand ---- */

const char *rf_chain_piece_row(rf_chain_maker *mk, int size, int pieces)
{
    const char *format = pieces == 1 ? "%d * %s" : "%d * (%s / %d)";
    return rf_arena_printf(mk->em.arena, format, size, worker(mk), pieces);
}

const char *rf_chain_piece_column(rf_chain_maker *mk, int size, int pieces)
{
    const char *format = pieces == 1 ? "0" : "%d * (%s %% %d)";
    return rf_arena_printf(mk->em.arena, format, size, worker(mk), pieces);
}

/* "begin + offset", or "offset" where the piece begins with the tile. */
static const char *within(rf_chain_maker *mk, const char *begin,
                          const char *offset)
{
    return strcmp(begin, "0")
               ? rf_arena_printf(mk->em.arena, "%s + %s", begin, offset)
               : offset;
}

/* const int i = 16 * (warp / 4) + rf_mma_row(q); */
static void name_element(rf_chain_maker *mk, rf_var *i, const char *begin,
                         const char *function)
{
    rf_var *var = rf_new_var(&mk->em, i->name, &rf_type_int, true);
    const char *offset =
        rf_arena_printf(mk->em.arena, "%s(%s)", function, mk->v->name);
    rf_emit_append(
        &mk->em,
        rf_declare(&mk->em, var,
                   rf_chain_text(mk, "%s", within(mk, begin, offset))));
}

void rf_chain_begin_elements(rf_chain_maker *mk, rf_chain_elements *e,
                             int width)
{
    if (!mk->tensor) {
        rf_chain_unrolled(mk, &e->i, mk->i, RF_CHAIN_MICRO);
        rf_chain_unrolled(mk, &e->j, mk->j, RF_CHAIN_MICRO);
        return;
    }
    int pieces = width / RF_MMA_COLUMNS;
    mk->uses_i = mk->uses_j = false;
    rf_chain_unrolled(mk, &e->i, mk->v, RF_MMA_ROWS * RF_MMA_COLUMNS / 32);
    name_element(mk, mk->i, rf_chain_piece_row(mk, RF_MMA_ROWS, pieces),
                 "rf_mma_row");
    name_element(mk, mk->j, rf_chain_piece_column(mk, RF_MMA_COLUMNS, pieces),
                 "rf_mma_column");
}

/* The first two statements of the body name its element. */
static void drop_unused(rf_chain_maker *mk)
{
    rf_stmts *body = mk->em.out;
    size_t n = 0;
    for (size_t i = 0; i < body->len; i++)
        if ((i != 0 || mk->uses_i) && (i != 1 || mk->uses_j))
            body->data[n++] = body->data[i];
    body->len = n;
}

void rf_chain_end_elements(rf_chain_maker *mk, rf_chain_elements *e)
{
    if (!mk->tensor)
        rf_chain_end(mk, &e->j);
    else
        drop_unused(mk);
    rf_chain_end(mk, &e->i);
}

const char *rf_chain_micro_row(rf_chain_maker *mk, int width)
{
    mk->uses_i = mk->uses_t = true;
    if (mk->tensor)
        return mk->i->name;
    int pieces = width / RF_CHAIN_MICRO;
    return within(mk, rf_chain_piece_row(mk, RF_CHAIN_MICRO, pieces),
                  mk->i->name);
}

const char *rf_chain_micro_column(rf_chain_maker *mk, int width)
{
    mk->uses_j = mk->uses_t = true;
    if (mk->tensor)
        return mk->j->name;
    int pieces = width / RF_CHAIN_MICRO;
    return within(mk, rf_chain_piece_column(mk, RF_CHAIN_MICRO, pieces),
                  mk->j->name);
}

rf_expr *rf_chain_at(rf_chain_maker *mk, rf_var *tile, const char *row,
                     const char *column)
{
    rf_emitter *em = &mk->em;
    rf_expr *r = rf_binary(em, RF_OP_INDEX, tile->type->elem,
                           rf_emit_use(em, tile), rf_chain_text(mk, "%s", row));
    return rf_binary(em, RF_OP_INDEX, tile->type->elem->elem, r,
                     rf_chain_text(mk, "%s", column));
}

static rf_expr *element(rf_chain_maker *mk, rf_expr *array, rf_var *at)
{
    return rf_binary(&mk->em, RF_OP_INDEX, array->type->elem, array,
                     rf_chain_text(mk, "%s", at->name));
}

rf_expr *rf_chain_micro_at(rf_chain_maker *mk, rf_var *sums)
{
    rf_expr *e = rf_emit_use(&mk->em, sums);
    e->type = sums->type;
    if (mk->u)
        e = element(mk, e, mk->u);
    if (mk->tensor)
        return element(mk, e, mk->v);
    return element(mk, element(mk, e, mk->i), mk->j);
}

static rf_expr *zero_of(rf_chain_maker *mk, const rf_type *type)
{
    bool narrow = type->kind == RF_TYPE_FLOAT && type->format >= RF_F16;
    if (!narrow)
        return rf_expr_int(mk->em.arena, 0);
    return rf_chain_text(mk, type->format == RF_F16 ? "__float2half(0.0f)"
                                                    : "__float2bfloat16(0.0f)");
}

void rf_chain_else_zero(rf_chain_maker *mk, rf_expr *place, const rf_type *type)
{
    rf_stmt *last = RF_LAST(*mk->em.out);
    if (last->kind != RF_STMT_IF)
        return;
    rf_stmts zero = { 0 };
    RF_PUSH(zero, rf_assign(&mk->em, place, zero_of(mk, type)));
    last->orelse = rf_block(&mk->em, &zero);
}
