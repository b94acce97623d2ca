/* The execution of collectives beside the trace: which statements it takes
 * over, what they read from the trace and what they leave in it. */
#include "ir/lanes.h"

#include <string.h>

/* ---- failures ---- */

void rf_lane_fail(rf_team_run *r, rf_diag_name name, rf_range at,
                  const char *format, ...)
{
    bool needed = !r->w->optional && !r->w->failed;
    r->w->failed = true;
    if (!needed)
        return;
    va_list args;
    va_start(args, format);
    const char *text = rf_arena_vprintf(r->tr->t->arena, format, args);
    va_end(args);
    rf_refuse(r->tr, name, at, "%s", text);
}

static unsigned count_alive(const rf_team_run *r)
{
    unsigned n = 0;
    for (size_t i = 0; i < r->worlds.len; i++)
        n += !r->worlds.data[i]->failed && !r->worlds.data[i]->optional;
    return n;
}

void rf_lane_drop(rf_team_run *r, rf_diag_name name, rf_range at,
                  const char *format, ...)
{
    if (r->sizes_assumed && count_alive(r) > 1) {
        r->w->failed = true;
        return;
    }
    va_list args;
    va_start(args, format);
    const char *text = rf_arena_vprintf(r->tr->t->arena, format, args);
    va_end(args);
    rf_lane_fail(r, name, at, "%s", text);
}

/* The largest block that the code admits so far. */
static const rf_world *first_alive(const rf_team_run *r)
{
    for (size_t i = 0; i < r->worlds.len; i++)
        if (!r->worlds.data[i]->failed)
            return r->worlds.data[i];
    return r->worlds.data[0];
}

static size_t first_index(const rf_team_run *r)
{
    size_t i = 0;
    while (i + 1 < r->worlds.len && r->worlds.data[i]->failed)
        i++;
    return i;
}

void rf_lane_blame(rf_team_run *r, rf_diag_name name, const char *format, ...)
{
    if (r->blame)
        return;
    va_list args;
    va_start(args, format);
    r->blame_name = name;
    r->blame = rf_arena_vprintf(r->tr->t->arena, format, args);
    va_end(args);
}

/* ---- which statements ---- */

static bool expr_is_collective(const rf_expr *e, bool deep)
{
    if (!e)
        return false;
    if (e->op == RF_OP_CALL && rf_sync_of(e) != RF_SYNC_NONE &&
        !rf_group_query(e, &(int){ 0 }))
        return true;
    if (deep && e->op == RF_OP_CALL && e->callee && !e->callee->is_recursive &&
        rf_stmt_is_collective(e->callee->body))
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (expr_is_collective(e->arg[i], deep))
            return true;
    return false;
}

bool rf_stmt_is_collective(const rf_stmt *s)
{
    if (!s)
        return false;
    if (expr_is_collective(s->expr, true) ||
        expr_is_collective(s->step, true) || rf_stmt_is_collective(s->init) ||
        rf_stmt_is_collective(s->body) || rf_stmt_is_collective(s->orelse))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (rf_stmt_is_collective(s->list[i]))
            return true;
    return false;
}

static bool is_shared_place(rf_tracer *tr, const rf_expr *e)
{
    while (e->op == RF_OP_CAST || e->op == RF_OP_INDEX ||
           e->op == RF_OP_DEREF || e->op == RF_OP_ADD)
        e = e->arg[0];
    if (e->op != RF_OP_VAR)
        return false;
    const rf_var *var = rf_alias_target(tr, e->var);
    if (var->storage == RF_VAR_SHARED)
        return true;
    if (!rf_type_is_pointer_like(e->type))
        return false;
    const rf_var *root = rf_root_var(tr, rf_env_get(tr, e->var));
    return root && root->storage == RF_VAR_SHARED;
}

static bool expr_writes_shared(rf_tracer *tr, const rf_expr *e)
{
    if (!e)
        return false;
    if (rf_op_assigns(e->op) && is_shared_place(tr, e->arg[0]))
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (expr_writes_shared(tr, e->arg[i]))
            return true;
    return false;
}

