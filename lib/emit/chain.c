/* The kernel of a chain of two matrix products (THEORY 9), one tile of rows a
 * block:
 *
 *     for every tile of rows that is this block's
 *       for every tile of columns of E                    (1)
 *         clear
 *         for every tile of columns of P        P stays in shared memory
 *           first;  barrier;  second;  barrier
 *         finish
 *
 * Where E has more columns than a tile, P would be computed again for each; if
 * the result itself can hold the sums, loop (1) moves into clear, second and
 * finish instead.
 *
 * The grid and the block may have any size: tiles are dealt to blocks and
 * elements to threads in strides. All loops around the barriers have bounds
 * that a block's threads share (D6). */
#include "emit/chaining.h"
#include "emit/print.h"

#include <string.h>

/* ---- set-up ---- */

static void set_index(rf_chain_maker *mk, rf_chain_index *x,
                      const rf_loop *loop, int tile)
{
    *x = (rf_chain_index){ .loop = loop, .tile = tile };
    x->var = x->declared = rf_chain_var(mk, loop->name, loop->type);
}

/* True if the tile holds the whole of "x": no loop over tiles is needed. */
static bool is_single(const rf_chain_index *x)
{
    int64_t n;
    return x->loop && rf_val_is_int(x->loop->upper, &n) && n <= x->tile;
}

static rf_var *tile_start(rf_chain_maker *mk, const rf_chain_index *x)
{
    const char *name = x->var->name, *last = name + strlen(name) - 1;
    bool digit = *last >= '0' && *last <= '9';
    const char *wish =
        rf_arena_printf(mk->em.arena, digit ? "%s_0" : "%s0", name);
    return rf_chain_var(mk, wish, x->var->type);
}

static void add_digit(rf_chain_maker *mk, const rf_loop *loop)
{
    rf_var *var = rf_chain_var(mk, loop->name, loop->type);
    RF_PUSH(mk->digits, (rf_counter){ .loop = loop, .var = var });
}

/* Several loops count the rows together: their number, whose digits are the
 * counters. */
static void set_folded(rf_chain_maker *mk)
{
    const rf_chain *ch = mk->ch;
    for (size_t i = 0; i < ch->folded.len; i++)
        add_digit(mk, ch->folded.data[i]);
    add_digit(mk, ch->m);
    mk->m = (rf_chain_index){ .tile = mk->tiles->m };
    mk->m.var = mk->m.declared = rf_chain_var(mk, "row", &rf_type_long_long);
}

static void set_indices(rf_chain_maker *mk)
{
    const rf_chain *ch = mk->ch;
    if (ch->rows == RF_ROWS_THREAD)
        mk->m = (rf_chain_index){ .var = ch->row,
                                  .declared = rf_new_var(&mk->em, ch->row->name,
                                                         ch->row->type, false),
                                  .tile = mk->tiles->m };
    else if (ch->folded.len)
        set_folded(mk);
    else
        set_index(mk, &mk->m, ch->m, mk->tiles->m);
    set_index(mk, &mk->n, ch->n, mk->tiles->n);
    set_index(mk, &mk->l, ch->l, mk->tiles->l);
    mk->m.start = tile_start(mk, &mk->m);
    if (!is_single(&mk->n) || mk->tiles->cls_n > 1)
        mk->n.start = tile_start(mk, &mk->n);
    if (!is_single(&mk->l) || mk->tiles->cls_l > 1)
        mk->l.start = tile_start(mk, &mk->l);
    mk->slot = rf_chain_var(mk, "slot", &rf_type_int);
    mk->warp = rf_chain_var(mk, "warp", &rf_type_int);
    mk->i = rf_chain_var(mk, "i", &rf_type_int);
    mk->j = rf_chain_var(mk, "j", &rf_type_int);
    mk->v = rf_chain_var(mk, "q", &rf_type_int);
}

