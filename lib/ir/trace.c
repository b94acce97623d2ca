/* Trace a block: run its statements on values instead of numbers.
 *
 * The result says what the block computes, whatever the spelling: reductions
 * (T-1), the stores that remain visible, and the final values of scalars. */
#include "ir/collective.h"

#include <string.h>

void rf_refuse(rf_tracer *tr, rf_diag_name name, rf_range at,
               const char *format, ...)
{
    if (tr->t->refused)
        return;
    va_list args;
    va_start(args, format);
    tr->t->refused = true;
    tr->t->refusal =
        (rf_refusal){ .name = name,
                      .at = at,
                      .text = rf_arena_vprintf(tr->t->arena, format, args),
                      .note_at = RF_NOWHERE };
    va_end(args);
}

/* ---- statements ---- */

static bool is_value_type(const rf_type *t)
{
    return t->kind != RF_TYPE_ARRAY && t->kind != RF_TYPE_RECORD;
}

static bool is_zero_fill(const rf_expr *list)
{
    const rf_expr *e = list->n == 1 ? list->arg[0] : NULL;
    while (e && e->op == RF_OP_CAST)
        e = e->arg[0];
    if (e && e->op == RF_OP_INIT_LIST)
        return is_zero_fill(e);
    return !list->n || (e && ((e->op == RF_OP_INT && e->value.i == 0) ||
                              (e->op == RF_OP_FLOAT && e->value.f == 0.0)));
}

static const rf_type *element_of(const rf_type *t)
{
    while (t->kind == RF_TYPE_ARRAY)
        t = t->elem;
    return t;
}

/* float a[4] = {1, 2}: every element named, the rest zero. */
static void run_array_init(rf_tracer *tr, const rf_stmt *s)
{
    const rf_type *t = s->var->type;
    const rf_val *base = rf_val_entry(tr->vals, s->var);
    if (s->expr->op == RF_OP_INIT_LIST && is_zero_fill(s->expr)) {
        rf_fill_array(tr, base, element_of(t), s->at);
        return;
    }
    if (s->expr->op != RF_OP_INIT_LIST || t->count < 0 || t->count > 4096 ||
        t->elem->kind == RF_TYPE_ARRAY) {
        rf_refuse(tr, RF_DIAG_UNSUPPORTED, s->at,
                  "this initialiser is not modelled");
        return;
    }
    for (int64_t i = 0; i < t->count; i++) {
        const rf_val *v = i < (int64_t)s->expr->n
                              ? rf_eval(tr, s->expr->arg[i])
                              : rf_val_int(tr->vals, 0, &rf_type_int);
        rf_store_cell(tr, base, rf_val_int(tr->vals, i, &rf_type_int), t->elem,
                      v, s->at);
    }
}

/* struct { float m, s; } st = {a, b}: the fields are scalars. */
static void run_record_init(rf_tracer *tr, const rf_stmt *s)
{
    const rf_type *t = s->var->type;
    if (s->expr->op == RF_OP_INIT_LIST && s->expr->n <= t->n_fields) {
        for (unsigned i = 0; i < t->n_fields; i++) {
            const rf_val *v = i < s->expr->n
                                  ? rf_eval(tr, s->expr->arg[i])
                                  : rf_val_int(tr->vals, 0, &rf_type_int);
            rf_env_set(
                tr, rf_member_var(tr, s->var, t->fields[i], t->field_types[i]),
                rf_usual_cast(tr, v, t->field_types[i]));
        }
    } else if (s->expr->op == RF_OP_INIT_LIST)
        rf_refuse(tr, RF_DIAG_UNSUPPORTED, s->at,
                  "this initialiser is not modelled");
    else
        rf_set_record(tr, s->var, rf_eval(tr, s->expr));
}

/* A pointer that never changes keeps its name: rows read as row[j]. */
static bool keeps_name(const rf_tracer *tr, const rf_var *var)
{
    return !tr->frame && !tr->call->outer && var->is_const &&
           var->type->kind == RF_TYPE_POINTER && !var->type->is_reference;
}