bool rf_team_writes_shared(rf_tracer *tr, const rf_stmt *s)
{
    if (!s)
        return false;
    if (expr_writes_shared(tr, s->expr) || expr_writes_shared(tr, s->step) ||
        rf_team_writes_shared(tr, s->init) ||
        rf_team_writes_shared(tr, s->body) ||
        rf_team_writes_shared(tr, s->orelse))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (rf_team_writes_shared(tr, s->list[i]))
            return true;
    return false;
}

static bool is_loop(const rf_stmt *s, const void *unused)
{
    (void)unused;
    return rf_stmt_is_loop(s);
}

static bool has_loop(const rf_stmt *s)
{
    return rf_stmt_find(s, is_loop, NULL);
}

static bool reads_shared_expr(rf_tracer *tr, const rf_expr *e)
{
    if (!e)
        return false;
    if (e->op == RF_OP_INDEX && is_shared_place(tr, e))
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (reads_shared_expr(tr, e->arg[i]))
            return true;
    return false;
}

static bool reads_shared(rf_tracer *tr, const rf_stmt *s)
{
    if (!s)
        return false;
    if (reads_shared_expr(tr, s->expr) || reads_shared_expr(tr, s->step) ||
        reads_shared(tr, s->init) || reads_shared(tr, s->body) ||
        reads_shared(tr, s->orelse))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (reads_shared(tr, s->list[i]))
            return true;
    return false;
}

static bool is_written(const rf_team_run *r, rf_var *var)
{
    return r && rf_lane_shared((rf_world *)first_alive(r), var, false) != NULL;
}

/* Reads what lanes left in shared memory, each maybe something else. */
static bool reads_exchanged(rf_tracer *tr, const rf_expr *e)
{
    if (!e)
        return false;
    if (e->op == RF_OP_INDEX || e->op == RF_OP_DEREF) {
        const rf_expr *of = e;
        while (of->n)
            of = of->arg[0];
        rf_var *root = of->op == RF_OP_VAR
                           ? rf_root_var(tr, rf_env_get(tr, of->var))
                           : NULL;
        if (root && root->storage == RF_VAR_SHARED &&
            is_written(tr->team, root))
            return true;
    }
    for (unsigned i = 0; i < e->n; i++)
        if (reads_exchanged(tr, e->arg[i]))
            return true;
    return false;
}

static bool stmt_reads_exchanged(rf_tracer *tr, const rf_stmt *s)
{
    if (!s)
        return false;
    if (reads_exchanged(tr, s->expr) || stmt_reads_exchanged(tr, s->body) ||
        stmt_reads_exchanged(tr, s->orelse))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (stmt_reads_exchanged(tr, s->list[i]))
            return true;
    return false;
}

/* Its value stays in a variable of the thread or in shared memory. */
static bool is_local(rf_tracer *tr, const rf_stmt *s)
{
    const rf_expr *e = s->expr;
    if (s->kind != RF_STMT_EXPR)
        return true;
    return rf_op_assigns(e->op) &&
           (e->arg[0]->op == RF_OP_VAR || is_shared_place(tr, e->arg[0]));
}

static bool is_all_local(rf_tracer *tr, const rf_stmt *s)
{
    if (!s)
        return true;
    if (s->kind == RF_STMT_OPAQUE || s->kind == RF_STMT_RETURN ||
        (s->kind == RF_STMT_EXPR && !is_local(tr, s)) ||
        !is_all_local(tr, s->body) || !is_all_local(tr, s->orelse))
        return false;
    for (unsigned i = 0; i < s->n; i++)
        if (!is_all_local(tr, s->list[i]))
            return false;
    return true;
}

/* A parameter that is no number here. */
static bool is_open_parameter(const rf_expr *e, const void *tracer)
{
    int64_t n;
    rf_tracer *tr = (rf_tracer *)(uintptr_t)tracer;
    return e->op == RF_OP_VAR && e->var->storage == RF_VAR_PARAM &&
           !rf_type_is_pointer_like(e->type) &&
           !rf_val_is_int(rf_env_get(tr, e->var), &n);
}