/* What the author calls the intermediate: the array it was stored to. */
static const char *kept_name(rf_chain_maker *mk, const rf_val *v)
{
    const rf_trace *t = mk->ch->trace;
    for (size_t i = 0; i < t->stores.len; i++)
        if (t->stores.data[i].value == v &&
            t->stores.data[i].base->kind == RF_VAL_ENTRY)
            return t->stores.data[i].base->var->name;
    return "p";
}

static void declare_tiles(rf_chain_maker *mk)
{
    const rf_chain *ch = mk->ch;
    for (size_t i = 0; i < ch->kept.len; i++) {
        const rf_val *v = ch->kept.data[i];
        const char *name = kept_name(mk, v);
        int pad = mk->tiles->tensor_second ? RF_CHAIN_PAD : 0;
        mk->p[i] =
            rf_chain_tile(mk, rf_arena_printf(mk->em.arena, "%s_tile", name),
                          rf_chain_kept_as(ch, mk->tiles, i)->type, mk->m.tile,
                          mk->n.tile + pad, true);
        mk->p[i]->alignment = pad ? 16 : 0;
        mk->kept[i] = rf_chain_var(mk, "p", v->type);
    }
    if (mk->tiles->k)
        rf_chain_declare_stages(mk);
    if (mk->tiles->sums_in_memory || mk->tiles->k)
        return;
    const rf_val *to = ch->late.data[0]->base;
    const char *e = to->kind == RF_VAL_ENTRY ? to->var->name : "e";
    mk->sum = rf_chain_tile(mk, rf_arena_printf(mk->em.arena, "%s_tile", e),
                            ch->second->type, mk->m.tile, mk->l.tile, true);
}

/* ---- rows ---- */

/* The author's declarations between the row's number and the chain: those
 * that depend on the row are repeated for each, the others stay. */
static bool depends_on_row(rf_chain_maker *mk, const rf_stmt *s)
{
    rf_stmt one = { .kind = RF_STMT_BLOCK,
                    .n = 1,
                    .list = (rf_stmt *[]){ (rf_stmt *)(uintptr_t)s } };
    if (rf_block_needs(&one, 0, mk->ch->row))
        return true;
    for (size_t i = 0; i < mk->row_decls.len; i++)
        if (rf_block_needs(&one, 0, mk->row_decls.data[i]->var))
            return true;
    return false;
}

static const rf_stmt *row_decl(const rf_chain *ch)
{
    const rf_stmt *body = ch->func->body;
    for (unsigned i = 0; i < body->n; i++)
        if (body->list[i]->kind == RF_STMT_DECL &&
            body->list[i]->var == ch->row)
            return body->list[i];
    return body->list[0];
}

static void place_declaration(rf_chain_maker *mk, rf_stmt *s)
{
    RF_PUSH(mk->em.names, s->var->name);
    if (mk->ch->row && depends_on_row(mk, s))
        RF_PUSH(mk->row_decls, s);
    else
        rf_emit_append(&mk->em, s);
}

/* Those before the chain, after that of the row's number. */
static void sort_declarations(rf_chain_maker *mk)
{
    const rf_stmt *body = mk->ch->func->body;
    const rf_stmt *row = row_decl(mk->ch);
    bool after = false;
    for (unsigned i = 0; i < body->n; i++) {
        rf_stmt *s = body->list[i];
        if (after && s->kind != RF_STMT_DECL)
            return;
        if (after)
            place_declaration(mk, s);
        after |= s == row;
    }
}

/* Pointers within the chain that keep their names in the trace. */
static void sort_pointers(rf_chain_maker *mk, rf_stmt *s)
{
    if (s->kind == RF_STMT_DECL && s->expr && s->var->is_const &&
        s->var->type->kind == RF_TYPE_POINTER && !s->var->type->is_reference)
        place_declaration(mk, s);
    for (unsigned i = 0; s->kind == RF_STMT_BLOCK && i < s->n; i++)
        sort_pointers(mk, s->list[i]);
}

