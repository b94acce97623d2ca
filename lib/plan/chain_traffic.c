/* What the emitted kernel of a chain moves between global memory and its
 * threads, as a function of the sizes (emit/chain.c, emit/chain_phases.c).
 *
 * Chimera's rule (THEORY 9) with a thread's micro tile as the innermost
 * level: a load is fetched once for each value of the loops outside of the
 * deepest one that it depends on, times the rows and columns of the micro
 * tile that it depends on:
 *
 *     first    (tiles of m, l, n) * slots * SUM over loads of K * 4^d * s
 *     second   (tiles of m, l)    * slots * SUM over loads of N * 4^d * s
 *     finish   M * L * SUM over loads and stores of s
 *
 * slots: micro tiles of a tile, all of which are computed; what lies outside
 * is clamped to the last element. Sizes are positive. Where l has several tiles
 * and the sums are not in memory, first runs for each of them. The blocks of a
 * cluster share the tiles of m, n and l; those along k a tile's sums. */
#include "plan/chain.h"

#include "plan/chaining.h"

enum { MAX_LEVELS = 8 };

/* Where code runs: how often, and for which elements of a tile. */
typedef struct {
    rf_chain_factor factor[RF_CHAIN_FACTORS];
    unsigned n;
    const rf_loop *column;
    int64_t slots;
    int64_t blocks; /* of a cluster, that do it before the shared loop */
    int64_t tiles;  /* of a cluster, for each trip of the factors */
    int rows, columns, tile_rows, tile_columns;
    const rf_loop *level[MAX_LEVELS];
    unsigned levels;
} place;

typedef struct {
    const rf_chain *ch;
    const rf_chain_tiles *t;
    rf_chain_traffic out;
    rf_val_list seen;
} counter;

/* ---- terms ---- */

static bool same_factors(const rf_chain_moved *a, const rf_chain_moved *b)
{
    if (a->is_store != b->is_store || a->n != b->n)
        return false;
    for (unsigned i = 0; i < a->n; i++)
        if (a->factor[i].loop != b->factor[i].loop ||
            a->factor[i].tile != b->factor[i].tile)
            return false;
    return true;
}

static bool is_of_rows(const rf_chain *ch, const rf_chain_factor *f)
{
    return !f->loop || (f->loop == ch->m && f->tile);
}

static rf_chain_extent extent_of(const rf_chain *ch, const rf_chain_factor *f)
{
    return is_of_rows(ch, f) ? rf_chain_rows_of(ch)
                             : rf_chain_extent_of(ch, f->loop);
}

/* Numbers that the code says are part of the bytes. */
static void fold_constants(const rf_chain *ch, rf_chain_moved *term)
{
    unsigned n = 0;
    for (unsigned i = 0; i < term->n; i++) {
        const rf_chain_factor *f = &term->factor[i];
        rf_chain_extent e = extent_of(ch, f);
        if (e.from != RF_FROM_CODE) {
            term->factor[n++] = *f;
            continue;
        }
        int64_t times = f->tile ? (e.n + f->tile - 1) / f->tile : e.n;
        term->bytes *= times;
        term->tile_bytes *= times;
    }
    term->n = n;
}

static void add_term(counter *c, rf_chain_moved term)
{
    fold_constants(c->ch, &term);
    for (size_t i = 0; i < c->out.terms.len; i++) {
        rf_chain_moved *old = &c->out.terms.data[i];
        if (!same_factors(old, &term))
            continue;
        old->bytes += term.bytes;
        old->tile_bytes += term.tile_bytes;
        return;
    }
    RF_PUSH(c->out.terms, term);
}

static void add_factor(counter *c, place *p, const rf_loop *loop, int64_t tile)
{
    if (p->n < RF_CHAIN_FACTORS)
        p->factor[p->n++] = (rf_chain_factor){ loop, tile };
    else
        c->out.exact = false;
}

/* ---- loads ---- */

