/* The kernel around a widened plan (D6).
 *
 *     i = blockIdx.x * blockDim.x + threadIdx.x      one row a thread
 *     i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32      a warp
 *     i = blockIdx.x                                              a block
 *     i = blockIdx.x / n                                a cluster of n
 *
 * Blocks hold whole warps and clusters whole blocks, so that no team straddles
 * two of them. With no other use of the thread's place, everything outside the
 * plan has the same value in all lanes of a team: each branch is taken by all
 * of them or by none, and lane 0 stores for all. */
#include "ir/math.h"
#include "plan/widening.h"

#include <string.h>

enum { DEPTH = 16 }; /* of helper calls */

/* ---- patterns ---- */

static const rf_expr *bare(const rf_expr *e)
{
    while (e->op == RF_OP_CAST)
        e = e->arg[0];
    return e;
}

static bool is_builtin(const rf_expr *e, const char *record, const char *field)
{
    e = bare(e);
    return e->op == RF_OP_FIELD && e->arg[0]->op == RF_OP_VAR &&
           e->arg[0]->var->storage == RF_VAR_BUILTIN &&
           !strcmp(e->arg[0]->var->name, record) && !strcmp(e->name, field);
}

/* record.x * blockDim.x */
static bool is_product(const rf_expr *e, const char *record)
{
    e = bare(e);
    for (unsigned i = 0; i < 2 && e->op == RF_OP_MUL; i++)
        if (is_builtin(e->arg[i], record, "x") &&
            is_builtin(e->arg[1 - i], "blockDim", "x"))
            return true;
    return false;
}

static bool is_thread(const rf_expr *e)
{
    for (unsigned i = 0; i < 2 && e->op == RF_OP_ADD; i++)
        if (is_product(e->arg[i], "blockIdx") &&
            is_builtin(e->arg[1 - i], "threadIdx", "x"))
            return true;
    return false;
}

/* ---- edits ---- */

static void add_edit(rf_widener *w, rf_range at, const char *text,
                     const char *words)
{
    rf_row_edit e = { .at = at, .text = text, .words = words };
    RF_PUSH(w->w->edits, e);
}

/* An unsigned "text" with the type of what it replaces. */
static const char *typed(rf_widener *w, const rf_expr *e, const char *text)
{
    if (!e->type || (e->type->is_unsigned && e->type->bits == 32))
        return text;
    return rf_arena_printf(w->p.arena, "(%s)(%s)", e->type->spelling, text);
}

/* record.x counts blocks of the source's threads: now of teams. */
static const char *in_teams(rf_widener *w, const char *record)
{
    if (w->w->cluster > 1)
        return rf_arena_printf(w->p.arena, "%s.x / %u", record, w->w->cluster);
    if (w->w->threads)
        return rf_arena_printf(w->p.arena, "%s.x", record);
    return rf_arena_printf(w->p.arena, "%s.x * (blockDim.x / 32)", record);
}

static const char *row_text(rf_widener *w)
{
    const char *text = in_teams(w, "blockIdx");
    if (w->w->threads)
        return text;
    return rf_arena_printf(w->p.arena, "%s + threadIdx.x / 32", text);
}

static void edit_row(rf_widener *w, const rf_expr *e)
{
    const char *text = row_text(w);
    add_edit(w, e->at, typed(w, e, text), "a row for each team");
    w->has_row = true;
}

static void edit_stride(rf_widener *w, const rf_expr *e)
{
    add_edit(w, e->at, typed(w, e, in_teams(w, "gridDim")),
             "a row for each team");
}

/* ---- roots of pointers ---- */

static const rf_var *root_of(rf_widener *w, const rf_expr *e, int depth)
{
    if (depth > DEPTH)
        return NULL;
    switch (e->op) {
    case RF_OP_INDEX:
    case RF_OP_DEREF:
    case RF_OP_ADDRESS:
    case RF_OP_FIELD:
    case RF_OP_CAST:
        return root_of(w, e->arg[0], depth);
    case RF_OP_ADD:
    case RF_OP_SUB:
        for (unsigned i = 0; i < 2; i++)
            if (rf_type_is_pointer_like(e->arg[i]->type))
                return root_of(w, e->arg[i], depth);
        return NULL;
    case RF_OP_VAR:
        break;
    default:
        return NULL;
    }
    const rf_var *v = e->var;
    if (v->storage != RF_VAR_LOCAL || v->type->kind != RF_TYPE_POINTER)
        return v;
    const rf_stmt *decl = v->is_const ? rf_plan_declaration(&w->p, v) : NULL;
    return decl && decl->expr ? root_of(w, decl->expr, depth + 1) : NULL;
}

