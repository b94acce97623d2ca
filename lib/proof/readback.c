/* The emitted text as a tree again: parse the rewritten file, find the
 * statements that were written, and let both programs name the variables
 * around them alike. */
#include "proof/proving.h"

#include <string.h>

/* ---- spans ---- */

static bool holds(rf_range outer, rf_range inner)
{
    return outer.begin <= inner.begin && inner.end <= outer.end;
}

/* The innermost block written with braces that holds all of "at". */
static void find_block(const rf_stmt *s, rf_range at, const rf_stmt **best)
{
    if (!s)
        return;
    if (s->kind == RF_STMT_BLOCK && s->is_scope && holds(s->at, at))
        *best = s;
    for (unsigned i = 0; i < s->n; i++)
        find_block(s->list[i], at, best);
    find_block(s->body, at, best);
    find_block(s->orelse, at, best);
}

bool rf_find_span(rf_span *span, const rf_unit *unit, const rf_func *func,
                  rf_range at)
{
    *span = (rf_span){ .unit = unit, .func = func, .at = at };
    find_block(func->body, at, &span->block);
    bool any = false;
    for (unsigned i = 0; span->block && i < span->block->n; i++) {
        if (!holds(at, span->block->list[i]->at))
            continue;
        span->first = any ? span->first : i;
        span->last = i;
        any = true;
    }
    return any;
}

/* ---- reading ---- */

bool rf_read_back(rf_prover *p, rf_unit **emitted)
{
    rf_diags *diags = rf_diags_new();
    rf_front_options front = *p->task->front;
    front.reference = true; /* the text stands among the author's lines */
    int rc = rf_front_parse(emitted, p->arena, p->task->source->path,
                            p->task->bytes, p->task->size, &front, diags);
    if (rc < 0)
        rf_oblige(p, "text", p->task->region->mark.at, RF_REFUTED,
                  "the emitted code does not parse");
    else
        for (size_t i = 0; i < (*emitted)->funcs.len; i++)
            if ((*emitted)->funcs.data[i]->has_error &&
                !strcmp((*emitted)->funcs.data[i]->name,
                        p->task->region->func->name))
                rf_oblige(p, "text", p->task->region->mark.at, RF_REFUTED,
                          "the emitted code does not compile: %s",
                          diags->list.len ? diags->list.data[0].text : "");
    rf_diags_free(diags);
    return !p->stopped;
}

/* ---- variables ---- */

typedef RF_ARRAY(rf_var *) rf_vars;

typedef struct {
    rf_vars locals;  /* parameters and declarations outside the span */
    rf_vars globals; /* everything else that is named, helpers included */
    rf_range skip;
    const rf_func *func;
    RF_ARRAY(const rf_func *) seen;
    unsigned depth;           /* of calls */
    const rf_vars *from, *to; /* renaming: from[i] becomes to[i] */
} walker;

static bool has(const rf_vars *list, const rf_var *v)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i] == v)
            return true;
    return false;
}

static rf_var *renamed(const walker *w, rf_var *v)
{
    for (size_t i = 0; w->from && v && i < w->from->len; i++)
        if (w->from->data[i] == v)
            return w->to->data[i];
    return v;
}

static void walk_stmt(walker *w, rf_stmt *s);

static void walk_func(walker *w, const rf_func *f)
{
    for (size_t i = 0; i < w->seen.len; i++)
        if (w->seen.data[i] == f)
            return;
    RF_PUSH(w->seen, f);
    w->depth++;
    walk_stmt(w, f->body);
    w->depth--;
}

/* Those of helpers are given values by their calls. */
static bool is_own_template_parameter(const walker *w, const rf_var *v)
{
    for (unsigned i = 0; w->func && i < w->func->n_template; i++)
        if (w->func->template_params[i] == v)
            return true;
    return !w->func;
}

static void walk_expr(walker *w, rf_expr *e)
{
    if (!e)
        return;
    e->var = renamed(w, e->var);
    bool is_global = e->var && e->var->storage != RF_VAR_LOCAL &&
                     e->var->storage != RF_VAR_PARAM &&
                     (e->var->storage != RF_VAR_TEMPLATE ||
                      is_own_template_parameter(w, e->var));
    if (is_global && !has(&w->globals, e->var))
        RF_PUSH(w->globals, e->var);
    if (e->callee)
        walk_func(w, e->callee);
    for (unsigned i = 0; i < e->n; i++)
        walk_expr(w, e->arg[i]);
    for (unsigned i = 0; i < e->n_template; i++)
        walk_expr(w, e->template_arg[i]);
}