static bool is_row(const rf_val *v, const void *row)
{
    return v->kind == RF_VAL_ENTRY && v->var == row;
}

static bool varies_with_row(const rf_chain *ch, const rf_val *v)
{
    return ch->m ? rf_chain_varies_with_row(ch, v)
                 : rf_val_find(v, is_row, ch->row) != NULL;
}

static bool is_global(const rf_chain *ch, const rf_val *load)
{
    const rf_val *root = rf_trace_root(ch->trace, load->arg[0]);
    if (root->kind != RF_VAL_ENTRY)
        return true;
    return root->var->storage != RF_VAR_SHARED &&
           (root->var->storage != RF_VAR_LOCAL ||
            root->var->type->kind != RF_TYPE_ARRAY);
}

static void add_load(counter *c, const place *p, const rf_val *load)
{
    unsigned deep = 0;
    for (unsigned i = 0; i < p->levels; i++)
        if (rf_chain_varies(load, p->level[i]))
            deep = i + 1;
    place at = *p;
    for (unsigned i = 0; i < deep; i++)
        add_factor(c, &at, p->level[i], 0);
    bool row = varies_with_row(c->ch, load);
    bool column = rf_chain_varies(load, p->column);
    int64_t size =
        rf_chain_type_bytes(load->type) * p->tiles * (deep ? 1 : p->blocks);
    rf_chain_moved term = { .n = at.n };
    term.bytes =
        size * p->slots * (row ? p->rows : 1) * (column ? p->columns : 1);
    term.tile_bytes =
        size * (row ? p->tile_rows : 1) * (column ? p->tile_columns : 1);
    for (unsigned i = 0; i < at.n; i++)
        term.factor[i] = at.factor[i];
    add_term(c, term);
}

static bool is_on_chip(const rf_chain *ch, const rf_val *v)
{
    for (size_t i = 0; i < ch->kept.len; i++)
        if (ch->kept.data[i] == v)
            return true;
    return v == ch->second->result || rf_chain_result_in(ch, v) == v;
}

static void count_value(counter *c, const place *p, const rf_val *v);

/* A sum beside the products, in a loop of its own. */
static void count_result(counter *c, const place *p, const rf_red *red)
{
    place inner = *p;
    if (red->guard || red->path || inner.levels == MAX_LEVELS)
        c->out.exact = false;
    else
        inner.level[inner.levels++] = red->axis;
    count_value(c, p, red->init);
    count_value(c, &inner, red->term);
}

static void count_new(counter *c, const place *p, const rf_val *v)
{
    RF_PUSH(c->seen, v);
    c->out.exact &=
        v->kind != RF_VAL_OP || v->op != RF_OP_SELECT || !rf_val_first_load(v);
    if (v->kind == RF_VAL_RESULT)
        count_result(c, p, v->red);
    else
        for (unsigned i = 0; i < v->n; i++)
            count_value(c, p, v->arg[i]);
    if (v->kind == RF_VAL_LOAD && is_global(c->ch, v))
        add_load(c, p, v);
}

/* Loads that "v" needs; each value is loaded once. */
static void count_value(counter *c, const place *p, const rf_val *v)
{
    if (!v || is_on_chip(c->ch, v))
        return;
    for (size_t i = 0; i < c->seen.len; i++)
        if (c->seen.data[i] == v)
            return;
    count_new(c, p, v);
}

static void forget(counter *c)
{
    c->seen.len = 0;
}

/* What the sums of a cluster start from is loaded by one block, under a
 * condition. */
static void count_start(counter *c, place p, const rf_val *init)
{
    if (rf_chain_blocks(c->t) > c->t->cls_m && rf_val_first_load(init)) {
        c->out.exact = false;
        p.slots *= (int64_t)p.rows * p.columns;
        p.rows = p.columns = 1;
    }
    count_value(c, &p, init);
}

/* ---- places ---- */

