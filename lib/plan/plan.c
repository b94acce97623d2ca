/* Plan a region: find the innermost blocks whose loops are a cascade and take
 * each through the phases, or say at which place and why it cannot be. */
#include "plan/planning.h"
#include "plan/resident.h"

#include <string.h>

void rf_plan_refuse(rf_planner *p, rf_diag_name name, rf_range at,
                    const char *format, ...)
{
    if (p->refused)
        return;
    va_list args;
    va_start(args, format);
    p->refused = true;
    p->refusal = (rf_refusal){ .name = name,
                               .at = at,
                               .text = rf_arena_vprintf(p->arena, format, args),
                               .note_at = RF_NOWHERE };
    va_end(args);
}

void rf_plan_note(rf_planner *p, rf_range at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    p->refusal.note_at = at;
    p->refusal.note = rf_arena_vprintf(p->arena, format, args);
    va_end(args);
}

/* ---- the window ---- */

static bool is_plain(const rf_stmt *s)
{
    return s->kind == RF_STMT_DECL || s->kind == RF_STMT_EXPR ||
           s->kind == RF_STMT_EMPTY || s->kind == RF_STMT_ALIAS ||
           (s->kind == RF_STMT_BLOCK && !s->is_scope);
}

/* True if "s" sets something that statements from..to use as accumulator. */
static bool feeds(const rf_stmt *block, const rf_stmt *s, unsigned from,
                  unsigned to)
{
    const rf_var *var = NULL;
    if (s->kind == RF_STMT_DECL)
        var = s->var;
    else if (s->kind == RF_STMT_EXPR && s->expr->op == RF_OP_ASSIGN &&
             s->expr->arg[0]->op == RF_OP_VAR)
        var = s->expr->arg[0]->var;
    else if (s->kind == RF_STMT_EXPR || s->kind == RF_STMT_BLOCK)
        return true;
    bool is_closure = s->kind == RF_STMT_DECL && s->expr &&
                      s->expr->op == RF_OP_OPAQUE && s->expr->n;
    if (!var || (s->kind == RF_STMT_DECL && var->is_const && !is_closure))
        return false;
    for (unsigned i = from; i <= to; i++)
        if (rf_stmt_reads(block->list[i], var))
            return true;
    return false;
}

/* From the first accumulator to the last loop. */
static bool set_window(rf_plan *plan)
{
    const rf_stmt *b = plan->block;
    unsigned loops = 0;
    for (unsigned i = 0; i < b->n; i++)
        if (rf_stmt_has_loop(b->list[i]) &&
            b->list[i]->kind != RF_STMT_RETURN) {
            plan->first = loops++ ? plan->first : i;
            plan->last = i;
        }
    unsigned loop = plan->first;
    for (unsigned i = plan->last + 1; loops && i < b->n; i++)
        if (rf_stmt_is_of_team(plan->func, b->list[i]))
            plan->last = i;
    for (unsigned i = loop;
         i-- > 0 &&
         (is_plain(b->list[i]) || rf_stmt_is_of_team(plan->func, b->list[i]));)
        if (rf_stmt_is_of_team(plan->func, b->list[i]) ||
            feeds(b, b->list[i], loop, plan->last))
            plan->first = i;
    return loops > 0;
}

/* ---- one block ---- */

static const char *formula(rf_planner *p)
{
    rf_buf out = { 0 };
    for (size_t i = 0; i < p->plan->members.len; i++)
        rf_buf_printf(&out, "%s%s", i ? " -> " : "",
                      rf_reduce_name(p->plan->members.data[i]->red->op));
    const char *text = rf_arena_strdup(p->arena, rf_buf_text(&out));
    rf_buf_free(&out);
    return text;
}

static bool is_pass_of(const rf_trace *t, const rf_pass *pass,
                       const rf_loop *axis)
{
    if (pass->axis == axis)
        return true;
    for (size_t i = 0; i < t->reds.len; i++)
        if (t->reds.data[i]->axis == axis &&
            t->reds.data[i]->pass == pass->pass)
            return true;
    return false;
}

static void count_passes(rf_plan *plan)
{
    const rf_trace *t = plan->trace;
    for (size_t i = 0; i < t->passes.len; i++)
        plan->passes_before += is_pass_of(t, &t->passes.data[i], plan->axis);
    plan->passes_after = plan->resident ? 1 : plan->n_loops;
    for (unsigned k = 0; k <= plan->n_loops && !plan->resident; k++)
        for (size_t i = 0; i < plan->stores.len; i++) {
            const rf_placed_store *s = &plan->stores.data[i];
            if (!s->in_pass && s->pass == k && s->store->n_loops &&
                s->store->loops[0] == plan->axis) {
                plan->passes_after++;
                break;
            }
        }
}

