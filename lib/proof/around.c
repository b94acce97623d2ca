/* The kernel around statements that were widened: every statement is the
 * source's, but
 *
 *     the number of the thread in the grid has become that of the team,
 *     what was stored is stored by one lane of the team.
 *
 * Numbers are compared in every lane of the first blocks, for every size of
 * the block: an expression of the source that has the value f(i) in thread i
 * has the value f(i) in all lanes of team i. */
#include "ir/math.h"
#include "proof/proving.h"

#include <string.h>

/* Where an expression is evaluated. */
typedef struct {
    int64_t grid, block, size, thread; /* gridDim.x, ..., threadIdx.x */
} place;

typedef struct {
    rf_prover *p;
    const rf_team *team;
    bool uses_block; /* blockIdx.x stands in both programs */
    bool one_block;  /* every launch of the source has one */
} around;

/* ---- numbers ---- */

static bool builtin_number(const rf_expr *e, const place *at, int64_t *n)
{
    const rf_var *of = e->arg[0]->op == RF_OP_VAR ? e->arg[0]->var : NULL;
    if (!of || of->storage != RF_VAR_BUILTIN || strcmp(e->name, "x"))
        return false;
    if (!strcmp(of->name, "gridDim"))
        *n = at->grid;
    else if (!strcmp(of->name, "blockIdx"))
        *n = at->block;
    else if (!strcmp(of->name, "blockDim"))
        *n = at->size;
    else if (!strcmp(of->name, "threadIdx"))
        *n = at->thread;
    else
        return false;
    return true;
}

static bool number_of(const rf_expr *e, const place *at, int64_t *n)
{
    int64_t a, b = 0;
    if (e->op == RF_OP_INT) {
        *n = e->value.i;
        return true;
    }
    if (e->op == RF_OP_FIELD)
        return builtin_number(e, at, n);
    if (e->op == RF_OP_CAST)
        return e->type->kind == RF_TYPE_INT && number_of(e->arg[0], at, n);
    if (e->op < RF_OP_NEG || e->op > RF_OP_OR || e->op == RF_OP_PLUS ||
        e->op == RF_OP_BIT_NOT)
        return false;
    return number_of(e->arg[0], at, &a) &&
           (e->n < 2 || number_of(e->arg[1], at, &b)) &&
           rf_lane_compute(e->op, a, b, n);
}

static bool is_of_place(const rf_expr *e)
{
    if (e->op == RF_OP_VAR && e->var->storage == RF_VAR_BUILTIN &&
        strcmp(e->var->name, "warpSize"))
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (is_of_place(e->arg[i]))
            return true;
    return false;
}

enum { WHOLE = 2 * 3 * 7 * 32 }; /* blocks of all sizes that are tried */

/* The value of "e" in thread "i" of a grid of "n"; false: it also depends on
 * how they are put into blocks. */
static bool of_thread(const around *w, const rf_expr *e, int64_t i, int64_t n,
                      int64_t *value)
{
    static const int64_t sizes[] = { 2, 7, 32, 96 };
    place one = { .grid = n, .block = i, .size = 1 };
    place row = { .grid = 1, .size = n, .thread = i };
    if (w->one_block)
        return number_of(e, &row, value);
    if (!number_of(e, &one, value))
        return false;
    for (size_t k = 0; k < RF_COUNTOF(sizes); k++) {
        int64_t d = sizes[k], other;
        place at = { n / d, i / d, d, i % d };
        if (!number_of(e, &at, &other) || other != *value)
            return false;
    }
    return true;
}

/* "b" has in the lanes of team i the value that "a" has in thread i. */
static bool is_of_team(const around *w, const rf_expr *a, const rf_expr *b,
                       unsigned size)
{
    int64_t threads = size & 0xffff, x, y;
    int64_t lanes = w->team->width ? w->team->width : threads;
    if (size >> 16 != (size & 0xffff) || threads % lanes)
        return false;
    int64_t teams = threads / lanes;
    for (int64_t block = 0; block < 4; block++)
        for (int64_t t = 0; t < threads; t++) {
            place at = { WHOLE, block, threads, t };
            if (!of_thread(w, a, block * teams + t / lanes, WHOLE * teams,
                           &x) ||
                !number_of(b, &at, &y) || x != y)
                return false;
        }
    return true;
}

static bool is_team_number(around *w, const rf_expr *a, const rf_expr *b)
{
    place any = { 1, 0, 1, 0 };
    int64_t n;
    if (!is_of_place(a) || !number_of(a, &any, &n))
        return false;
    for (unsigned i = 0; i < w->team->n_sizes; i++)
        if (!is_of_team(w, a, b, w->team->sizes[i]))
            return false;
    w->p->has_other_row = true;
    return true;
}