/* A variable or array that only the thread itself sees. */
static bool is_own(const rf_var *v)
{
    return v && (v->storage == RF_VAR_LOCAL ||
                 (v->storage == RF_VAR_PARAM &&
                  v->type->kind != RF_TYPE_POINTER && !v->type->is_reference));
}

static bool is_memory(const rf_expr *e)
{
    if (e->op == RF_OP_FIELD && !e->is_arrow)
        return is_memory(e->arg[0]);
    return e->op == RF_OP_INDEX || e->op == RF_OP_DEREF ||
           (e->op == RF_OP_FIELD && e->is_arrow) ||
           (e->op == RF_OP_VAR && e->var->storage == RF_VAR_GLOBAL);
}

/* ---- expressions ---- */

static bool refuse(rf_widener *w, rf_diag_name name, rf_range at,
                   const char *why)
{
    rf_plan_refuse(&w->p, name, at, "%s", why);
    return false;
}

typedef struct {
    bool in_window; /* of statements that are written anew */
    int depth;      /* of helper calls */
} where;

static bool walk_stmt(rf_widener *w, const rf_stmt *s, where at, bool alone);
static bool walk_expr(rf_widener *w, const rf_expr *e, where at);

static bool walk_args(rf_widener *w, const rf_expr *e, where at, unsigned from)
{
    for (unsigned i = from; i < e->n; i++)
        if (!walk_expr(w, e->arg[i], at))
            return false;
    return true;
}

static bool walk_place(rf_widener *w, const rf_expr *e, where at)
{
    if (at.in_window || at.depth || is_thread(e)) {
        rf_plan_refuse(&w->p, RF_DIAG_UNSUPPORTED, e->at,
                       "a team for each row needs the row's index outside the "
                       "loops, as blockIdx.x * blockDim.x + threadIdx.x");
        return false;
    }
    return true;
}

/* threadIdx.x or blockIdx.x in statements that are written anew. */
static bool walk_inside(rf_widener *w, const rf_expr *e)
{
    rf_vals *vals = w->p.trace->vals;
    const rf_val *of = rf_val_entry(vals, e->arg[0]->var);
    const rf_val *place = rf_val_make(vals, &(rf_val){ .kind = RF_VAL_OP,
                                                       .op = RF_OP_FIELD,
                                                       .type = e->type,
                                                       .name = e->name,
                                                       .n = 1,
                                                       .arg = &of,
                                                       .expr = e });
    if (w->w->place && w->w->place != place)
        return walk_place(w, e, (where){ .in_window = true });
    w->w->place = place;
    RF_PUSH(w->w->inside, e);
    return true;
}

static bool walk_builtin(rf_widener *w, const rf_expr *e, where at)
{
    bool other = !strcmp(e->name, "y") || !strcmp(e->name, "z");
    if ((is_builtin(e, "blockIdx", e->name) ||
         is_builtin(e, "gridDim", e->name)) &&
        other)
        return true;
    bool block = is_builtin(e, "blockIdx", "x");
    if (at.in_window && !at.depth && !e->in_macro &&
        (is_builtin(e, "threadIdx", "x") || (block && w->w->cluster > 1)))
        return walk_inside(w, e);
    if (block && !at.depth) {
        RF_PUSH(w->blocks, e->at);
        return !at.in_window || w->w->cluster <= 1 || walk_place(w, e, at);
    }
    if (is_builtin(e, "threadIdx", "x") && !at.depth && !at.in_window) {
        RF_PUSH(w->threads, e->at);
        return true;
    }
    if (is_builtin(e, "gridDim", "x") && !at.depth && !at.in_window) {
        RF_PUSH(w->grids, e->at);
        return true;
    }
    return refuse(w, RF_DIAG_UNSUPPORTED, e->at,
                  "a team for each row cannot keep this use of a thread's "
                  "place in its block");
}