/* ---- refusals about the whole ---- */

static const rf_expr *address_in(const rf_expr *e, const rf_var *var)
{
    if (!e || e->op == RF_OP_OPAQUE)
        return NULL;
    if (e->op == RF_OP_ADDRESS && e->arg[0]->op == RF_OP_VAR &&
        e->arg[0]->var == var)
        return e;
    const rf_expr *found = NULL;
    for (unsigned i = 0; i < e->n && !found; i++)
        found = address_in(e->arg[i], var);
    return found;
}

static const rf_expr *address_of(const rf_stmt *s, const rf_var *var)
{
    if (!s)
        return NULL;
    const rf_expr *found = address_in(s->expr, var);
    found = found ? found : address_of(s->init, var);
    found = found ? found : address_in(s->step, var);
    found = found ? found : address_of(s->body, var);
    found = found ? found : address_of(s->orelse, var);
    for (unsigned i = 0; i < s->n && !found; i++)
        found = address_of(s->list[i], var);
    return found;
}

/* A pointer to an accumulator may show its partial values to others. */
static bool check_addresses(rf_planner *p)
{
    const rf_trace *t = p->trace;
    for (size_t i = 0; i < t->reds.len; i++) {
        const rf_var *var = t->reds.data[i]->var;
        const rf_expr *e = var ? address_of(p->region->func->body, var) : NULL;
        if (!e)
            continue;
        rf_plan_refuse(p, RF_DIAG_ESCAPE, e->at,
                       "the address of '%s' is taken here: its partial values "
                       "may be seen",
                       var->name);
        return false;
    }
    return true;
}

/* No cascade here: the loops differ, or there is only one reduction. */
static void refuse_loops(rf_planner *p)
{
    const rf_trace *t = p->trace;
    const rf_pass *first = &t->passes.data[0];
    bool any = false;
    for (size_t i = 0; i < t->reds.len; i++)
        any |= !t->reds.data[i]->n_outer;
    if (!any)
        return;
    for (size_t i = 1; i < t->passes.len; i++)
        if (t->passes.data[i].axis != first->axis) {
            rf_plan_refuse(p, RF_DIAG_LOOP_MISMATCH, t->passes.data[i].at,
                           "this loop runs over another axis");
            return;
        }
    rf_plan_refuse(p, RF_DIAG_DONE, first->at,
                   "one loop computes the only reduction");
}

static bool is_global(rf_planner *p, const rf_load *l)
{
    const rf_val *root = rf_trace_root(p->trace, l->base);
    return root->kind != RF_VAL_ENTRY ||
           root->var->type->kind != RF_TYPE_ARRAY ||
           root->var->storage == RF_VAR_GLOBAL;
}

/* The loops of the source that read memory outside the thread. */
static unsigned count_global_passes(rf_planner *p, const rf_load **first)
{
    const rf_trace *t = p->trace;
    unsigned n = 0;
    *first = NULL;
    for (size_t i = 0; i < t->passes.len; i++)
        for (size_t k = 0; k < t->loads.len; k++) {
            const rf_load *l = &t->loads.data[k];
            if (l->pass != t->passes.data[i].pass || !is_global(p, l))
                continue;
            *first = *first ? *first : l;
            n++;
            break;
        }
    return n;
}

/* A row that lies in registers already is read once already. */
static bool check_traffic(rf_planner *p)
{
    const rf_load *first;
    if (count_global_passes(p, &first) != 1 || !first)
        return true;
    rf_plan_refuse(p, RF_DIAG_DONE, first->at,
                   "every element is read once already, here");
    return false;
}

static bool check_strict(rf_planner *p)
{
    for (size_t i = 0; i < p->plan->members.len && p->mark->strict; i++) {
        const rf_member *m = p->plan->members.data[i];
        if (!m->bound || m->bound->rounding == RF_ROUNDING_EXACT)
            continue;
        rf_plan_refuse(p, RF_DIAG_STRICT, rf_plan_update_place(p, m->red->at),
                       "strict, and this reduction would be %s",
                       rf_rounding_name(m->bound->rounding));
        return false;
    }
    return true;
}