/* ---- expressions ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool is_in(const rf_span *span, const rf_var *var)
{
    return span->at.begin <= var->at.begin && var->at.end <= span->at.end;
}

/* Both programs declare "a" and "b" in the statements, by one name. */
static bool are_inside(const around *w, const rf_var *a, const rf_var *b)
{
    return is_in(&w->p->source, a) && is_in(&w->p->emitted, b) &&
           same_text(a->name, b->name) && rf_type_same(a->type, b->type);
}

static bool same_leaf(const around *w, const rf_expr *a, const rf_expr *b)
{
    if (a->op == RF_OP_VAR)
        return a->var == b->var || are_inside(w, a->var, b->var) ||
               (a->var->storage == b->var->storage &&
                same_text(a->var->name, b->var->name) &&
                a->var->storage == RF_VAR_BUILTIN);
    if (a->op == RF_OP_INT)
        return a->value.i == b->value.i;
    if (a->op == RF_OP_FLOAT)
        return !memcmp(&a->value.f, &b->value.f, sizeof a->value.f);
    if (a->op == RF_OP_ASSIGN_OP && a->value.assign != b->value.assign)
        return false;
    return same_text(a->name, b->name) && rf_type_same(a->type, b->type);
}

static bool is_block_index(const rf_expr *e)
{
    return e->op == RF_OP_FIELD && e->arg[0]->op == RF_OP_VAR &&
           e->arg[0]->var->storage == RF_VAR_BUILTIN &&
           !strcmp(e->arg[0]->var->name, "blockIdx");
}

/* A function of its arguments: every lane may call it. */
static bool is_pure(const rf_expr *call)
{
    return !call->callee && !call->is_method && call->name &&
           rf_math_find(call->name) != RF_MATH_NONE;
}

static bool same_expr(around *w, const rf_expr *a, const rf_expr *b)
{
    if (!a || !b)
        return a == b;
    if (is_team_number(w, a, b))
        return true;
    if (a->op != b->op || a->n != b->n || !same_leaf(w, a, b) ||
        a->op == RF_OP_OPAQUE || (a->op == RF_OP_CALL && !is_pure(a)))
        return false;
    if (is_block_index(a)) {
        w->uses_block |= !strcmp(a->name, "x");
        return true;
    }
    if (a->op == RF_OP_FIELD && is_of_place(a))
        return false;
    for (unsigned i = 0; i < a->n; i++)
        if (!same_expr(w, a->arg[i], b->arg[i]))
            return false;
    return true;
}

/* ---- memory ---- */

static const rf_var *root_of(const rf_expr *e)
{
    while (e->op == RF_OP_INDEX || e->op == RF_OP_DEREF ||
           e->op == RF_OP_CAST || e->op == RF_OP_ADD || e->op == RF_OP_ADDRESS)
        e = e->arg[0];
    return e->op == RF_OP_VAR ? e->var : NULL;
}

static bool is_own(const rf_var *v)
{
    return v && (v->storage == RF_VAR_LOCAL || v->storage == RF_VAR_PARAM) &&
           v->type->kind != RF_TYPE_POINTER && !v->type->is_reference;
}

static void add_access(around *w, const rf_expr *e, bool is_store, bool leader)
{
    rf_outside o = { .of = root_of(e),
                     .is_store = is_store,
                     .by_leader = leader,
                     .is_after = e->at.begin >= w->p->emitted.at.end };
    bool known = e->op == RF_OP_INDEX || e->op == RF_OP_DEREF;
    o.of = known ? o.of : NULL;
    if (!is_own(root_of(e)))
        RF_PUSH(w->p->outside, o);
}

/* What "e" reads. */
static void add_loads(around *w, const rf_expr *e, bool leader)
{
    if (!e)
        return;
    bool assigns = e->op == RF_OP_ASSIGN;
    if (e->op == RF_OP_INDEX || e->op == RF_OP_DEREF ||
        (e->op == RF_OP_FIELD && e->is_arrow) ||
        (e->op == RF_OP_VAR && e->var->storage == RF_VAR_GLOBAL))
        add_access(w, e, false, leader);
    if (assigns && e->arg[0]->op == RF_OP_INDEX)
        add_loads(w, e->arg[0]->arg[1], leader);
    for (unsigned i = assigns ? 1 : 0; i < e->n; i++)
        add_loads(w, e->arg[i], leader);
}

/* ---- statements ---- */