/* A loop over elements: what the lanes make of them is no number. */
static bool is_element_loop(const rf_stmt *s, const void *tracer)
{
    return rf_stmt_is_loop(s) &&
           rf_expr_find(s->expr, is_open_parameter, tracer);
}

/* A loop over numbers that all lanes know: `for (w = 0; w < warps; w++)`. */
static bool is_counted_by_number(rf_tracer *tr, const rf_stmt *s);

bool rf_team_owns(rf_tracer *tr, const rf_stmt *s)
{
    if (tr->frame || !s || s->kind == RF_STMT_BLOCK)
        return false;
    if (s->kind == RF_STMT_RETURN || s->kind == RF_STMT_DECL ||
        s->kind == RF_STMT_EXPR)
        return s->expr && (expr_is_collective(s->expr, false) ||
                           expr_writes_shared(tr, s->expr) ||
                           (reads_exchanged(tr, s->expr) && is_local(tr, s)));
    if (rf_stmt_is_collective(s))
        return true;
    if (rf_stmt_is_loop(s))
        return (rf_team_writes_shared(tr, s) || reads_shared(tr, s)) &&
               !rf_stmt_find(s->body, is_element_loop, tr) &&
               is_counted_by_number(tr, s);
    return s->kind == RF_STMT_IF && is_all_local(tr, s) &&
           ((rf_team_writes_shared(tr, s) && (!has_loop(s) || tr->team)) ||
            stmt_reads_exchanged(tr, s));
}

/* ---- worlds ---- */

static rf_world *new_world(rf_shape shape, bool optional)
{
    rf_arena *arena = rf_arena_new();
    rf_world *w = RF_NEW(arena, rf_world);
    *w = (rf_world){ .size = shape.threads,
                     .x = shape.x,
                     .optional = optional,
                     .arena = arena };
    w->epoch = 1;
    return w;
}

static rf_team_run *begin(rf_tracer *tr)
{
    if (tr->team)
        return tr->team;
    rf_team_run *r = RF_NEW(tr->t->arena, rf_team_run);
    *r = (rf_team_run){ .tr = tr, .team = RF_NEW(tr->t->arena, rf_team) };
    *r->team = (rf_team){ 0 };
    r->of_results = tr->beside && tr->beside->team ? tr->beside->team : r->team;
    rf_blocks blocks = rf_blocks_of(tr->t->unit, tr->t->func);
    r->sizes_assumed = blocks.assumed;
    r->y_known = blocks.launched;
    if (!blocks.followed)
        rf_refuse(tr, RF_DIAG_LAUNCH, tr->t->block->at,
                  "blocks of this shape are not followed yet");
    for (size_t i = blocks.whole.len; i-- > 0;)
        RF_PUSH(r->worlds, new_world(blocks.whole.data[i], false));
    for (size_t i = 0; i < blocks.partial.len; i++)
        RF_PUSH(r->worlds, new_world(blocks.partial.data[i], true));
    RF_CLEAR(blocks.whole);
    RF_CLEAR(blocks.partial);
    tr->team = r;
    return r;
}

static void enter(rf_team_run *r, size_t i)
{
    r->index = i;
    r->w = r->worlds.data[i];
    r->steps = 0;
}

static unsigned char *active(rf_team_run *r, rf_range at)
{
    unsigned char *mask = RF_NEW_ARRAY(r->w->arena, r->w->size, unsigned char);
    for (unsigned t = 0; t < r->w->size; t++) {
        bool known;
        mask[t] = rf_lane_is_here(r, t, &known);
        if (known)
            continue;
        rf_lane_fail(r, RF_DIAG_UNSUPPORTED, at,
                     "threads exchange values under a condition that is not "
                     "known");
        break;
    }
    return mask;
}