/* int m_end = (blockIdx.x + 1) * blockDim.x; if (m_end > M) m_end = M; */
static void end_rows(rf_chain_maker *mk)
{
    rf_emitter *em = &mk->em;
    const char *wish = rf_arena_printf(em->arena, "%s_end", mk->m.var->name);
    rf_var *end = rf_chain_var(mk, wish, mk->m.var->type);
    rf_emit_append(
        em, rf_declare(em, end,
                       rf_chain_text(mk, "(blockIdx.x + 1) * blockDim.x")));
    if (mk->ch->limit) {
        rf_stmts cut = { 0 };
        rf_expr *limit = (rf_expr *)(uintptr_t)mk->ch->limit;
        RF_PUSH(cut, rf_assign(em, rf_emit_use(em, end), limit));
        rf_emit_append(em, rf_if(em,
                                 rf_binary(em, RF_OP_GT, &rf_type_bool,
                                           rf_emit_use(em, end), limit),
                                 &cut));
    }
    mk->m.end = end;
}

static rf_expr *upper_of(rf_chain_maker *mk, size_t i)
{
    return rf_express(&mk->em, mk->digits.data[i].loop->upper);
}

/* const long long rows = B > 0 && H > 0 ? (long long)B * H * W : 0; */
static void count_rows(rf_chain_maker *mk)
{
    rf_emitter *em = &mk->em;
    rf_expr *first = upper_of(mk, 0);
    rf_expr *n =
        rf_expr_new(em->arena, RF_OP_CAST, &rf_type_long_long, 1, &first);
    rf_expr *test = NULL;
    for (size_t i = 0; i < mk->digits.len; i++) {
        int64_t known;
        if (i)
            n = rf_binary(em, RF_OP_MUL, &rf_type_long_long, n,
                          upper_of(mk, i));
        if (i + 1 == mk->digits.len ||
            rf_val_is_int(mk->digits.data[i].loop->upper, &known))
            continue;
        rf_expr *some = rf_binary(em, RF_OP_GT, &rf_type_bool, upper_of(mk, i),
                                  rf_expr_int(em->arena, 0));
        test =
            test ? rf_binary(em, RF_OP_AND, &rf_type_bool, test, some) : some;
    }
    rf_expr *args[] = { test, n, rf_expr_int(em->arena, 0) };
    if (test)
        n = rf_expr_new(em->arena, RF_OP_SELECT, n->type, 3, args);
    mk->m.end =
        rf_new_var(em, rf_names_fresh(em, "rows"), &rf_type_long_long, true);
    rf_emit_append(em, rf_declare(em, mk->m.end, n));
}

/* The number of this cluster, or of clusters. */
static const char *per_cluster(rf_chain_maker *mk, const char *what)
{
    int blocks = rf_chain_blocks(mk->tiles);
    if (blocks == 1)
        return rf_arena_printf(mk->em.arena, "%s.x", what);
    return rf_arena_printf(mk->em.arena, "%s.x / %d", what, blocks);
}

/* As many rows; their number may not fit 32 bits if several loops count. */
static rf_expr *per_tile(rf_chain_maker *mk, const char *what)
{
    return rf_chain_text(mk, mk->digits.len ? "%s * %dll" : "%s * %d",
                         per_cluster(mk, what), mk->m.tile * mk->tiles->cls_m);
}

/* The author computes P for the columns of E: where there are none, nothing
 * is read. */
static bool reads_for_columns(const rf_chain *ch)
{
    for (size_t i = 0; i < ch->firsts.len; i++)
        for (unsigned k = 0; k < ch->firsts.data[i]->n_outer; k++)
            if (ch->firsts.data[i]->outer[k] == ch->l)
                return true;
    return false;
}