/* True if statements first..last of "block" hold a collective. */
static bool has_collective(const rf_plan *plan)
{
    for (unsigned i = plan->first; i <= plan->last; i++)
        if (rf_stmt_is_of_team(plan->func, plan->block->list[i]))
            return true;
    return false;
}

typedef enum {
    WINDOW_WHOLE, /* to the end: single threads may use what they alone hold,
                   * and a branch of its own what it declares */
    WINDOW_LOOPS, /* to the last loop or collective */
    WINDOW_SHORT  /* the same without a last loop that is none of the team's */
} extent;

/* The last loop is of one thread, say: leave it out. */
static bool shorten(rf_plan *plan)
{
    const rf_stmt *b = plan->block;
    unsigned left = 0, last = plan->first;
    if (rf_stmt_is_of_team(plan->func, b->list[plan->last]))
        return false;
    for (unsigned i = plan->first; i < plan->last; i++)
        if (rf_stmt_has_loop(b->list[i]) ||
            rf_stmt_is_of_team(plan->func, b->list[i])) {
            left += rf_stmt_has_loop(b->list[i]);
            last = i;
        }
    plan->last = last;
    return left >= 2 && has_collective(plan);
}

/* The statements of "plan"; false: there are none, or the same as for another
 * extent. */
/* A declaration that two versions can share: scratch memory, a value that
 * stays as it is, a name for a type. */
static bool is_for_both(const rf_stmt *s)
{
    if (s->kind == RF_STMT_BLOCK && !s->is_scope) {
        for (unsigned i = 0; i < s->n; i++)
            if (!is_for_both(s->list[i]))
                return false;
        return true;
    }
    if (s->kind != RF_STMT_DECL)
        return s->kind == RF_STMT_ALIAS;
    return s->expr ? s->var->is_const && s->expr->op != RF_OP_OPAQUE
                   : s->var->storage == RF_VAR_SHARED;
}

static void share_declarations(rf_plan *plan)
{
    while (plan->first < plan->last &&
           is_for_both(plan->block->list[plan->first]))
        plan->first++;
}

static bool choose_window(rf_plan *plan, extent to, bool is_own_branch)
{
    if (!set_window(plan))
        return false;
    if (is_own_branch)
        share_declarations(plan);
    if (to == WINDOW_LOOPS)
        return true;
    if (to == WINDOW_SHORT)
        return shorten(plan);
    if (plan->last + 1 == plan->block->n ||
        (!has_collective(plan) && !is_own_branch))
        return false;
    plan->last = plan->block->n - 1;
    return true;
}

/* True if "block" was a cascade; false with p->refused set or not. */
static bool plan_window(rf_planner *p, const rf_stmt *block, extent to,
                        bool resident)
{
    rf_plan *plan = RF_NEW(p->arena, rf_plan);
    *plan =
        (rf_plan){ .func = p->region->func, .block = block, .mark = p->mark };
    RF_ADOPT(p->arena, plan->members);
    RF_ADOPT(p->arena, plan->missed);
    RF_ADOPT(p->arena, plan->needs);
    RF_ADOPT(p->arena, plan->apart);
    RF_ADOPT(p->arena, plan->tests);
    RF_ADOPT(p->arena, plan->signs);
    RF_ADOPT(p->arena, plan->stores);
    p->plan = plan;
    p->refused = false;
    p->phases = 0;
    if (!choose_window(plan, to, p->may_test))
        return false;
    plan->trace = p->trace = rf_trace_block(p->arena, p->unit, p->region->func,
                                            block, plan->first, plan->last);
    if (p->trace->refused) {
        p->refused = true;
        p->refusal = p->trace->refusal;
        return false;
    }
    if (p->trace->passes.len < 2 || !check_addresses(p) || !rf_plan_doubts(p))
        return false;
    if (!rf_plan_axis(p) || !rf_plan_members(p)) {
        refuse_loops(p);
        return false;
    }
    plan->formula = formula(p);
    p->phases = 1;
    if (!rf_plan_extent(p, plan->axis, &plan->extent))
        plan->extent = 0;
    if (!rf_plan_instances(p) || !rf_plan_siblings(p) || !rf_plan_team(p) ||
        !rf_plan_defined(p) ||
        !(resident ? rf_plan_depths(p) : rf_plan_derive(p)) ||
        !rf_plan_team_meets(p) || !rf_plan_exact_tests(p) ||
        !rf_plan_stores(p) || !rf_plan_store_order(p) || !rf_plan_aliases(p) ||
        (resident && !rf_plan_keep_row(p)))
        return false;
    count_passes(plan);
    rf_plan_count_traffic(plan);
    rf_plan_count_bytes(p);
    rf_plan_count_barriers(plan);
    return check_traffic(p) && check_strict(p);
}