static bool is_counted_by_number(rf_tracer *tr, const rf_stmt *s)
{
    if (!s->expr || (s->init && s->init->kind != RF_STMT_DECL))
        return false;
    rf_team_run *r = begin(tr);
    enter(r, first_index(r));
    rf_lane_frame frame = { .loop = NULL };
    rf_lanes l = { .mask = active(r, s->at), .frame = &frame };
    bool was = r->w->optional;
    r->w->optional = true;
    rf_lanes_run(r, &l, s->init);
    rf_lane *c = rf_lanes_eval(r, &l, s->expr);
    bool known = !r->w->failed && !tr->t->refused;
    for (unsigned t = 0; t < r->w->size && known; t++)
        known = !l.mask[t] || c[t].kind == RF_LANE_NUM;
    r->w->failed = false;
    r->w->optional = was;
    RF_CLEAR(r->w->vars);
    return known;
}

/* ---- results ---- */

static const rf_lane_var *var_of(const rf_world *w, const rf_var *var)
{
    for (size_t i = 0; i < w->vars.len; i++)
        if (w->vars.data[i].var == var)
            return &w->vars.data[i];
    return NULL;
}

static const rf_val *mark(rf_team_run *r, const rf_type *type, rf_lane **lanes,
                          const rf_expr *at)
{
    const rf_val *marker = rf_val_unknown(
        r->tr->vals, type,
        rf_arena_printf(r->tr->t->arena, "lanes %zu", r->marked.len), at);
    RF_PUSH(r->marked, (rf_marked){ .marker = marker,
                                    .lanes = lanes,
                                    .blame = r->blame,
                                    .blame_name = r->blame_name });
    return marker;
}

static const rf_val *export(rf_team_run *r, rf_lane **lanes,
                            const rf_type *type, bool all)
{
    r->blame = NULL;
    const rf_val *v = rf_lane_export(r, lanes, all);
    return v ? rf_usual_cast(r->tr, v, type) : mark(r, type, lanes, NULL);
}

/* The lanes of a world in which the statements did not touch "var". */
static rf_lane *as_before(rf_team_run *r, size_t i, rf_var *var)
{
    rf_world *world = r->w;
    size_t index = r->index;
    r->w = r->worlds.data[i];
    r->index = i;
    rf_lane *lanes = RF_NEW_ARRAY(r->w->arena, r->w->size, rf_lane);
    const rf_val *v = rf_env_find(r->tr, var);
    for (unsigned t = 0; v && t < r->w->size; t++)
        lanes[t] = rf_lane_of(r, t, v);
    r->w = world;
    r->index = index;
    return lanes;
}

static void export_var(rf_team_run *r, const rf_lane_var *v)
{
    rf_lane **lanes = RF_NEW_ARRAY(r->tr->t->arena, r->worlds.len, rf_lane *);
    for (size_t i = 0; i < r->worlds.len; i++) {
        const rf_lane_var *there = var_of(r->worlds.data[i], v->var);
        lanes[i] = there ? there->lanes : NULL;
        if (!there && !r->worlds.data[i]->failed)
            lanes[i] = as_before(r, i, v->var);
    }
    r->is_tentative = true;
    const rf_val *value = export(r, lanes, v->var->type, true);
    r->is_tentative = false;
    rf_env_set(r->tr, v->var, value);
    if (value->kind != RF_VAL_UNKNOWN)
        rf_bind_name(r->tr, v->var, value, v->at);
}

static bool assigned_earlier(const rf_team_run *r, size_t world,
                             const rf_var *var)
{
    for (size_t i = 0; i < world; i++) {
        const rf_lane_var *v =
            r->worlds.data[i]->failed ? NULL : var_of(r->worlds.data[i], var);
        if (v && v->assigned)
            return true;
    }
    return false;
}

/* What was assigned in this world and in none before it. */
static void export_world(rf_team_run *r, size_t i)
{
    const rf_world *w = r->worlds.data[i];
    for (size_t k = 0; k < w->vars.len && !r->tr->t->refused; k++)
        if (w->vars.data[k].assigned &&
            !assigned_earlier(r, i, w->vars.data[k].var))
            export_var(r, &w->vars.data[k]);
}