/* m0 < M && L > 0, if the loop over columns is not around P. */
static void require_columns(rf_chain_maker *mk, rf_chain_for *f)
{
    rf_emitter *em = &mk->em;
    int64_t n;
    if (!mk->tiles->sums_in_memory || !reads_for_columns(mk->ch) ||
        (rf_val_is_int(mk->ch->l->upper, &n) && n > 0))
        return;
    rf_expr *some =
        rf_binary(em, RF_OP_GT, &rf_type_bool, rf_chain_bound(mk, &mk->l),
                  rf_expr_int(em->arena, 0));
    f->stmt->expr =
        rf_binary(em, RF_OP_AND, &rf_type_bool, f->stmt->expr, some);
}

static void begin_rows(rf_chain_maker *mk, rf_chain_for *f)
{
    rf_var *first =
        mk->at_m ? rf_chain_var(mk, "turn", mk->m.var->type) : mk->m.start;
    if (mk->ch->rows == RF_ROWS_THREAD)
        rf_chain_begin(
            mk, f, mk->m.start, rf_chain_text(mk, "blockIdx.x * blockDim.x"),
            rf_chain_bound(mk, &mk->m), rf_expr_int(mk->em.arena, mk->m.tile));
    else
        rf_chain_begin(mk, f, first, per_tile(mk, "blockIdx"),
                       rf_chain_bound(mk, &mk->m), per_tile(mk, "gridDim"));
    require_columns(mk, f);
    if (mk->at_m)
        rf_emit_append(&mk->em,
                       rf_declare(&mk->em, mk->m.start,
                                  rf_chain_text(mk, "%s + %s * %d", first->name,
                                                mk->at_m, mk->m.tile)));
}

/* The first batch loop goes to the grid's second dimension. */
static void begin_batch(rf_chain_maker *mk, rf_chain_for *f, size_t i)
{
    rf_emitter *em = &mk->em;
    const rf_loop *b = mk->ch->batch.data[i];
    rf_var *var = rf_chain_var(mk, b->name, b->type);
    RF_PUSH(em->counters, (rf_counter){ .loop = b, .var = var });
    rf_expr *from =
        i ? rf_expr_int(em->arena, 0) : rf_chain_text(mk, "blockIdx.y");
    rf_chain_begin(mk, f, var, from, rf_express(em, b->upper),
                   i ? NULL : rf_chain_text(mk, "gridDim.y"));
}

/* ---- the nest ---- */

static void begin_tiles(rf_chain_maker *mk, rf_chain_for *f,
                        const rf_chain_index *x)
{
    if (x->start)
        rf_chain_begin(mk, f, x->start, rf_expr_int(mk->em.arena, 0),
                       rf_chain_bound(mk, x),
                       rf_expr_int(mk->em.arena, x->tile));
}

/* The stores beside P happen even where E has no columns: then a tile without
 * columns is run for them. */
static bool runs_without_columns(const rf_chain_maker *mk)
{
    int64_t n;
    return mk->ch->early.len && !mk->tiles->sums_in_memory && mk->l.start &&
           !(rf_val_is_int(mk->ch->l->upper, &n) && n > 0);
}

/* x == 0 || x < L */
static void run_at_least_once(rf_chain_maker *mk, rf_chain_for *f, rf_var *var)
{
    rf_emitter *em = &mk->em;
    if (!runs_without_columns(mk))
        return;
    rf_expr *first = rf_binary(em, RF_OP_EQ, &rf_type_bool,
                               rf_emit_use(em, var), rf_expr_int(em->arena, 0));
    f->stmt->text = "Once at least, for what is stored beside E.";
    f->stmt->expr =
        rf_binary(em, RF_OP_OR, &rf_type_bool, first, f->stmt->expr);
}

/* for (turn = 0; turn < X; turn += by) { x0 = turn + own * tile; ... All
 * blocks of a cluster run it equally often, as they meet inside; a tile may lie
 * outside. */