static void run_decl(rf_tracer *tr, const rf_stmt *s)
{
    rf_var *var = s->var;
    if (!tr->frame && !tr->call->outer)
        RF_PUSH(tr->t->declared, var);
    if (var->storage == RF_VAR_SHARED)
        return;
    if (var->is_static)
        rf_refuse(tr, RF_DIAG_SIDE_EFFECT, s->at,
                  "'%s' keeps its value between calls", var->name);
    if (rf_is_closure(s->expr)) {
        rf_make_closure(tr, var, s->expr);
        return;
    }
    if (!s->expr) {
        if (is_value_type(var->type))
            rf_env_set(
                tr, var,
                rf_val_unknown(tr->vals, var->type, "uninitialised", NULL));
        return;
    }
    if (var->type->kind == RF_TYPE_ARRAY)
        run_array_init(tr, s);
    else if (var->type->kind == RF_TYPE_RECORD)
        run_record_init(tr, s);
    else if (var->type->is_reference && rf_bind_reference(tr, var, s->expr))
        return;
    else if (!keeps_name(tr, var)) {
        const rf_val *v = rf_usual_cast(tr, rf_eval(tr, s->expr), var->type);
        rf_env_set(tr, var, v);
        rf_bind_name(tr, var, v, s->at);
    }
}

static void run_branch(rf_tracer *tr, const rf_stmt *s, const rf_val *path)
{
    tr->path = path;
    tr->dead = false;
    if (s)
        rf_run_stmt(tr, s);
}

/* if (c) __trap(); in emitted code: from here on "c" does not hold. */
static bool is_stop(const rf_tracer *tr, const rf_stmt *s)
{
    const rf_stmt *body = s->body;
    while (body && body->kind == RF_STMT_BLOCK && body->n == 1)
        body = body->list[0];
    return tr->beside && !tr->frame && !tr->path && !s->orelse && body &&
           body->kind == RF_STMT_EXPR && body->expr->op == RF_OP_CALL &&
           !body->expr->callee && !body->expr->n && body->expr->name &&
           !strcmp(body->expr->name, "__trap");
}

static void run_if(rf_tracer *tr, const rf_stmt *s)
{
    const rf_val *c = rf_team_read(tr, rf_truth_of(tr, rf_eval(tr, s->expr)));
    const rf_val *path = tr->path;
    if (is_stop(tr, s)) {
        RF_PUSH(tr->t->stops, c);
        return;
    }
    const rf_val *not_c = rf_val_not(tr->vals, c);
    rf_env start = rf_env_copy(&tr->env);
    run_branch(tr, s->body, rf_val_and(tr->vals, path, c));
    rf_env then = tr->env;
    bool then_dead = tr->dead;
    tr->env = start;
    run_branch(tr, s->orelse, rf_val_and(tr->vals, path, not_c));
    bool else_dead = tr->dead;
    tr->dead = then_dead && else_dead;
    tr->path = path;
    if (then_dead && !else_dead) {
        RF_CLEAR(then);
        tr->path = rf_val_and(tr->vals, path, not_c);
    } else if (else_dead && !then_dead) {
        RF_CLEAR(tr->env);
        tr->env = then;
        tr->path = rf_val_and(tr->vals, path, c);
    } else {
        tr->env = rf_env_merge(tr, c, &then, &tr->env);
    }
}

static void run_continue(rf_tracer *tr, const rf_stmt *s)
{
    if (!tr->frame || tr->frame == tr->call->frame) {
        rf_refuse(tr, RF_DIAG_CONTROL, s->at, "control leaves the region here");
        return;
    }
    rf_exit e = { .path = tr->path, .env = rf_env_copy(&tr->env) };
    RF_PUSH(tr->frame->continues, e);
    tr->dead = true;
}

static void run_return(rf_tracer *tr, const rf_stmt *s)
{
    if (!tr->call->outer || tr->frame != tr->call->frame) {
        rf_refuse(tr, RF_DIAG_CONTROL, s->at,
                  tr->frame ? "control leaves the loop here"
                            : "control leaves the region here");
        return;
    }
    rf_exit e = { .path = tr->path };
    if (s->expr)
        e.value =
            rf_team_owns(tr, s) ? rf_team_eval(tr, s) : rf_eval(tr, s->expr);
    RF_PUSH(tr->call->returns, e);
    tr->dead = true;
}

static void run_opaque(rf_tracer *tr, const rf_stmt *s)
{
    bool is_asm = s->text && strstr(s->text, "asm");
    bool jumps = s->text && strstr(s->text, "goto");
    rf_refuse(tr,
              is_asm  ? RF_DIAG_SIDE_EFFECT
              : jumps ? RF_DIAG_CONTROL
                      : RF_DIAG_UNSUPPORTED,
              s->at, "'%s' is not modelled", s->text ? s->text : "statement");
}