static place begin(counter *c)
{
    place p = { .blocks = 1, .tiles = 1 };
    for (size_t i = 0; i < c->ch->batch.len; i++)
        add_factor(c, &p, c->ch->batch.data[i], 0);
    return p;
}

/* Tiles of rows, and of columns of E with all blocks' turns. */
static place of_tiles(counter *c, bool each_l)
{
    place p = begin(c);
    add_factor(c, &p, c->ch->m, (int64_t)c->t->m * c->t->cls_m);
    p.tiles = c->t->cls_m;
    if (each_l)
        add_factor(c, &p, c->ch->l, (int64_t)c->t->l * c->t->cls_l);
    return p;
}

static place of_micro(place p, const rf_loop *column, int rows, int columns)
{
    p.column = column;
    p.rows = p.columns = RF_CHAIN_MICRO;
    p.slots = (int64_t)rows * columns / RF_CHAIN_MICRO / RF_CHAIN_MICRO;
    p.tile_rows = rows;
    p.tile_columns = columns;
    return p;
}

/* Every element by a thread of its own: of a whole tile. */
static place of_elements(place p, const rf_loop *column, int rows, int columns)
{
    p = of_micro(p, column, rows, columns);
    p.slots = (int64_t)rows * columns;
    p.rows = p.columns = 1;
    return p;
}

/* Those inside of the sizes alone. */
static place of_inside(counter *c, place p, const rf_loop *column)
{
    add_factor(c, &p, NULL, 0);
    add_factor(c, &p, column, 0);
    p.column = column;
    p.slots = p.rows = p.columns = p.tile_rows = p.tile_columns = 1;
    return p;
}

static void add_bytes(counter *c, const place *p, int64_t bytes, bool is_store)
{
    rf_chain_moved term = {
        .is_store = is_store, .bytes = bytes, .tile_bytes = bytes, .n = p->n
    };
    for (unsigned i = 0; i < p->n; i++)
        term.factor[i] = p->factor[i];
    add_term(c, term);
}

static void count_stores(counter *c, const place *p, const rf_store_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        const rf_store *s = list->data[i];
        c->out.exact &= !s->guard;
        count_value(c, p, s->guard);
        count_value(c, p, s->value);
        count_value(c, p, s->index);
        add_bytes(c, p, rf_chain_type_bytes(s->type), true);
    }
    forget(c);
}

/* ---- operands by way of shared memory ---- */

/* The axis and the rows or columns, all of them, once for each tile of the
 * others: each element by a thread of its own. */
static void count_operands(counter *c, bool second, const place *tiles)
{
    const rf_chain *ch = c->ch;
    rf_chain_operands ops;
    rf_chain_operands_of(ch, second, &ops);
    for (unsigned i = 0; i < ops.n; i++) {
        const rf_chain_operand *op = &ops.list[i];
        place p = *tiles;
        p.column = second ? ch->n : ch->k;
        if (op->of_rows)
            add_factor(c, &p, NULL, 0);
        else
            add_factor(c, &p, ch->m, c->t->m);
        const rf_loop *column = second ? ch->l : ch->n;
        if (op->of_rows)
            add_factor(c, &p, column, second ? c->t->l : c->t->n);
        else
            add_factor(c, &p, column, 0);
        add_factor(c, &p, p.column, 0);
        p.slots = p.rows = p.columns = p.tile_rows = p.tile_columns = 1;
        count_value(c, &p, op->value);
        forget(c);
    }
}

/* The sums of a thread or lane in registers. */
static place of_pieces(counter *c, place p, const rf_loop *column, int columns,
                       bool tensor)
{
    p = of_micro(p, column, c->t->m, columns);
    if (!tensor)
        return p;
    p.rows = 2;
    p.columns = RF_MMA_COLUMNS / 4;
    return p;
}

/* ---- the phases ---- */