static void begin_turns(rf_chain_maker *mk, rf_chain_for *f,
                        const rf_chain_index *x, const char *own, int blocks)
{
    rf_emitter *em = &mk->em;
    mk->turn = rf_chain_var(mk, "turn", x->var->type);
    rf_chain_begin(mk, f, mk->turn, rf_expr_int(em->arena, 0),
                   rf_chain_bound(mk, x),
                   rf_expr_int(em->arena, blocks * x->tile));
    if (x == &mk->l)
        run_at_least_once(mk, f, mk->turn);
    rf_emit_append(em, rf_declare(em, x->start,
                                  rf_chain_text(mk, "%s + %s * %d",
                                                mk->turn->name, own, x->tile)));
}

/* Tiles of columns of E: those of this block's turn. */
static void begin_l(rf_chain_maker *mk, rf_chain_for *f)
{
    const char *own = rf_chain_tile_of_l(mk);
    if (own) {
        begin_turns(mk, f, &mk->l, own, mk->tiles->cls_l);
        return;
    }
    begin_tiles(mk, f, &mk->l);
    run_at_least_once(mk, f, mk->l.start);
}

/* The blocks of a cluster take turns. */
static void begin_n(rf_chain_maker *mk, rf_chain_for *f)
{
    if (rf_chain_takes_turns(mk->tiles))
        begin_turns(mk, f, &mk->n, mk->at_n, mk->tiles->cls_n);
    else if (mk->at_n)
        rf_chain_begin(
            mk, f, mk->n.start,
            rf_chain_text(mk, "%s * %d", mk->at_n, mk->n.tile),
            rf_chain_bound(mk, &mk->n),
            rf_expr_int(mk->em.arena, mk->n.tile * mk->tiles->cls_n));
    else
        begin_tiles(mk, f, &mk->n);
}

static void end_tiles(rf_chain_maker *mk, rf_chain_for *f,
                      const rf_chain_index *x)
{
    if (x->start)
        rf_chain_end(mk, f);
}

static void comment(rf_chain_maker *mk, size_t at, const char *text)
{
    if (at < mk->em.out->len)
        mk->em.out->data[at]->text = text;
}

typedef void phase(rf_chain_maker *);

/* if (l0 < L) phase; */
static void run_if_columns(rf_chain_maker *mk, phase *run)
{
    rf_emitter *em = &mk->em;
    rf_stmts inside = { 0 }, *outer = em->out;
    em->out = &inside;
    run(mk);
    em->out = outer;
    if (inside.len)
        rf_emit_append(em, rf_if(em,
                                 rf_binary(em, RF_OP_LT, &rf_type_bool,
                                           rf_emit_use(em, mk->l.start),
                                           rf_chain_bound(mk, &mk->l)),
                                 &inside));
}

/* A phase for every tile of columns of E, when those are the inner loop. */
static void for_columns(rf_chain_maker *mk, phase *run, const char *text)
{
    rf_chain_for l;
    rf_stmts *outer = mk->em.out;
    size_t first = outer->len, names = mk->em.names.len;
    bool inner = mk->tiles->sums_in_memory;
    if (inner)
        begin_l(mk, &l);
    size_t before = mk->em.out->len;
    if (runs_without_columns(mk))
        run_if_columns(mk, run);
    else
        run(mk);
    bool empty = mk->em.out->len == before;
    if (inner)
        end_tiles(mk, &l, &mk->l);
    mk->em.names.len = names;
    if (empty)
        outer->len = first; /* nothing to do */
    else if (text)
        comment(mk, first, text);
}

/* Sums in the result that other threads finish than those that added them. */
static bool finishes_in_memory(const rf_chain_maker *mk)
{
    return mk->tiles->sums_in_memory &&
           mk->ch->late.data[0]->value != mk->ch->second->result;
}

/* Sums over operands in shared memory end with a barrier of their own. */
static void multiply(rf_chain_maker *mk)
{
    for_columns(mk, rf_chain_second,
                "Multiply it with its part of the second matrix.");
    if (!mk->tiles->k || finishes_in_memory(mk))
        rf_chain_barrier(mk);
}

/* The number in the turn of the tile of P that this block has after "hop"
 * steps. */