static void walk_stmt(walker *w, rf_stmt *s)
{
    if (!s)
        return;
    s->var = renamed(w, s->var);
    bool outside = s->at.end <= w->skip.begin || s->at.begin >= w->skip.end;
    if (s->var && outside && w->depth == 1 && !has(&w->locals, s->var))
        RF_PUSH(w->locals, s->var);
    walk_expr(w, s->expr);
    walk_expr(w, s->step);
    walk_stmt(w, s->init);
    walk_stmt(w, s->body);
    walk_stmt(w, s->orelse);
    for (unsigned i = 0; i < s->n; i++)
        walk_stmt(w, s->list[i]);
}

static void walk_span(walker *w, const rf_span *span)
{
    w->skip = span->at;
    w->func = span->func;
    for (unsigned i = 0; i < span->func->n_params; i++)
        RF_PUSH(w->locals, span->func->params[i]);
    walk_func(w, span->func);
}

static void walker_free(walker *w)
{
    RF_CLEAR(w->locals);
    RF_CLEAR(w->globals);
    RF_CLEAR(w->seen);
}

static bool same_variable(const rf_var *a, const rf_var *b)
{
    return !strcmp(a->name, b->name) && a->storage == b->storage &&
           rf_type_same(a->type, b->type);
}

/* True if no other local of "a" has the name of number "k". */
static bool is_only_one(const walker *a, size_t k)
{
    for (size_t i = 0; i < a->locals.len; i++)
        if (i != k && !strcmp(a->locals.data[i]->name, a->locals.data[k]->name))
            return false;
    return true;
}

/* The locals of "b" are those of "a", in order, less some that the emitted
 * program does without: their names mean nothing else. */
static bool pair_locals(walker *a, walker *b, rf_vars *from, rf_vars *to)
{
    size_t k = 0;
    for (size_t i = 0; i < a->locals.len; i++) {
        if (k < b->locals.len &&
            same_variable(a->locals.data[i], b->locals.data[k])) {
            RF_PUSH(*from, b->locals.data[k++]);
            RF_PUSH(*to, a->locals.data[i]);
        } else if (!is_only_one(a, i)) {
            return false;
        }
    }
    return k == b->locals.len;
}

/* Pair "b" of the emitted program with "a" of the source. */
static bool pair(walker *a, walker *b, rf_vars *from, rf_vars *to)
{
    if (!pair_locals(a, b, from, to))
        return false;
    for (size_t i = 0; i < b->globals.len; i++)
        for (size_t k = 0; k < a->globals.len; k++)
            if (same_variable(a->globals.data[k], b->globals.data[i])) {
                RF_PUSH(*from, b->globals.data[i]);
                RF_PUSH(*to, a->globals.data[k]);
                break;
            }
    return true;
}

/* ---- pointers that both programs declare ---- */

static void list_constants(const rf_stmt *s, const rf_stmt **out, size_t *n,
                           size_t cap)
{
    if (!s)
        return;
    if (s->kind == RF_STMT_DECL && s->expr && s->var->is_const &&
        (s->var->type->kind == RF_TYPE_POINTER ||
         s->var->type->kind == RF_TYPE_INT) &&
        *n < cap)
        out[(*n)++] = s;
    if (s->kind == RF_STMT_BLOCK && !s->is_scope)
        for (unsigned i = 0; i < s->n; i++)
            list_constants(s->list[i], out, n, cap);
}

static size_t span_constants(const rf_span *span, const rf_stmt **out,
                             size_t cap)
{
    size_t n = 0;
    for (unsigned i = span->first; i <= span->last; i++)
        list_constants(span->block->list[i], out, &n, cap);
    return n;
}