/* (void)&x: nobody sees the address. */
static bool is_unused_address(const rf_expr *e)
{
    while (e->op == RF_OP_CAST)
        e = e->arg[0];
    return e->op == RF_OP_ADDRESS && e->arg[0]->op == RF_OP_VAR;
}

void rf_run_stmt(rf_tracer *tr, const rf_stmt *s)
{
    if (!s || tr->t->refused || tr->dead)
        return;
    if (s->in_macro && s->kind != RF_STMT_EXPR && s->kind != RF_STMT_EMPTY) {
        rf_refuse(tr, RF_DIAG_MACRO, s->at,
                  "this statement comes from a macro");
        return;
    }
    if (s->kind != RF_STMT_RETURN && rf_team_owns(tr, s)) {
        rf_team_execute(tr, s);
        return;
    }
    switch (s->kind) {
    case RF_STMT_EMPTY:
    case RF_STMT_ALIAS:
        break;
    case RF_STMT_DECL:
        run_decl(tr, s);
        break;
    case RF_STMT_EXPR:
        if (!is_unused_address(s->expr))
            rf_eval(tr, s->expr);
        break;
    case RF_STMT_IF:
        run_if(tr, s);
        break;
    case RF_STMT_FOR:
    case RF_STMT_WHILE:
    case RF_STMT_DO:
        rf_run_loop(tr, s);
        break;
    case RF_STMT_BLOCK:
        for (unsigned i = 0; i < s->n; i++)
            rf_run_stmt(tr, s->list[i]);
        break;
    case RF_STMT_CONTINUE:
        run_continue(tr, s);
        break;
    case RF_STMT_BREAK:
        rf_refuse(tr, RF_DIAG_CONTROL, s->at, "control leaves the loop here");
        break;
    case RF_STMT_RETURN:
        run_return(tr, s);
        break;
    case RF_STMT_OPAQUE:
        run_opaque(tr, s);
        break;
    }
}

/* ---- single expressions ---- */

const rf_val *rf_trace_expr(rf_trace *t, const rf_expr *e, bool as_truth)
{
    rf_trace scratch = *t;
    scratch.refused = false;
    rf_inline top = { .func = t->func };
    rf_tracer tr = { .t = &scratch, .vals = t->vals, .call = &top };
    size_t loads = t->loads.len;
    const rf_val *v = rf_eval(&tr, e);
    if (as_truth)
        v = rf_truth_of(&tr, v);
    t->loads = scratch.loads;
    t->loads.len = loads;
    t->reds = scratch.reds;
    t->inlined = scratch.inlined;
    t->names = scratch.names;
    RF_CLEAR(tr.env);
    RF_CLEAR(tr.aliases);
    RF_CLEAR(tr.members);
    RF_CLEAR(tr.templates);
    RF_CLEAR(tr.captured);
    return scratch.refused || scratch.stores.len != t->stores.len ? NULL : v;
}

/* ---- the block ---- */

static void list_finals(rf_tracer *tr)
{
    for (size_t i = 0; i < tr->env.len; i++)
        RF_PUSH(tr->t->finals, (rf_binding){ .var = tr->env.data[i].var,
                                             .value = tr->env.data[i].value });
}

static void run_block(rf_tracer *tr, const rf_stmt *block, unsigned first,
                      unsigned last)
{
    rf_inline top = { .func = tr->t->func };
    tr->call = &top;
    tr->vals = tr->t->vals;
    for (unsigned i = first; i <= last && i < block->n; i++) {
        tr->pass = i;
        rf_run_stmt(tr, block->list[i]);
    }
    rf_team_settle(tr);
    list_finals(tr);
    rf_team_end(tr, first);
    RF_CLEAR(tr->env);
    RF_CLEAR(tr->aliases);
    RF_CLEAR(tr->members);
    RF_CLEAR(tr->templates);
    RF_CLEAR(tr->captured);
    RF_CLEAR(top.returns);
}

static rf_trace *trace_new(rf_arena *arena, rf_vals *vals, const rf_unit *unit,
                           const rf_func *func, const rf_stmt *block)
{
    rf_trace *t = RF_NEW(arena, rf_trace);
    *t = (rf_trace){
        .arena = arena, .vals = vals, .unit = unit, .func = func, .block = block
    };
    RF_ADOPT(arena, t->loops);
    RF_ADOPT(arena, t->reds);
    RF_ADOPT(arena, t->stores);
    RF_ADOPT(arena, t->stops);
    RF_ADOPT(arena, t->loads);
    RF_ADOPT(arena, t->finals);
    RF_ADOPT(arena, t->names);
    RF_ADOPT(arena, t->inlined);
    RF_ADOPT(arena, t->updates);
    RF_ADOPT(arena, t->passes);
    RF_ADOPT(arena, t->reads);
    RF_ADOPT(arena, t->declared);
    RF_ADOPT(arena, t->merge_parts);
    RF_ADOPT(arena, t->merges);
    RF_ADOPT(arena, t->doubts);
    RF_ADOPT(arena, t->exchanged);
    return t;
}