static const char *tile_after(rf_chain_maker *mk, const rf_var *hop)
{
    const rf_chain_group *ring = &mk->group[RF_GROUP_RING];
    const char *sum = mk->group[RF_GROUP_SCATTER].own;
    const char *at = rf_arena_printf(mk->em.arena, "(%s + %s) %% %d", ring->own,
                                     hop->name, ring->size);
    return sum ? rf_arena_printf(mk->em.arena, "(%s * %d + %s)", sum,
                                 ring->size, at)
               : at;
}

/* if (hop > 0) pass */
static void pass_after_first(rf_chain_maker *mk, rf_var *hop)
{
    rf_emitter *em = &mk->em;
    rf_stmts passing = { 0 }, *outer = em->out;
    em->out = &passing;
    rf_chain_pass_on(mk);
    em->out = outer;
    rf_expr *later = rf_binary(em, RF_OP_GT, &rf_type_bool,
                               rf_emit_use(em, hop), rf_expr_int(em->arena, 0));
    rf_emit_append(em, rf_if(em, later, &passing));
}

/* Each block multiplies what it has, then gives it to the one before it:
 *
 *     for (hop = 0; hop < cls_shuffle; hop++) { if (hop) pass; multiply; } */
static void build_ring(rf_chain_maker *mk)
{
    rf_emitter *em = &mk->em;
    rf_var *own = mk->n.start, *turn = mk->turn;
    rf_var *hop = rf_chain_var(mk, "hop", &rf_type_int);
    rf_chain_for f;
    rf_chain_begin(mk, &f, hop, rf_expr_int(em->arena, 0),
                   rf_expr_int(em->arena, mk->group[RF_GROUP_RING].size), NULL);
    pass_after_first(mk, hop);
    mk->n.start = rf_chain_var(mk, own->name, own->type);
    rf_emit_append(em,
                   rf_declare(em, mk->n.start,
                              rf_chain_text(mk, "%s + %s * %d", turn->name,
                                            tile_after(mk, hop), mk->n.tile)));
    multiply(mk);
    mk->n.start = own;
    rf_chain_end(mk, &f);
}

static void build_tile(rf_chain_maker *mk)
{
    rf_chain_for n;
    for_columns(mk, rf_chain_clear_sums, NULL);
    begin_n(mk, &n);
    size_t first = mk->em.out->len;
    rf_chain_first(mk);
    comment(mk, first, "A tile of the first product; it stays on the chip.");
    if (!mk->tiles->k)
        rf_chain_barrier(mk);
    if (mk->group[RF_GROUP_RING].own)
        build_ring(mk);
    else
        multiply(mk);
    if (mk->n.start)
        rf_chain_end(mk, &n);
    for_columns(mk, rf_chain_finish, NULL);
}

static void build(rf_chain_maker *mk)
{
    rf_names_take_function(&mk->em);
    if (mk->ch->rows == RF_ROWS_THREAD)
        sort_declarations(mk);
    for (unsigned i = mk->ch->first; i <= mk->ch->last; i++)
        sort_pointers(mk, mk->ch->block->list[i]);
    set_indices(mk);
    size_t top = mk->em.out->len;
    declare_tiles(mk);
    comment(mk, top,
            rf_arena_printf(mk->em.arena,
                            "%s: a block computes %d rows at a time.",
                            mk->ch->formula, mk->m.tile));
    rf_chain_declare_rank(mk);
    if (mk->ch->rows == RF_ROWS_THREAD)
        end_rows(mk);
    if (mk->digits.len)
        count_rows(mk);
    rf_chain_for *batch =
        RF_NEW_ARRAY(mk->em.arena, mk->ch->batch.len + 1, rf_chain_for);
    rf_chain_for m, l;
    for (size_t i = 0; i < mk->ch->batch.len; i++)
        begin_batch(mk, &batch[i], i);
    begin_rows(mk, &m);
    bool outer = !mk->tiles->sums_in_memory;
    if (outer)
        begin_l(mk, &l);
    build_tile(mk);
    if (outer)
        end_tiles(mk, &l, &mk->l);
    rf_chain_end(mk, &m);
    for (size_t i = mk->ch->batch.len; i-- > 0;)
        rf_chain_end(mk, &batch[i]);
}