static bool changes_expr(const rf_expr *e, const rf_var *var)
{
    if (!e)
        return false;
    bool changes = (e->op >= RF_OP_ASSIGN && e->op != RF_OP_OPAQUE) ||
                   e->op == RF_OP_ADDRESS || e->op == RF_OP_CALL;
    for (unsigned i = 0; i < e->n; i++)
        if ((changes && e->arg[i]->op == RF_OP_VAR && e->arg[i]->var == var) ||
            changes_expr(e->arg[i], var))
            return true;
    return e->op == RF_OP_OPAQUE;
}

static bool changes_stmt(const rf_stmt *s, const rf_var *var)
{
    if (!s)
        return false;
    if (s->kind == RF_STMT_OPAQUE || changes_expr(s->expr, var) ||
        changes_expr(s->step, var) || changes_stmt(s->init, var) ||
        changes_stmt(s->body, var) || changes_stmt(s->orelse, var))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (changes_stmt(s->list[i], var))
            return true;
    return false;
}

/* Constant from here to the end of both spans: the counter of a loop around
 * them is. */
static bool is_steady(const rf_prover *p, const rf_var *var)
{
    if (var->is_const || var->storage == RF_VAR_BUILTIN ||
        var->storage == RF_VAR_CONSTANT)
        return true;
    const rf_span *spans[] = { &p->source, &p->emitted };
    if (var->storage != RF_VAR_LOCAL)
        return false;
    for (int k = 0; k < 2; k++)
        for (unsigned i = spans[k]->first; i <= spans[k]->last; i++)
            if (changes_stmt(spans[k]->block->list[i], var))
                return false;
    return true;
}

/* True if nothing that "e" names changes. */
static bool is_fixed(const rf_prover *p, const rf_expr *e)
{
    if (e->op == RF_OP_ADDRESS && e->arg[0]->op == RF_OP_INDEX)
        return is_fixed(p, e->arg[0]->arg[0]) && is_fixed(p, e->arg[0]->arg[1]);
    if (e->op == RF_OP_VAR && !is_steady(p, e->var))
        return false;
    bool is_memory = e->op == RF_OP_DEREF || e->op == RF_OP_CALL ||
                     e->op >= RF_OP_ASSIGN ||
                     (e->op == RF_OP_INDEX && e->type->kind != RF_TYPE_ARRAY);
    for (unsigned i = 0; i < e->n; i++)
        if (!is_fixed(p, e->arg[i]))
            return false;
    return !is_memory;
}

/* const float *w = W + i or int i = ..., written in both: one variable. */
static bool pair_constant(const rf_prover *p, const rf_stmt *a,
                          const rf_stmt *b, rf_vars *from, rf_vars *to)
{
    if (a->var == b->var || !same_variable(a->var, b->var) ||
        !rf_expr_same(a->expr, b->expr) || !is_fixed(p, a->expr))
        return false;
    RF_PUSH(*from, b->var);
    RF_PUSH(*to, a->var);
    return true;
}

static void pair_constants(const rf_prover *p, rf_vars *from, rf_vars *to)
{
    const rf_stmt *a[32], *b[32];
    size_t n = span_constants(&p->source, a, RF_COUNTOF(a));
    size_t m = span_constants(&p->emitted, b, RF_COUNTOF(b));
    for (size_t i = 0; i < m; i++) {
        bool found = false;
        for (size_t k = 0; k < n && !found; k++)
            found = pair_constant(p, a[k], b[i], from, to);
        walker w = { .from = from, .to = to };
        if (found)
            walk_span(&w, &p->emitted);
        walker_free(&w);
    }
}

static void rename_all(rf_prover *p, rf_vars *from, rf_vars *to)
{
    walker w = { .from = from, .to = to };
    walk_span(&w, &p->emitted);
    for (unsigned i = 0; i < p->emitted.func->n_params; i++)
        p->emitted.func->params[i] = renamed(&w, p->emitted.func->params[i]);
    walker_free(&w);
    pair_constants(p, from, to);
}

bool rf_share_variables(rf_prover *p)
{
    walker a = { 0 }, b = { 0 };
    rf_vars from = { 0 }, to = { 0 };
    walk_span(&a, &p->source);
    walk_span(&b, &p->emitted);
    bool ok = pair(&a, &b, &from, &to);
    if (ok)
        rename_all(p, &from, &to);
    walker_free(&a);
    walker_free(&b);
    RF_CLEAR(from);
    RF_CLEAR(to);
    return ok;
}