static void count_clear(counter *c)
{
    const rf_chain *ch = c->ch;
    const rf_store *s = ch->late.data[0];
    const rf_val *init = ch->second->init;
    bool in_place = init->kind == RF_VAL_LOAD && init->arg[0] == s->base &&
                    init->arg[1] == s->index;
    if (c->t->sums_in_memory && in_place)
        return;
    place p = of_tiles(c, true);
    p = c->t->k ? of_pieces(c, p, ch->l, c->t->l, c->t->tensor_second)
                : of_elements(p, ch->l, c->t->m, c->t->l);
    p.blocks = c->t->cls_l;
    if (c->t->sums_in_memory) {
        p = of_inside(c, begin(c), ch->l);
        add_bytes(c, &p, rf_chain_type_bytes(ch->second->type), true);
    }
    count_start(c, p, init);
    forget(c);
}

/* All sums over the axes of "red", in one nest; that of a block with one
 * product alone. */
static void count_nest(counter *c, place p, const rf_red *red)
{
    const rf_chain *ch = c->ch;
    bool alone = rf_chain_has_branches(ch, c->t);
    for (const rf_red *r = red; r; r = rf_chain_inner(r))
        if (p.levels < MAX_LEVELS)
            p.level[p.levels++] = r->axis;
        else
            c->out.exact = false;
    for (size_t i = 0; i < ch->firsts.len; i++) {
        if (alone ? ch->firsts.data[i] != red
                  : !rf_chain_same_axes(ch->firsts.data[i], red))
            continue;
        for (const rf_red *r = ch->firsts.data[i]; r; r = rf_chain_inner(r)) {
            c->out.exact &= !r->guard;
            count_value(c, &p, r->guard);
        }
        count_value(c, &p, rf_chain_leaf(ch->firsts.data[i])->term);
    }
    forget(c);
}

static bool is_first_of_nest(const rf_chain *ch, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (rf_chain_same_axes(ch->firsts.data[k], ch->firsts.data[i]))
            return false;
    return true;
}

static void count_first(counter *c)
{
    const rf_chain *ch = c->ch;
    place tiles = of_tiles(c, !c->t->sums_in_memory);
    place early = of_inside(c, begin(c), ch->n);
    if (!c->t->sums_in_memory)
        add_factor(c, &early, ch->l, (int64_t)c->t->l * c->t->cls_l);
    int side = rf_chain_takes_turns(c->t) ? c->t->cls_n : 1;
    add_factor(c, &tiles, ch->n, (int64_t)c->t->n * side);
    tiles.tiles *= side;
    tiles.blocks = c->t->cls_k;
    place micro = of_pieces(c, tiles, ch->n, c->t->n, c->t->tensor_first);
    for (size_t i = 0; i < ch->firsts.len; i++)
        count_start(c, micro, ch->firsts.data[i]->init);
    forget(c);
    place repeated = begin(c);
    if (!c->t->sums_in_memory)
        add_factor(c, &repeated, ch->l, (int64_t)c->t->l * c->t->cls_l);
    if (c->t->k)
        count_operands(c, false, &repeated);
    for (size_t i = 0; i < ch->firsts.len && !c->t->k; i++)
        if (is_first_of_nest(ch, i) || rf_chain_has_branches(ch, c->t))
            count_nest(c, micro, ch->firsts.data[i]);
    place keep =
        c->t->cls_k > 1 ? of_elements(tiles, ch->n, c->t->m, c->t->n) : micro;
    for (size_t i = 0; i < ch->kept.len; i++)
        if (rf_chain_result_in(ch, ch->kept.data[i]) != ch->kept.data[i])
            count_new(c, &keep, ch->kept.data[i]);
    forget(c);
    count_stores(c, &early, &ch->early);
}