/* ---- text ---- */

static const char *indent_at(rf_arena *arena, const rf_unit *unit, uint32_t at)
{
    uint32_t begin = at;
    while (begin > 0 && unit->bytes[begin - 1] != '\n')
        begin--;
    size_t n = strspn(unit->bytes + begin, " \t");
    return rf_arena_strndup(arena, unit->bytes + begin, n);
}

/* Print the statements; the first line's indentation is already there. */
static const char *print(rf_chain_maker *mk, const rf_stmts *list, uint32_t at,
                         const char *before, const char *after)
{
    const rf_unit *unit = mk->em.unit;
    rf_buf text = { 0 };
    rf_print_style style = rf_print_style_of(unit->bytes, unit->size);
    const char *indent = indent_at(mk->em.arena, unit, at);
    style.base = indent;
    style.eol = "\n";
    if (*before)
        style.base =
            rf_arena_printf(mk->em.arena, "%s%s", indent, style.indent);
    rf_buf_puts(&text, before);
    for (size_t i = 0; i < list->len; i++)
        rf_print_stmt(&text, list->data[i], &style);
    rf_buf_puts(&text, *after ? indent : "");
    rf_buf_puts(&text, after);
    size_t skip = *before ? 0 : strlen(style.base), n = text.len;
    while (n && text.data[n - 1] == '\n')
        n--;
    const char *copy =
        n > skip ? rf_arena_strndup(mk->em.arena, text.data + skip, n - skip)
                 : "";
    rf_buf_free(&text);
    return copy;
}

static void set_range(const rf_chain *ch, rf_emitted *out)
{
    out->begin = ch->block->list[ch->first]->at.begin;
    out->end = ch->block->list[ch->last]->at.end;
    if (ch->rows == RF_ROWS_LOOP)
        return;
    const rf_stmt *body = ch->func->body;
    out->begin = row_decl(ch)->at.begin;
    out->end = body->list[body->n - 1]->at.end;
}

static bool is_too_large(const rf_chain *ch)
{
    return ch->kept.len > RF_CHAIN_MAX_PARTS ||
           ch->firsts.len > RF_CHAIN_MAX_PARTS;
}

int rf_emit_chain(rf_arena *arena, const rf_unit *unit, const rf_chain *chain,
                  const rf_chain_tiles *tiles, rf_emitted *out,
                  rf_refusal *refusal)
{
    rf_stmts body = { 0 };
    rf_plan frame = { .func = chain->func,
                      .block = chain->block,
                      .first = chain->first,
                      .last = chain->last,
                      .trace = chain->trace,
                      .mark = chain->mark };
    rf_chain_maker mk = { .ch = chain, .tiles = tiles };
    mk.em = (rf_emitter){ .arena = arena,
                          .unit = unit,
                          .plan = &frame,
                          .trace = chain->trace,
                          .vals = chain->trace->vals,
                          .out = &body,
                          .refusal = refusal };
    if (is_too_large(chain))
        rf_emit_fail(&mk.em, chain->second->at, "too many products at once");
    else
        build(&mk);
    if (!mk.em.refused) {
        set_range(chain, out);
        /* `#pragma rf gemm_chain` may stand before a loop: one statement. */
        bool scope = chain->rows == RF_ROWS_LOOP;
        out->text =
            print(&mk, &body, out->begin, scope ? "{\n" : "", scope ? "}" : "");
    }
    RF_CLEAR(body);
    RF_CLEAR(mk.row_decls);
    RF_CLEAR(mk.digits);
    RF_CLEAR(mk.em.scope);
    RF_CLEAR(mk.em.counters);
    RF_CLEAR(mk.em.names);
    RF_CLEAR(mk.em.used);
    free(mk.em.uses);
    return mk.em.refused ? -1 : 0;
}