static bool walk_call(rf_widener *w, const rf_expr *e, where at)
{
    if (!walk_args(w, e, at, 0))
        return false;
    if (e->callee && e->callee->body && at.depth < DEPTH) {
        where inside = { at.in_window, at.depth + 1 };
        return walk_stmt(w, e->callee->body, inside, false);
    }
    bool pure = e->name && (rf_math_find(e->name) != RF_MATH_NONE ||
                            !strncmp(e->name, "make_", 5));
    if (at.in_window || (!e->callee && pure))
        return true; /* the trace knows what the loops call */
    return refuse(w, RF_DIAG_SIDE_EFFECT, e->at,
                  "every thread of a team would make this call");
}

static bool walk_expr(rf_widener *w, const rf_expr *e, where at)
{
    bool row = is_thread(e), stride = is_product(e, "gridDim");
    if (row || (stride && e->op == RF_OP_MUL)) {
        if (e->in_macro)
            return refuse(w, RF_DIAG_MACRO, e->at,
                          "the row's index comes from a macro");
        if (at.in_window || at.depth)
            return walk_place(w, e, at);
        row ? edit_row(w, e) : edit_stride(w, e);
        return true;
    }
    if (e->op == RF_OP_FIELD && e->arg[0]->op == RF_OP_VAR &&
        e->arg[0]->var->storage == RF_VAR_BUILTIN)
        return walk_builtin(w, e, at);
    if (e->op == RF_OP_CALL)
        return walk_call(w, e, at);
    if (e->op == RF_OP_OPAQUE)
        return refuse(w, RF_DIAG_SIDE_EFFECT, e->at,
                      "every thread of a team would do this");
    bool changes =
        rf_op_assigns(e->op) || (e->op == RF_OP_ADDRESS && e->is_implicit);
    bool stores =
        changes && is_memory(e->arg[0]) && !is_own(root_of(w, e->arg[0], 0));
    if (stores && !at.in_window)
        return refuse(w, RF_DIAG_SIDE_EFFECT, e->at,
                      "every thread of a team would store this");
    if (e->op == RF_OP_ADDRESS) /* of a place that is not read */
        return walk_args(w, e->arg[0], at, 0);
    if (e->op == RF_OP_VAR && e->var->storage == RF_VAR_SHARED)
        return refuse(w, RF_DIAG_UNSUPPORTED, e->at,
                      "a team for each row cannot keep this shared memory");
    if (is_memory(e) && !at.in_window && !is_own(root_of(w, e, 0))) {
        rf_lane_load load = { .root = at.depth ? NULL : root_of(w, e, 0),
                              .by_leader = w->in_store,
                              .at = e->at };
        RF_PUSH(w->loads, load);
    }
    return walk_args(w, e, at, 0);
}

/* ---- statements ---- */

/* place = value; where others can see it: lane 0 does it. */
static bool walk_store(rf_widener *w, const rf_stmt *s, where at, bool alone)
{
    const rf_expr *e = s->expr;
    rf_lane_store store = { root_of(w, e->arg[0], 0), true, s->at };
    if (s->in_macro || at.depth)
        return refuse(w, RF_DIAG_SIDE_EFFECT, s->at,
                      "every thread of a team would store this");
    w->in_store = true;
    bool ok = walk_args(w, e->arg[0], at, 0) && walk_args(w, e, at, 1);
    w->in_store = false;
    if (!ok)
        return false;
    RF_PUSH(w->stores, store);
    const char *leader =
        rf_arena_printf(w->p.arena,
                        w->w->level == RF_LEVEL_WARP ? "threadIdx.x %% 32 == 0"
                        : w->w->cluster > 1          ? "threadIdx.x == 0 && "
                                                       "blockIdx.x %% %u == 0"
                                                     : "threadIdx.x == 0",
                        w->w->cluster);
    const rf_plan *plan = w->p.plan;
    if (w->w->is_grid && s->at.begin < plan->block->list[plan->first]->at.begin)
        leader = rf_arena_printf(w->p.arena, "%s && %s == %u", leader,
                                 w->w->turn->name, plan->n_loops);
    rf_range begin = { s->at.begin, s->at.begin };
    rf_range end = { s->at.end, s->at.end };
    const char *words = "one thread of a team stores";
    add_edit(
        w, begin,
        rf_arena_printf(w->p.arena, alone ? "{ if (%s) " : "if (%s) ", leader),
        words);
    if (alone)
        add_edit(w, end, " }", words);
    return true;
}

