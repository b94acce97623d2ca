/* Executing both programs of a chain at a list of sizes (proof/chain.h).
 *
 *     m           n             k   l
 *     2 tile + 1  3     2 tile + 3  5           three tiles of rows and of k
 *     2           tile + 3      2   tile + 2    two of P and of E
 *     2           3             2   tile + 1    two of E
 *     3           0             2   3           E is what it starts from
 *     3           2             0   3           so is C
 *     3           2             2   0           no E
 *
 * First with sums in their order (the exact model), then as real numbers. A
 * size at which the source itself leaves an array is none of its sizes. */
#include "proof/chain.h"

#include "proof/model.h"

#include <stdlib.h>
#include <string.h>

enum { N_ROLES = RF_SIZE_OTHER + 1, STEPS = 1000000000 };

typedef struct {
    int tiles[N_ROLES]; /* added to the size */
    int size[N_ROLES];
    int grid[2], block;
} shape;

static const shape shapes[] = {
    { { 2, 0, 2 }, { 1, 3, 3, 5, 2 }, { 2, 1 }, 32 },
    { { 0, 1, 0, 1 }, { 2, 3, 2, 2, 3 }, { 1, 2 }, 24 },
    { { 0, 0, 0, 1 }, { 2, 3, 2, 1, 2 }, { 2, 1 }, 3 },
    { { 0 }, { 3, 0, 2, 3, 2 }, { 2, 1 }, 8 },
    { { 0 }, { 3, 2, 0, 3, 2 }, { 1, 1 }, 32 },
    { { 0 }, { 3, 2, 2, 0, 2 }, { 1, 1 }, 16 },
};

enum { N_SHAPES = sizeof shapes / sizeof *shapes };

typedef struct {
    rf_arena *arena;
    const rf_chain_claim *claim;
    rf_chain_verdict *out;
    const rf_func *emitted;
    bool exact;
    int64_t steps;
} prover;

static bool refute(prover *p, const char *why)
{
    p->out->refuted = true;
    p->out->why = why;
    return false;
}

/* ---- what the parameters are ---- */

/* The blocks of a cluster do not keep sums in memory: tiles of columns of E
 * and of P do not meet, unless in a ring. */
static int tiles_of(const rf_chain_claim *c, const shape *s, rf_size_role role)
{
    bool both = s->tiles[RF_SIZE_N] && s->tiles[RF_SIZE_L];
    return c->cluster > 1 && !c->ring && both && role == RF_SIZE_L
               ? 0
               : s->tiles[role];
}

static int64_t size_of(const prover *p, const rf_var *var, const shape *s,
                       unsigned number)
{
    const rf_chain_claim *c = p->claim;
    int64_t size = -1;
    for (size_t i = 0; i < c->n_sizes; i++) {
        const rf_chain_size *z = &c->sizes[i];
        int64_t n = s->size[z->role] + tiles_of(c, s, z->role) * z->tile;
        bool none = s->size[z->role] == 0 || size == 0;
        if (z->var == var)
            size = none ? 0 : n > size ? n : size;
    }
    return size >= 0 ? size
                     : 1009 + 10 * (int64_t)number; /* a stride, an offset */
}

static rf_cell argument(prover *p, rf_model *m, unsigned i, const shape *s)
{
    const rf_var *var = p->claim->func->params[i];
    const rf_type *t = var->type;
    rf_cell c = { .kind = RF_CELL_POINTER };
    if (t->kind == RF_TYPE_POINTER && !t->is_reference &&
        t->elem->kind != RF_TYPE_POINTER) {
        c.object =
            rf_model_object(m, NULL, -1, var->name, rf_model_leaf(t->elem), -1);
        c.object->shared = c.object->given = true;
        return c;
    }
    if (t->kind == RF_TYPE_INT)
        return rf_model_int(size_of(p, var, s, i));
    if (t->kind != RF_TYPE_FLOAT && t->kind != RF_TYPE_BOOL)
        rf_model_give_up(m, var->at, "this parameter cannot be followed");
    rf_cell r = rf_model_real(rf_model_hash(m, var->name, 0, 1));
    return rf_model_convert(m, &r, NULL, t);
}

static void set_parameters(prover *p, rf_model *m, const rf_func *f,
                           const shape *s)
{
    for (unsigned i = 0; i < f->n_params; i++) {
        rf_cell value = argument(p, m, i, s);
        rf_cell *lanes = rf_model_var(m, f->params[i]);
        for (int k = 0; k < RF_MODEL_LANES; k++)
            lanes[k] = value;
    }
}

/* ---- what they leave ---- */

static const rf_object *twin(const rf_model *m, const rf_object *o)
{
    for (const rf_object *t = m->objects; t; t = t->next)
        if (t->given && !strcmp(t->name, o->name))
            return t;
    return NULL;
}