/* The levels at which a team may be given to each row. */
static bool is_team_level(rf_level level)
{
    return level == RF_LEVEL_WARP || level == RF_LEVEL_BLOCK ||
           level == RF_LEVEL_CLUSTER;
}

/* What is in the way of more loops is what people are told. */
static bool plan_short(rf_planner *p, const rf_stmt *block)
{
    rf_planner before = *p;
    if (plan_window(p, block, WINDOW_SHORT, false))
        return true;
    *p = before;
    return false;
}

static bool plan_extents(rf_planner *p, const rf_stmt *block)
{
    return (is_team_level(p->mark->level) &&
            plan_window(p, block, WINDOW_LOOPS, true)) ||
           plan_window(p, block, WINDOW_WHOLE, false) ||
           plan_window(p, block, WINDOW_LOOPS, false) || plan_short(p, block);
}

/* Rows that are given to teams run as one version. */
static bool may_have_two_versions(const rf_mark *mark)
{
    return !mark->picks_level && mark->level <= RF_LEVEL_THREAD;
}

/* Where pointers may overlap, the emitted code asks. */
static bool plan_block(rf_planner *p, const rf_stmt *block)
{
    if (plan_extents(p, block))
        return true;
    rf_planner before = *p;
    if (!p->refused || p->refusal.name != RF_DIAG_ALIAS ||
        !may_have_two_versions(p->mark))
        return false;
    p->may_test = true;
    bool planned = plan_extents(p, block);
    if (!planned)
        *p = before;
    p->may_test = false;
    return planned;
}

/* ---- the region ---- */

typedef struct {
    rf_planner *p;
    rf_plans *out;
    rf_refusal first; /* the outermost refusal of those that came furthest */
    bool refused;
    unsigned phases;
    unsigned loops; /* loops seen */
} search;

static void search_stmt(search *s, const rf_stmt *st);

/* The scope that holds all loops of "block" and names of its own, or NULL. */
static const rf_stmt *only_scope(const rf_stmt *block)
{
    const rf_stmt *found = NULL;
    for (unsigned i = 0; i < block->n; i++) {
        if (!rf_stmt_has_loop(block->list[i]))
            continue;
        if (found)
            return NULL;
        found = block->list[i];
    }
    return found && found->kind == RF_STMT_BLOCK && found->is_scope ? found
                                                                    : NULL;
}

/* The innermost of the scopes in one another comes first: the pointers and
 * sizes that it declares can be named there only. */
static bool plan_scopes(rf_planner *p, const rf_stmt *block)
{
    const rf_stmt *inner = only_scope(block);
    return (inner && plan_scopes(p, inner)) || plan_block(p, block);
}

/* What is said about the threads of a block inside another one forgets the
 * conditions around it: if the outer one could be traced, it is not so. */
static bool is_about_threads(const search *s)
{
    return s->refused && !s->phases &&
           (s->first.name == RF_DIAG_RACE || s->first.name == RF_DIAG_UNIFORM);
}

static void search_block(search *s, const rf_stmt *block)
{
    if (!rf_stmt_has_loop(block))
        return;
    if (plan_scopes(s->p, block)) {
        RF_PUSH(*s->out, s->p->plan);
        return;
    }
    size_t before = s->out->len;
    bool refused = s->p->refused;
    rf_refusal refusal = s->p->refusal;
    unsigned phases = s->p->phases;
    for (unsigned i = 0; i < block->n; i++)
        search_stmt(s, block->list[i]);
    bool weak = !phases && (refusal.name == RF_DIAG_DONE ||
                            refusal.name == RF_DIAG_LOOP_MISMATCH);
    if (refused && s->out->len == before &&
        (!s->refused || is_about_threads(s) ||
         (!weak && phases >= s->phases))) {
        s->refused = true;
        s->first = refusal;
        s->phases = phases;
    }
}