static bool walk_list(rf_widener *w, const rf_stmt *s, where at)
{
    const rf_plan *plan = w->p.plan;
    for (unsigned i = 0; i < s->n; i++) {
        where inside = at;
        inside.in_window |=
            s == plan->block && i >= plan->first && i <= plan->last;
        if (!walk_stmt(w, s->list[i], inside, false))
            return false;
    }
    return true;
}

static bool walk_stmt(rf_widener *w, const rf_stmt *s, where at, bool alone)
{
    if (!s)
        return true;
    if (s->kind == RF_STMT_OPAQUE)
        return refuse(w, RF_DIAG_CONTROL, s->at,
                      "what this does in every thread of a team is not known");
    if (s->kind == RF_STMT_DECL &&
        (s->var->storage == RF_VAR_SHARED || s->var->is_static))
        return refuse(w, RF_DIAG_UNSUPPORTED, s->at,
                      "a team for each row cannot keep this shared memory");
    const rf_expr *e = s->expr;
    if (s->kind == RF_STMT_EXPR && !at.in_window && rf_op_assigns(e->op) &&
        is_memory(e->arg[0]) && !is_own(root_of(w, e->arg[0], 0)))
        return walk_store(w, s, at, alone);
    if (e && !walk_expr(w, e, at))
        return false;
    if (s->step && !walk_expr(w, s->step, at))
        return false;
    return walk_stmt(w, s->init, at, true) && walk_stmt(w, s->body, at, true) &&
           walk_stmt(w, s->orelse, at, true) && walk_list(w, s, at);
}

/* ---- the whole ---- */

/* Blocks of one thread: the row is blockIdx.x, and stays it for one block. */
static bool edit_blocks(rf_widener *w)
{
    w->w->one_thread_blocks = true;
    if (!w->w->threads)
        w->w->threads = w->w->lanes;
    if (w->w->cluster <= 1)
        return true;
    for (size_t i = 0; i < w->blocks.len; i++)
        add_edit(w, w->blocks.data[i],
                 rf_arena_printf(w->p.arena, "(%s)", in_teams(w, "blockIdx")),
                 "a row for each team");
    for (size_t i = 0; i < w->grids.len; i++)
        add_edit(w, w->grids.data[i],
                 rf_arena_printf(w->p.arena, "(%s)", in_teams(w, "gridDim")),
                 "a row for each team");
    w->w->place_text =
        rf_arena_printf(w->p.arena, "(%s)", in_teams(w, "blockIdx"));
    return true;
}

/* One block: the row is threadIdx.x. */
static bool edit_threads(rf_widener *w)
{
    const char *text = row_text(w);
    w->w->one_block = true;
    w->w->place_text =
        strchr(text, ' ') ? rf_arena_printf(w->p.arena, "(%s)", text) : text;
    for (size_t i = 0; i < w->threads.len; i++)
        add_edit(w, w->threads.data[i],
                 rf_arena_printf(w->p.arena, "(%s)", row_text(w)),
                 "a row for each team");
    return true;
}

bool rf_widen_rows(rf_widener *w)
{
    const rf_func *f = w->p.region->func;
    if (!walk_stmt(w, f->body, (where){ 0 }, false))
        return false;
    const rf_expr *place = w->w->inside.len ? w->w->inside.data[0] : NULL;
    bool thread = place && is_builtin(place, "threadIdx", "x");
    bool blocks = w->blocks.len || (place && !thread);
    if (w->has_row && w->blocks.len)
        return refuse(w, RF_DIAG_UNSUPPORTED, w->blocks.data[0],
                      "blockIdx.x is used beside the row's index");
    if (w->has_row && w->grids.len)
        return refuse(w, RF_DIAG_UNSUPPORTED, w->grids.data[0],
                      "gridDim.x is used beside the row's index");
    if ((w->threads.len || thread) && (w->has_row || blocks || w->grids.len))
        return refuse(w, RF_DIAG_UNSUPPORTED,
                      w->threads.len ? w->threads.data[0] : place->at,
                      "a team for each row cannot keep this use of a thread's "
                      "place in its block");
    if (place && w->has_row)
        return walk_place(w, place, (where){ .in_window = true });
    if (w->threads.len || thread)
        return edit_threads(w);
    if (!w->has_row && !blocks)
        return refuse(w, RF_DIAG_LAUNCH, w->p.plan->block->at,
                      "no index of a row, as blockIdx.x * blockDim.x + "
                      "threadIdx.x, is found");
    return w->has_row || edit_blocks(w);
}