static int by_place(const void *a, const void *b)
{
    const rf_element *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* The elements that were stored, sorted; how many. */
static size_t stored(rf_arena *arena, const rf_object *o, rf_element **out)
{
    size_t n = 0;
    *out = RF_NEW_ARRAY(arena, o ? o->n_used + 1 : 1, rf_element);
    for (size_t i = 0; o && i < o->cap; i++)
        if (o->elements[i].used && o->elements[i].written)
            (*out)[n++] = o->elements[i];
    qsort(*out, n, sizeof **out, by_place);
    return n;
}

static bool same_object(prover *p, const rf_object *a, const rf_object *b)
{
    rf_element *x, *y;
    size_t n = stored(p->arena, a, &x), k = stored(p->arena, b, &y);
    const char *name = a ? a->name : b->name;
    for (size_t i = 0; i < n && i < k; i++) {
        if (x[i].at != y[i].at)
            break;
        if (!rf_model_same(&x[i].value, &y[i].value))
            return refute(p, rf_arena_printf(p->arena,
                                             "element %lld of '%s' differs",
                                             (long long)x[i].at, name));
    }
    if (n == k && (!n || x[n - 1].at == y[n - 1].at))
        return true;
    return refute(p, rf_arena_printf(
                         p->arena, "other elements of '%s' are stored", name));
}

/* What the source does not touch may lie outside of the array. */
static bool stays_inside(prover *p, const rf_object *source,
                         const rf_object *other)
{
    size_t n = 0;
    rf_element *all = RF_NEW_ARRAY(p->arena, source->n_used + 1, rf_element);
    for (size_t i = 0; i < source->cap; i++)
        if (source->elements[i].used)
            all[n++] = source->elements[i];
    qsort(all, n, sizeof *all, by_place);
    for (size_t i = 0; i < other->cap; i++)
        if (other->elements[i].used &&
            !bsearch(&other->elements[i], all, n, sizeof *all, by_place))
            return refute(
                p, rf_arena_printf(p->arena,
                                   "element %lld of '%s' is read, which the "
                                   "source does not",
                                   (long long)other->elements[i].at,
                                   source->name));
    return true;
}

static bool same_memory(prover *p, const rf_model *a, const rf_model *b)
{
    for (const rf_object *o = a->objects; o; o = o->next)
        if (o->given && (!same_object(p, o, twin(b, o)) ||
                         (twin(b, o) && !stays_inside(p, o, twin(b, o)))))
            return false;
    for (const rf_object *o = b->objects; o; o = o->next)
        if (o->given && !twin(a, o) && !same_object(p, NULL, o))
            return false;
    return true;
}

/* ---- one size ---- */

static rf_model model_of(prover *p, const shape *s, bool is_source)
{
    const rf_chain_claim *c = p->claim;
    bool single = is_source && c->own_grid;
    int cluster = is_source ? 1 : c->cluster;
    int block = s->block;
    if (c->threads)
        block = c->threads;
    while (block * c->cluster > RF_MODEL_LANES)
        block /= 2;
    return (rf_model){ .arena = p->arena,
                       .exact = p->exact,
                       .steps = p->steps,
                       .most_steps = c->most_steps ? c->most_steps : STEPS,
                       .seed = 1,
                       .grid = { single ? 1 : s->grid[0] * c->cluster,
                                 single || !c->batched ? 1 : s->grid[1] },
                       .block = single ? 1 : block,
                       .cluster = cluster };
}

typedef enum { AGREE, SKIP, DISAGREE } outcome;

static bool stops(prover *p, const rf_model *m, bool refuted)
{
    p->out->refuted = m->stopped && refuted;
    p->out->why = m->stopped ? m->why : NULL;
    return m->stopped;
}

static outcome compare(prover *p, rf_model *a, rf_model *b)
{
    rf_model_launch(a, p->claim->func);
    if (a->stopped && !a->unsupported)
        return SKIP;
    if (stops(p, a, false))
        return DISAGREE;
    b->steps = a->steps;
    rf_model_launch(b, p->emitted);
    if (stops(p, b, !b->unsupported))
        return DISAGREE;
    p->steps = b->steps;
    return same_memory(p, a, b) ? AGREE : DISAGREE;
}

static outcome run_shape(prover *p, const shape *s)
{
    rf_model a = model_of(p, s, true), b = model_of(p, s, false);
    set_parameters(p, &a, p->claim->func, s);
    set_parameters(p, &b, p->emitted, s);
    outcome o = compare(p, &a, &b);
    rf_model_free(&a);
    rf_model_free(&b);
    return o;
}

/* ---- the whole ---- */

static bool same_parameters(const rf_func *a, const rf_func *b)
{
    if (a->n_params != b->n_params)
        return false;
    for (unsigned i = 0; i < a->n_params; i++)
        if (strcmp(a->params[i]->name, b->params[i]->name) ||
            !rf_type_same(a->params[i]->type, b->params[i]->type))
            return false;
    return true;
}

static bool read_back(prover *p)
{
    const rf_chain_claim *c = p->claim;
    rf_unit *unit = NULL;
    rf_diags *diags = rf_diags_new();
    if (rf_front_parse(&unit, p->arena, c->source->path, c->bytes, c->size,
                       c->front, diags) == 0)
        for (size_t i = 0; i < unit->funcs.len; i++)
            if (!strcmp(unit->funcs.data[i]->name, c->func->name) &&
                unit->funcs.data[i]->body &&
                same_parameters(c->func, unit->funcs.data[i]))
                p->emitted = unit->funcs.data[i];
    rf_diags_free(diags);
    if (p->emitted && !p->emitted->has_error)
        return true;
    return refute(p, "the emitted code does not compile");
}

/* At every size; false when one fails. */
static bool run_shapes(prover *p, bool exact)
{
    int n = p->claim->n_sizes ? N_SHAPES : 1; /* constants: one size */
    p->exact = exact;
    p->steps = 0;
    *p->out = (rf_chain_verdict){ .exact = exact };
    for (int i = 0; i < n; i++) {
        outcome o = run_shape(p, &shapes[i]);
        if (o == DISAGREE)
            return false;
        p->out->sizes += o == AGREE;
    }
    if (!p->out->sizes)
        p->out->why = "the source leaves an array at every size";
    return true;
}

void rf_prove_chain(rf_arena *arena, const rf_chain_claim *claim,
                    rf_chain_verdict *out)
{
    prover p = { .arena = arena, .claim = claim, .out = out };
    *out = (rf_chain_verdict){ 0 };
    if (!read_back(&p))
        return;
    if (claim->reordered || (!run_shapes(&p, true) && out->refuted))
        run_shapes(&p, false);
}