static rf_lane *run_world(rf_team_run *r, size_t i, const rf_stmt *s)
{
    enter(r, i);
    rf_lane_frame frame = { 0 };
    rf_lanes l = { .mask = active(r, s->at), .frame = &frame };
    if (s->kind == RF_STMT_RETURN)
        return rf_lanes_eval(r, &l, s->expr);
    rf_lanes_run(r, &l, s);
    return NULL;
}

void rf_team_execute(rf_tracer *tr, const rf_stmt *s)
{
    rf_team_run *r = begin(tr);
    size_t aliases = tr->aliases.len;
    for (size_t i = 0; i < r->worlds.len && !tr->t->refused; i++) {
        tr->aliases.len = aliases;
        if (!r->worlds.data[i]->failed)
            run_world(r, i, s);
    }
    for (size_t i = 0; i < r->worlds.len && !tr->t->refused; i++)
        if (!r->worlds.data[i]->failed)
            export_world(r, i);
    for (size_t i = 0; i < r->worlds.len; i++)
        RF_CLEAR(r->worlds.data[i]->vars);
}

const rf_val *rf_team_eval(rf_tracer *tr, const rf_stmt *s)
{
    rf_team_run *r = begin(tr);
    rf_lane **lanes = RF_NEW_ARRAY(tr->t->arena, r->worlds.len, rf_lane *);
    for (size_t i = 0; i < r->worlds.len && !tr->t->refused; i++)
        if (!r->worlds.data[i]->failed)
            lanes[i] = run_world(r, i, s);
    for (size_t i = 0; i < r->worlds.len; i++)
        RF_CLEAR(r->worlds.data[i]->vars);
    if (tr->t->refused)
        return rf_val_unknown(tr->vals, s->expr->type, "refused", s->expr);
    r->is_tentative = true;
    const rf_val *value = export(r, lanes, s->expr->type, true);
    r->is_tentative = false;
    return value;
}

/* ---- reads of the trace ---- */

static const rf_marked *find_mark(const rf_team_run *r, const rf_val *v)
{
    for (size_t i = 0; r && i < r->marked.len; i++)
        if (r->marked.data[i].marker == v)
            return &r->marked.data[i];
    return NULL;
}

static bool is_mark(const rf_val *v, const void *run)
{
    return v->kind == RF_VAL_UNKNOWN && find_mark(run, v);
}

const rf_val *rf_team_read(rf_tracer *tr, const rf_val *v)
{
    rf_team_run *r = tr->team;
    const rf_val *found;
    for (int n = 0; r && n < 64; n++) {
        found = rf_val_find(v, is_mark, r);
        rf_marked *m = found ? (rf_marked *)find_mark(r, found) : NULL;
        if (!m)
            return v;
        r->blame = NULL;
        const rf_val *value = rf_lane_export(r, m->lanes, false);
        m->blame = r->blame;
        m->blame_name = r->blame_name;
        if (!value)
            return v;
        value = rf_usual_cast(tr, value, found->type);
        v = rf_val_subst(tr->vals, v, 1, &found, &value);
    }
    return v;
}

const rf_val *rf_team_read_var(rf_tracer *tr, rf_var *var, const rf_val *v)
{
    if (!tr->team || !tr->frame)
        return v;
    const rf_val *value = rf_team_read(tr, v);
    if (value != v && var->storage == RF_VAR_LOCAL && !tr->path)
        rf_bind_name(tr, var, value, var->at);
    return value;
}

/* The slot that each lane reads, in one world. */
static bool load_world(rf_team_run *r, const rf_val *base, const rf_val *index,
                       rf_lane *out, rf_range at)
{
    for (unsigned t = 0; t < r->w->size && !r->w->failed; t++) {
        if (!rf_lane_is_active(r, t))
            continue;
        rf_lane i = rf_lane_of(r, t, index), p = rf_lane_of(r, t, base);
        if (i.kind != RF_LANE_NUM || p.kind != RF_LANE_PLACE)
            return false;
        p = rf_lane_element(r, p, i);
        out[t] = rf_lane_load(r, t, p.place, at);
    }
    return true;
}