rf_trace *rf_trace_block(rf_arena *arena, const rf_unit *unit,
                         const rf_func *func, const rf_stmt *block,
                         unsigned first, unsigned last)
{
    rf_trace *t = trace_new(arena, rf_vals_new(arena), unit, func, block);
    rf_tracer tr = { .t = t };
    run_block(&tr, block, first, last);
    return t;
}

rf_trace *rf_trace_beside(rf_arena *arena, const rf_unit *unit,
                          const rf_func *func, const rf_stmt *block,
                          unsigned first, unsigned last, const rf_trace *beside)
{
    rf_vals *vals = beside ? beside->vals : rf_vals_new(arena);
    rf_trace *t = trace_new(arena, vals, unit, func, block);
    for (size_t i = 0; beside && i < beside->loops.len; i++)
        RF_PUSH(t->loops, beside->loops.data[i]);
    for (size_t i = 0; beside && i < beside->reds.len; i++)
        RF_PUSH(t->reds, beside->reds.data[i]);
    rf_tracer tr = { .t = t, .is_proof = true, .beside = beside };
    run_block(&tr, block, first, last);
    return t;
}

/* ---- dumps ---- */

static void dump_loops(rf_buf *out, unsigned n, const rf_loop *const *loops)
{
    for (unsigned i = 0; i < n; i++)
        rf_buf_printf(out, " %s#%u", loops[i]->name, loops[i]->id);
}

static void dump_red(rf_buf *out, const rf_red *r)
{
    rf_buf_printf(out, "  d%u = %s over %s#%u", r->id, rf_reduce_name(r->op),
                  r->axis->name, r->axis->id);
    rf_buf_puts(out, r->n_outer ? " in" : "");
    dump_loops(out, r->n_outer, r->outer);
    rf_buf_puts(out, r->n_free ? " for" : "");
    dump_loops(out, r->n_free, r->free);
    rf_buf_puts(out, " of ");
    rf_val_print(out, r->term);
    if (r->guard) {
        rf_buf_puts(out, " if ");
        rf_val_print(out, r->guard);
    }
    rf_buf_puts(out, " from ");
    rf_val_print(out, r->init);
    rf_buf_puts(out, "\n");
}

static void dump_store(rf_buf *out, const rf_store *s)
{
    rf_buf_puts(out, "  ");
    rf_val_print(out, s->base);
    rf_buf_puts(out, "[");
    if (s->index)
        rf_val_print(out, s->index);
    rf_buf_puts(out, "] = ");
    rf_val_print(out, s->value);
    rf_buf_puts(out, s->n_loops ? " for" : "");
    dump_loops(out, s->n_loops, s->loops);
    if (s->guard) {
        rf_buf_puts(out, " if ");
        rf_val_print(out, s->guard);
    }
    rf_buf_puts(out, "\n");
}

void rf_trace_dump(rf_buf *out, const rf_trace *t)
{
    for (size_t i = 0; i < t->loops.len; i++) {
        const rf_loop *l = t->loops.data[i];
        rf_buf_printf(out, "  loop %s#%u from ", l->name, l->id);
        rf_val_print(out, l->lower);
        rf_buf_puts(out, l->is_inclusive ? " to and with " : " to ");
        rf_val_print(out, l->upper);
        rf_buf_puts(out, " by ");
        rf_val_print(out, l->step);
        rf_buf_puts(out, "\n");
    }
    for (size_t i = 0; i < t->reds.len; i++)
        dump_red(out, t->reds.data[i]);
    for (size_t i = 0; i < t->stores.len; i++)
        dump_store(out, &t->stores.data[i]);
    for (size_t i = 0; i < t->finals.len; i++) {
        rf_buf_printf(out, "  %s = ", t->finals.data[i].var->name);
        rf_val_print(out, t->finals.data[i].value);
        rf_buf_puts(out, "\n");
    }
    if (t->refused)
        rf_buf_printf(out, "  refused: %s [%s]\n", t->refusal.text,
                      rf_diag_spelling(t->refusal.name));
}
