/* The rewritten file as one string, the sizes of the chain, and the proof. */
#include "chain_proof.h"

#include <stdlib.h>
#include <string.h>

static int by_begin(const void *a, const void *b)
{
    const rf_edit_part *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin > y->begin ? 1 : -1;
    return (x->end > y->end) - (x->end < y->end);
}

static const char *splice(rf_arena *arena, const rf_chain_certificate *c,
                          size_t *size)
{
    size_t n = c->n_parts + 1, at = 0, head = c->chain->func->at.begin;
    rf_edit_part *parts = RF_NEW_ARRAY(arena, n, rf_edit_part);
    rf_buf text = { 0 };
    memcpy(parts, c->parts, c->n_parts * sizeof *parts);
    parts[n - 1] =
        (rf_edit_part){ .begin = head, .end = head, .text = c->functions };
    qsort(parts, n, sizeof *parts, by_begin);
    for (size_t i = 0; i < n; i++) {
        rf_buf_add(&text, c->unit->bytes + at, parts[i].begin - at);
        rf_buf_puts(&text, parts[i].text);
        at = parts[i].end;
    }
    rf_buf_puts(&text, c->unit->bytes + at);
    *size = text.len;
    const char *copy = rf_arena_strdup(arena, rf_buf_text(&text));
    rf_buf_free(&text);
    return copy;
}

/* ---- sizes ---- */

enum { N_ROLES = RF_SIZE_OTHER + 1 };

typedef struct {
    rf_arena *arena;
    rf_chain_size *list;
    size_t n, cap;
} sizes;

static void add(sizes *s, const rf_var *var, rf_size_role role, int tile)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->list[i].var == var &&
            (s->list[i].role == role || role == RF_SIZE_OTHER))
            return;
    if (s->n < s->cap && var->storage == RF_VAR_PARAM)
        s->list[s->n++] =
            (rf_chain_size){ .var = var, .role = role, .tile = tile };
}

static void add_entries(sizes *s, const rf_val *v, rf_size_role role, int tile)
{
    if (v->kind == RF_VAL_ENTRY)
        add(s, v->var, role, tile);
    for (unsigned i = 0; i < v->n; i++)
        add_entries(s, v->arg[i], RF_SIZE_OTHER, 0);
}

static void add_loop(sizes *s, const rf_loop *l, rf_size_role role, int tile)
{
    if (l)
        add_entries(s, l->upper, role, tile);
}

static void add_limit(sizes *s, const rf_expr *e, int tile)
{
    while (e && e->op == RF_OP_CAST)
        e = e->arg[0];
    if (e && e->op == RF_OP_VAR)
        add(s, e->var, RF_SIZE_M, tile);
}

/* The other loops that count rows run twice at least. */
static int row_tile(const rf_chain *ch, const rf_chain_tiles *t)
{
    int rows = t->m * t->cls_m;
    for (size_t i = 0; i < ch->folded.len; i++)
        rows = (rows + 1) / 2;
    return rows;
}

static sizes sizes_of(rf_arena *arena, const rf_chain_certificate *c)
{
    const rf_chain *ch = c->chain;
    const rf_chain_tiles *t = c->tiles;
    sizes s = { .arena = arena, .cap = ch->func->n_params * N_ROLES };
    s.list = RF_NEW_ARRAY(arena, s.cap + 1, rf_chain_size);
    add_loop(&s, ch->m, RF_SIZE_M, row_tile(ch, t));
    add_limit(&s, ch->limit, t->m);
    add_loop(&s, ch->n, RF_SIZE_N, t->n * t->cls_n);
    add_loop(&s, ch->k, RF_SIZE_K, t->k);
    add_loop(&s, ch->l, RF_SIZE_L, t->l * t->cls_l);
    for (size_t i = 0; i < ch->trace->loops.len; i++)
        add_loop(&s, ch->trace->loops.data[i], RF_SIZE_OTHER, 0);
    return s;
}

rf_chain_verdict rf_chain_certify(rf_arena *arena,
                                  const rf_chain_certificate *c)
{
    sizes s = sizes_of(arena, c);
    rf_chain_claim claim = { .source = c->unit,
                             .func = c->chain->func,
                             .front = c->front,
                             .sizes = s.list,
                             .n_sizes = s.n,
                             .batched = c->chain->batch.len > 0,
                             .own_grid = c->chain->rows == RF_ROWS_LOOP,
                             .cluster = rf_chain_blocks(c->tiles),
                             .threads = c->tiles->k ? c->tiles->threads : 0,
                             .ring = rf_chain_ring(c->tiles) > 1,
                             .reordered =
                                 rf_chain_reorders(c->chain, c->tiles) };
    claim.bytes = splice(arena, c, &claim.size);
    rf_chain_verdict out;
    rf_prove_chain(arena, &claim, &out);
    return out;
}