static bool changes_memory(const rf_expr *e)
{
    if (!e)
        return false;
    bool assigns = rf_op_assigns(e->op);
    const rf_expr *to = assigns ? e->arg[0] : NULL;
    if (to && to->op == RF_OP_INDEX && to->arg[0]->type->kind == RF_TYPE_ARRAY)
        to = to->arg[0];
    if (to && (to->op != RF_OP_VAR || to->var->type->is_reference ||
               (to->var->storage != RF_VAR_LOCAL &&
                to->var->storage != RF_VAR_PARAM)))
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (changes_memory(e->arg[i]))
            return true;
    return false;
}

/* if (threadIdx.x % 32 == 0), for one lane of each team. */
static bool is_leader(const around *w, const rf_expr *e)
{
    for (unsigned i = 0; i < w->team->n_sizes; i++) {
        int64_t size = w->team->sizes[i] & 0xffff, n, found = 0;
        int64_t lanes = w->team->width ? w->team->width : size;
        for (int64_t t = 0; t < size; t++) {
            place at = { 1, 0, size, t };
            if (!number_of(e, &at, &n))
                return false;
            found = (t % lanes ? found : 0) + (n != 0);
            if (t % lanes == lanes - 1 && found != 1)
                return false;
        }
    }
    return true;
}

static bool same_stmt(around *w, const rf_stmt *a, const rf_stmt *b);

static bool same_list(around *w, const rf_stmt *a, const rf_stmt *b)
{
    const rf_span *s = &w->p->source, *e = &w->p->emitted;
    if (a == s->block && b == e->block) {
        if (s->first != e->first || a->n - s->last != b->n - e->last)
            return false;
        for (unsigned i = 0; i < s->first; i++)
            if (!same_stmt(w, a->list[i], b->list[i]))
                return false;
        for (unsigned i = 1; i < a->n - s->last; i++)
            if (!same_stmt(w, a->list[s->last + i], b->list[e->last + i]))
                return false;
        return true;
    }
    if (a->n != b->n)
        return false;
    for (unsigned i = 0; i < a->n; i++)
        if (!same_stmt(w, a->list[i], b->list[i]))
            return false;
    return true;
}

static const rf_stmt *only_one(const rf_stmt *s)
{
    while (s && s->kind == RF_STMT_BLOCK && s->n == 1)
        s = s->list[0];
    return s;
}

static bool same_stmt(around *w, const rf_stmt *a, const rf_stmt *b)
{
    if (!a || !b)
        return a == b;
    if (a->kind == RF_STMT_EXPR && changes_memory(a->expr)) {
        b = only_one(b);
        const rf_stmt *store = b->kind == RF_STMT_IF ? only_one(b->body) : NULL;
        if (!store || b->orelse || store->kind != RF_STMT_EXPR ||
            !is_leader(w, b->expr) || !same_expr(w, a->expr, store->expr))
            return false;
        add_access(w, store->expr->arg[0], true, true);
        add_loads(w, store->expr, true);
        return true;
    }
    if (a->kind != b->kind || a->kind == RF_STMT_OPAQUE ||
        changes_memory(a->expr) || changes_memory(a->step))
        return false;
    if (a->kind == RF_STMT_DECL &&
        (a->var != b->var || a->var->storage == RF_VAR_SHARED))
        return false;
    add_loads(w, b->expr, false);
    add_loads(w, b->step, false);
    return same_expr(w, a->expr, b->expr) && same_expr(w, a->step, b->step) &&
           same_stmt(w, a->init, b->init) && same_stmt(w, a->body, b->body) &&
           same_stmt(w, a->orelse, b->orelse) && same_list(w, a, b);
}

/* Every launch of the source has blocks of one thread: blockIdx.x is the
 * number of the thread, and of a team that is a block. */
static bool are_blocks_rows(const around *w)
{
    const rf_unit *unit = w->p->source.unit;
    bool any = false;
    for (size_t i = 0; i < unit->launches.len; i++) {
        const rf_kernel_launch *l = &unit->launches.data[i];
        if (strcmp(l->kernel, w->p->source.func->name))
            continue;
        any = true;
        if (l->block[0] != 1 || l->block[1] > 1 || l->block[2] > 1)
            return false;
    }
    for (unsigned i = 0; i < w->team->n_sizes; i++)
        if (w->team->width && w->team->width != (w->team->sizes[i] & 0xffff))
            return false;
    return any;
}

void rf_match_around(rf_prover *p, const rf_team *team)
{
    around w = { .p = p,
                 .team = team,
                 .one_block =
                     rf_has_one_block(p->source.unit, p->source.func->name) };
    bool same = same_stmt(&w, p->source.func->body, p->emitted.func->body) &&
                (p->has_other_row ? !w.uses_block : are_blocks_rows(&w));
    rf_oblige(p, "D6", p->task->region->mark.at,
              same ? RF_PROVEN : RF_UNDECIDED,
              "around the loops each team does what a thread did");
}