const rf_val *rf_team_load(rf_tracer *tr, rf_var *var, const rf_val *base,
                           const rf_val *index, const rf_type *type,
                           rf_range at)
{
    rf_team_run *r = tr->team;
    if (!is_written(r, var))
        return NULL;
    rf_lane **lanes = RF_NEW_ARRAY(tr->t->arena, r->worlds.len, rf_lane *);
    for (size_t i = 0; i < r->worlds.len && !tr->t->refused; i++) {
        enter(r, i);
        lanes[i] = RF_NEW_ARRAY(r->w->arena, r->w->size, rf_lane);
        if (!r->w->failed && !load_world(r, base, index, lanes[i], at)) {
            rf_refuse(tr, RF_DIAG_UNSUPPORTED, at,
                      "'%s' is read here at an element that is not known",
                      var->name);
            break;
        }
    }
    if (tr->t->refused)
        return rf_val_unknown(tr->vals, type, "refused", NULL);
    r->is_tentative = !tr->frame;
    const rf_val *v = export(r, lanes, type, false);
    r->is_tentative = false;
    return v;
}

void rf_team_settle(rf_tracer *tr)
{
    rf_team_run *r = tr->team;
    bool decides = r && (r->width_known || tr->beside);
    for (size_t i = 0; decides && i < tr->env.len; i++)
        tr->env.data[i].value = rf_team_read(tr, tr->env.data[i].value);
}

/* ---- the end ---- */

/* "v" = part that the team shares + number of the lane; NULL: it is not. */
static const rf_val *split_lane(rf_team_run *r, const rf_val *v,
                                const rf_val **number)
{
    rf_vals *vals = r->tr->vals;
    rf_lane a = rf_lane_of(r, 0, v);
    *number = NULL;
    if (a.kind == RF_LANE_NUM) {
        *number = v;
        return rf_val_int(vals, 0, v->type);
    }
    if (rf_lane_is_shared(r, v))
        return v;
    if (v->kind == RF_VAL_CAST && rf_val_without_int_casts(v) != v) {
        const rf_val *shared = split_lane(r, v->arg[0], number);
        return shared ? rf_val_cast(vals, v->type, shared, NULL) : NULL;
    }
    if (v->kind != RF_VAL_OP || v->op != RF_OP_ADD)
        return NULL;
    for (int i = 0; i < 2; i++) {
        const rf_val *rest = rf_lane_is_shared(r, v->arg[i])
                                 ? split_lane(r, v->arg[1 - i], number)
                                 : NULL;
        if (rest)
            return rf_val_op2(vals, RF_OP_ADD, v->type, v->arg[i], rest);
    }
    return NULL;
}

/* The least number of each team, if it is one and the same. */
static bool least_number(rf_team_run *r, const rf_val *number, int64_t *least)
{
    bool any = false;
    for (size_t i = 0; i < r->worlds.len; i++) {
        enter(r, i);
        unsigned width = r->team->width ? r->team->width : r->w->size;
        for (unsigned t = 0; t < r->w->size && !r->w->failed; t += width) {
            int64_t low = INT64_MAX;
            for (unsigned k = t; k < t + width && k < r->w->size; k++) {
                int64_t n = rf_lane_of(r, k, number).num;
                low = n < low ? n : low;
            }
            if (any && low != *least)
                return false;
            *least = low;
            any = true;
        }
    }
    return any;
}

/* The lanes of each team begin with n, n + 1, ... and make steps of as many. */
static bool is_dealt_here(rf_team_run *r, const rf_val *number,
                          const rf_val *step, int64_t least)
{
    unsigned width = r->team->width ? r->team->width : r->w->size;
    for (unsigned t = 0; t < r->w->size; t++) {
        rf_lane by = rf_lane_of(r, t, step);
        unsigned first = t - t % width;
        if (first + width > r->w->size || by.kind != RF_LANE_NUM ||
            by.num != width ||
            rf_lane_of(r, t, number).num != least + (t - first))
            return false;
    }
    return true;
}

static bool is_dealt(rf_team_run *r, const rf_val *number, const rf_val *step,
                     int64_t least)
{
    bool all = number != NULL;
    for (size_t i = 0; i < r->worlds.len && all; i++) {
        enter(r, i);
        all = r->w->failed || is_dealt_here(r, number, step, least);
    }
    return all;
}