static void search_stmt(search *s, const rf_stmt *st)
{
    if (!st)
        return;
    s->loops += rf_stmt_is_loop(st);
    if (st->kind == RF_STMT_BLOCK) {
        search_block(s, st);
        return;
    }
    search_stmt(s, st->body);
    search_stmt(s, st->orelse);
}

static bool is_from_macro(const rf_stmt *s)
{
    return s->in_macro && (s->kind == RF_STMT_OPAQUE || rf_stmt_is_loop(s));
}

static const rf_stmt *find_stmt(const rf_stmt *s, bool (*test)(const rf_stmt *))
{
    if (!s || test(s))
        return s;
    const rf_stmt *found = find_stmt(s->body, test);
    found = found ? found : find_stmt(s->orelse, test);
    for (unsigned i = 0; i < s->n && !found; i++)
        found = find_stmt(s->list[i], test);
    return found;
}

static void report(search *s, rf_diags *diags)
{
    rf_planner *p = s->p;
    const rf_refusal *r = &s->first;
    if (!s->refused) {
        const rf_stmt *macro = find_stmt(p->region->stmt, is_from_macro);
        const rf_stmt *loop = find_stmt(p->region->stmt, rf_stmt_is_loop);
        const rf_stmt *place = macro ? macro : loop ? loop : p->region->stmt;
        rf_place at = rf_unit_place(p->unit, place->at.begin);
        if (macro) {
            rf_diag_add(diags, RF_WARNING, RF_DIAG_MACRO, at,
                        "not fused: this statement comes from a macro");
            return;
        }
        rf_diag_add(diags, RF_WARNING,
                    s->loops > 1 ? RF_DIAG_LOOP_MISMATCH : RF_DIAG_DONE, at,
                    s->loops > 1 ? "not fused: no two loops here run over one "
                                   "axis and feed one another"
                                 : "not fused: there is one loop at most; mark "
                                   "the block that holds all loops");
        return;
    }
    const char *text = r->text;
    bool prefixed = !strncmp(text, "not fused", 9);
    rf_diag_add(diags, RF_WARNING, r->name, rf_unit_place(p->unit, r->at.begin),
                "%s%s", prefixed ? "" : "not fused: ", text);
    if (r->note_at.begin != UINT32_MAX && r->note)
        rf_diag_note_add(diags, rf_unit_place(p->unit, r->note_at.begin), "%s",
                         r->note);
}

void rf_plan_region(rf_arena *arena, const rf_unit *unit,
                    const rf_region *region, rf_plans *out, rf_diags *diags)
{
    rf_planner p = { .arena = arena,
                     .unit = unit,
                     .region = region,
                     .mark = &region->mark,
                     .is_silent = !diags };
    search s = { .p = &p, .out = out };
    size_t before = out->len;
    search_stmt(&s, region->stmt);
    if (out->len == before && diags)
        report(&s, diags);
}

/* ---- dumps ---- */

static void dump_member(rf_buf *out, const rf_member *m)
{
    rf_buf_printf(out, "  pass %u: ", m->pass);
    rf_val_print(out, m->red->result);
    rf_buf_printf(out, " = %s ", rf_reduce_name(m->red->op));
    rf_val_print(out, m->term);
    if (m->ratio) {
        rf_buf_puts(out, " ratio ");
        rf_val_print(out, m->ratio);
    }
    if (m->later) {
        rf_buf_puts(out, " later ");
        rf_val_print(out, m->later);
    }
    if (m->dead_when) {
        rf_buf_puts(out, " dead at ");
        rf_val_print(out, m->dead_when);
    }
    rf_buf_puts(out, "\n");
}

void rf_plan_dump(rf_buf *out, const rf_plan *plan)
{
    rf_buf_printf(out, "plan over %s: %s, %u passes -> %u, %s\n",
                  plan->axis->name, plan->formula, plan->passes_before,
                  plan->passes_after, rf_rounding_name(plan->rounding));
    for (size_t i = 0; i < plan->members.len; i++)
        dump_member(out, plan->members.data[i]);
    for (size_t i = 0; i < plan->stores.len; i++) {
        const rf_placed_store *s = &plan->stores.data[i];
        rf_buf_printf(out, "  %s %u: ", s->in_pass ? "in pass" : "after",
                      s->pass);
        rf_val_print(out, s->store->base);
        rf_buf_puts(out, "[");
        rf_val_print(out, s->store->index);
        rf_buf_puts(out, "] = ");
        rf_val_print(out, s->store->value);
        rf_buf_puts(out, "\n");
    }
}