static void count_second(counter *c)
{
    const rf_chain *ch = c->ch;
    const rf_red *e = ch->second;
    if (c->t->sums_in_memory) {
        place p = of_inside(c, begin(c), ch->l);
        add_factor(c, &p, ch->n, c->t->n);
        add_bytes(c, &p, rf_chain_type_bytes(e->type), false);
        add_bytes(c, &p, rf_chain_type_bytes(e->type), true);
    }
    if (c->t->k) {
        place p = begin(c);
        count_operands(c, true, &p);
        return;
    }
    place p = of_micro(of_tiles(c, true), ch->l, c->t->m, c->t->l);
    p.tiles *= c->t->cls_l; /* each once for every slice of n */
    p.level[p.levels++] = ch->n;
    c->out.exact &= !e->guard;
    count_value(c, &p, e->guard);
    count_value(c, &p, e->term);
    forget(c);
}

static void count_finish(counter *c)
{
    const rf_chain *ch = c->ch;
    place p = of_inside(c, begin(c), ch->l);
    if (c->t->sums_in_memory) {
        if (ch->late.data[0]->value == ch->second->result)
            return;
        add_bytes(c, &p, rf_chain_type_bytes(ch->second->type), false);
    }
    count_stores(c, &p, &ch->late);
}

rf_chain_traffic rf_chain_count(const rf_chain *ch, const rf_chain_tiles *tiles)
{
    counter c = { .ch = ch, .t = tiles, .out = { .exact = true } };
    c.out.exact = ch->rows == RF_ROWS_LOOP;
    count_clear(&c);
    count_first(&c);
    count_second(&c);
    count_finish(&c);
    RF_CLEAR(c.seen);
    return c.out;
}

void rf_chain_traffic_clear(rf_chain_traffic *traffic)
{
    RF_CLEAR(traffic->terms);
}

/* ---- numbers and words ---- */

static double value_of(const rf_chain *ch, const rf_chain_factor *f)
{
    int64_t n = extent_of(ch, f).n;
    return (double)(f->tile ? (n + f->tile - 1) / f->tile : n);
}

double rf_chain_bytes(const rf_chain *ch, const rf_chain_traffic *traffic,
                      bool stores, bool of_blocks)
{
    double sum = 0;
    for (size_t i = 0; i < traffic->terms.len; i++) {
        const rf_chain_moved *t = &traffic->terms.data[i];
        double bytes = (double)(of_blocks ? t->tile_bytes : t->bytes);
        for (unsigned k = 0; k < t->n; k++)
            bytes *= value_of(ch, &t->factor[k]);
        sum += t->is_store == stores ? bytes : 0;
    }
    return sum;
}

static void put_rows(rf_buf *out, const rf_chain *ch)
{
    for (size_t i = 0; i < ch->folded.len; i++) {
        rf_val_print(out, ch->folded.data[i]->upper);
        rf_buf_puts(out, " * ");
    }
    if (ch->m)
        rf_val_print(out, ch->m->upper);
    else
        rf_buf_puts(out, "rows");
}

static void put_factor(rf_buf *out, const rf_chain *ch,
                       const rf_chain_factor *f)
{
    rf_buf_puts(out, f->tile ? " * ceil(" : " * ");
    if (is_of_rows(ch, f))
        put_rows(out, ch);
    else
        rf_val_print(out, f->loop->upper);
    if (f->tile)
        rf_buf_printf(out, " / %lld)", (long long)f->tile);
}

void rf_chain_put_traffic(rf_buf *out, const rf_chain *ch,
                          const rf_chain_traffic *traffic, bool stores)
{
    const char *between = "";
    for (size_t i = 0; i < traffic->terms.len; i++) {
        const rf_chain_moved *t = &traffic->terms.data[i];
        if (t->is_store != stores)
            continue;
        rf_buf_printf(out, "%s%lld", between, (long long)t->bytes);
        for (unsigned k = 0; k < t->n; k++)
            put_factor(out, ch, &t->factor[k]);
        between = " + ";
    }
    rf_buf_puts(out, *between ? "" : "0");
}