/* The first index that the team visits, so that whether any of its loops runs
 * can be written down. */
static void find_least(rf_team_run *r, rf_loop *loop)
{
    const rf_val *number;
    int64_t n = 0;
    enter(r, first_index(r));
    loop->is_split = rf_lane_varies(r, loop->lower);
    const rf_val *shared = split_lane(r, loop->lower, &number);
    if (!shared || !rf_lane_is_shared(r, loop->upper) ||
        (number && !least_number(r, number, &n)))
        return;
    loop->least = rf_val_op2(r->tr->vals, RF_OP_ADD, loop->lower->type, shared,
                             rf_val_int(r->tr->vals, n, loop->lower->type));
    loop->is_dealt = is_dealt(r, number, loop->step, n);
}

/* Would a second run write a slot that other threads may still read? */
static bool is_repeatable(const rf_world *w)
{
    for (size_t i = 0; i < w->shared.len; i++)
        for (size_t k = 0; k < w->shared.data[i].slots.len; k++) {
            const rf_slot_state *s = &w->shared.data[i].slots.data[k];
            bool alone = !s->many_readers && s->reader == s->first_writer;
            if (s->written && s->first_epoch == 1 &&
                s->read_epoch == w->epoch && !alone)
                return false;
        }
    return true;
}

static void list_sizes(rf_team_run *r)
{
    rf_team *team = r->team;
    unsigned *sizes =
        RF_NEW_ARRAY(r->tr->t->arena, r->worlds.len + 1, unsigned);
    team->sizes = sizes;
    team->is_repeatable = true;
    for (size_t i = 0; i < r->worlds.len; i++) {
        if (r->worlds.data[i]->failed)
            continue;
        const rf_world *w = r->worlds.data[i];
        sizes[team->n_sizes++] = w->x << 16 | w->size;
        team->has_rows |= w->x != w->size;
        team->is_repeatable &= is_repeatable(r->worlds.data[i]);
    }
}

static void describe(rf_team_run *r)
{
    rf_team *team = r->team;
    const rf_world *first = first_alive(r);
    team->largest = team->smallest = first->size;
    team->barriers = first->barriers;
    team->shuffles = first->shuffles;
    bool partial = false;
    for (size_t i = 0; i < r->worlds.len; i++) {
        const rf_world *w = r->worlds.data[i];
        if (w->failed)
            continue;
        team->smallest = w->size < team->smallest ? w->size : team->smallest;
        team->largest = w->size > team->largest ? w->size : team->largest;
        partial |= w->size % RF_WARP != 0;
    }
    team->has_partial_warps = partial;
    list_sizes(r);
    if (team->largest > 1)
        r->tr->t->team = team;
}

void rf_team_end(rf_tracer *tr, unsigned first)
{
    rf_team_run *r = tr->team;
    if (!r)
        return;
    describe(r);
    rf_lane_check_uniform(r, first);
    for (size_t i = 0; i < tr->t->loops.len && !tr->t->refused; i++)
        find_least(r, tr->t->loops.data[i]);
    for (size_t i = 0; i < r->marked.len; i++)
        RF_PUSH(tr->t->doubts, (rf_doubt){ .value = r->marked.data[i].marker,
                                           .name = r->marked.data[i].blame_name,
                                           .why = r->marked.data[i].blame });
    for (size_t i = 0; i < r->worlds.len; i++) {
        rf_world *w = r->worlds.data[i];
        for (size_t k = 0; k < w->shared.len; k++) {
            RF_PUSH(tr->t->exchanged, w->shared.data[k].var);
            RF_CLEAR(w->shared.data[k].slots);
        }
        RF_CLEAR(w->shared);
        RF_CLEAR(w->vars);
        rf_arena_free(w->arena);
    }
    RF_CLEAR(r->worlds);
    RF_CLEAR(r->marked);
    RF_CLEAR(r->assumed);
    RF_CLEAR(r->varies);
    tr->team = NULL;
}
