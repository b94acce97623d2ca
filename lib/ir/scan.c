/* A look at a loop before it is traced: which variables and arrays it
 * assigns, and which variables it advances by a fixed step in every
 * iteration. */
#include "ir/collective.h"

typedef struct {
    rf_tracer *tr;
    rf_frame *frame;
} scan;

static void scan_stmt(scan *s, const rf_stmt *st);

static void add_var(scan *s, rf_var *var)
{
    var = rf_alias_target(s->tr, var);
    for (size_t i = 0; i < s->frame->assigned.len; i++)
        if (s->frame->assigned.data[i] == var)
            return;
    RF_PUSH(s->frame->assigned, var);
}

static void add_root(scan *s, rf_var *root, const rf_expr *target)
{
    RF_PUSH(s->frame->stored, (rf_stored){ root, target });
}

static bool declares(const rf_stmt *st, const void *var)
{
    return st->kind == RF_STMT_DECL && st->var == var;
}

/* The declaration of "var" somewhere in "st". */
const rf_stmt *rf_find_decl(const rf_stmt *st, const rf_var *var)
{
    return rf_stmt_find(st, declares, var);
}

static rf_var *root_at(const rf_func *func, const rf_expr *e, int depth)
{
    if (depth > 32)
        return NULL;
    switch (e->op) {
    case RF_OP_VAR: {
        const rf_stmt *decl = func && e->var->storage == RF_VAR_LOCAL &&
                                      e->var->type->kind == RF_TYPE_POINTER
                                  ? rf_find_decl(func->body, e->var)
                                  : NULL;
        rf_var *root =
            decl && decl->expr ? root_at(func, decl->expr, depth + 1) : NULL;
        return root ? root : e->var;
    }
    case RF_OP_ADD:
    case RF_OP_SUB:
        return root_at(func,
                       e->arg[rf_type_is_pointer_like(e->arg[0]->type) ? 0 : 1],
                       depth + 1);
    case RF_OP_INDEX:
    case RF_OP_CAST:
    case RF_OP_ADDRESS:
    case RF_OP_DEREF:
    case RF_OP_POST_INC:
    case RF_OP_PRE_INC:
    case RF_OP_POST_DEC:
    case RF_OP_PRE_DEC:
        return root_at(func, e->arg[0], depth + 1);
    default:
        return NULL;
    }
}

rf_var *rf_expr_root(const rf_func *func, const rf_expr *e)
{
    return root_at(func, e, 0);
}

const rf_val *rf_trace_root(rf_trace *trace, const rf_val *v)
{
    for (int depth = 0; depth < 64; depth++) {
        if (v->kind == RF_VAL_CAST ||
            (v->kind == RF_VAL_OP && v->op == RF_OP_INDEX)) {
            v = v->arg[0];
        } else if (v->kind == RF_VAL_OP &&
                   (v->op == RF_OP_ADD || v->op == RF_OP_SUB)) {
            v = v->arg[rf_type_is_pointer_like(v->arg[0]->type) ? 0 : 1];
        } else if (v->kind == RF_VAL_ENTRY && v->var->storage == RF_VAR_LOCAL &&
                   v->var->type->kind == RF_TYPE_POINTER) {
            rf_expr use = { .op = RF_OP_VAR, .var = v->var };
            rf_var *root = rf_expr_root(trace->func, &use);
            return root ? rf_val_entry(trace->vals, root) : v;
        } else {
            return v;
        }
    }
    return v;
}

/* The argument that the root "param" of a callee's store stands for. */
static void add_callee_root(scan *s, const rf_expr *call, rf_var *param)
{
    unsigned first = call->is_method;
    for (unsigned i = 0; i < call->callee->n_params && i + first < call->n; i++)
        if (call->callee->params[i] == param) {
            rf_var *root = rf_expr_root(s->tr->t->func, call->arg[i + first]);
            if (root)
                add_root(s, root, NULL);
        }
}

static void scan_call(scan *s, const rf_expr *call)
{
    const rf_func *f = call->callee;
    if (f->is_recursive || !f->body)
        return;
    rf_frame inner = { 0 };
    scan sub = { .tr = s->tr, .frame = &inner };
    scan_stmt(&sub, f->body);
    for (size_t i = 0; i < inner.stored.len; i++)
        add_callee_root(s, call, inner.stored.data[i].root);
    unsigned first = call->is_method;
    for (unsigned i = 0; i < f->n_params && i + first < call->n; i++)
        if (f->params[i]->type->is_reference &&
            call->arg[i + first]->op == RF_OP_VAR)
            for (size_t k = 0; k < inner.assigned.len; k++)
                if (inner.assigned.data[k] == f->params[i])
                    add_var(s, call->arg[i + first]->var);
    RF_CLEAR(inner.stored);
    RF_CLEAR(inner.assigned);
}

static void scan_target(scan *s, const rf_expr *lhs)
{
    while (lhs->op == RF_OP_CAST)
        lhs = lhs->arg[0];
    const rf_alias_of *memory =
        lhs->op == RF_OP_VAR
            ? rf_alias_memory(s->tr, rf_alias_target(s->tr, lhs->var))
            : NULL;
    if (memory) {
        rf_var *root = rf_root_var(s->tr, memory->base);
        if (root)
            add_root(s, root, NULL);
    } else if (lhs->op == RF_OP_VAR && lhs->var->storage != RF_VAR_SHARED) {
        add_var(s, lhs->var);
    } else if (lhs->op == RF_OP_FIELD && lhs->arg[0]->op == RF_OP_VAR) {
        add_var(s,
                rf_member_var(s->tr, lhs->arg[0]->var, lhs->name, lhs->type));
    } else {
        rf_var *root = rf_expr_root(s->tr->t->func, lhs);
        if (root)
            add_root(s, root, lhs);
    }
}

static void scan_expr(scan *s, const rf_expr *e)
{
    if (!e)
        return;
    if (rf_op_assigns(e->op))
        scan_target(s, e->arg[0]);
    if (e->op == RF_OP_CALL && e->callee)
        scan_call(s, e);
    for (unsigned i = 0; i < e->n; i++)
        scan_expr(s, e->arg[i]);
}

static void scan_stmt(scan *s, const rf_stmt *st)
{
    if (!st)
        return;
    scan_expr(s, st->expr);
    scan_expr(s, st->step);
    scan_stmt(s, st->init);
    scan_stmt(s, st->body);
    scan_stmt(s, st->orelse);
    for (unsigned i = 0; i < st->n; i++)
        scan_stmt(s, st->list[i]);
}

void rf_scan_assigned(rf_tracer *tr, const rf_stmt *loop, rf_frame *frame)
{
    scan s = { .tr = tr, .frame = frame };
    scan_expr(&s, loop->expr);
    scan_expr(&s, loop->step);
    scan_stmt(&s, loop->body);
}

/* ---- inductions ---- */

static unsigned count_expr(const rf_tracer *tr, const rf_expr *e,
                           const rf_var *var)
{
    if (!e)
        return 0;
    unsigned n = 0;
    if (rf_op_assigns(e->op) && e->arg[0]->op == RF_OP_VAR)
        n = e->arg[0]->var == var;
    unsigned first = e->is_method;
    if (e->op == RF_OP_CALL && e->callee)
        for (unsigned i = 0; i + first < e->n && i < e->callee->n_params; i++)
            if (e->callee->params[i]->type->is_reference &&
                e->arg[i + first]->op == RF_OP_VAR &&
                e->arg[i + first]->var == var)
                n += 2;
    for (unsigned i = 0; i < e->n; i++)
        n += count_expr(tr, e->arg[i], var);
    return n;
}

static unsigned count_stmt(const rf_tracer *tr, const rf_stmt *st,
                           const rf_var *var)
{
    if (!st)
        return 0;
    unsigned n = count_expr(tr, st->expr, var) + count_expr(tr, st->step, var) +
                 count_stmt(tr, st->init, var) + count_stmt(tr, st->body, var) +
                 count_stmt(tr, st->orelse, var);
    for (unsigned i = 0; i < st->n; i++)
        n += count_stmt(tr, st->list[i], var);
    return n;
}

static bool has_continue(const rf_stmt *st)
{
    if (!st || rf_stmt_is_loop(st))
        return false;
    if (st->kind == RF_STMT_CONTINUE || has_continue(st->body) ||
        has_continue(st->orelse))
        return true;
    for (unsigned i = 0; i < st->n; i++)
        if (has_continue(st->list[i]))
            return true;
    return false;
}

/* Does "e" use what an iteration of "loop" sets or declares? */
static bool uses_assigned(const rf_frame *f, const rf_stmt *loop,
                          const rf_expr *e)
{
    if (e->op == RF_OP_VAR && e->var->at.begin >= loop->at.begin &&
        e->var->at.end <= loop->at.end)
        return true;
    if (e->op == RF_OP_VAR)
        for (size_t i = 0; i < f->assigned.len; i++)
            if (f->assigned.data[i] == e->var)
                return true;
    if (e->op == RF_OP_INDEX || e->op == RF_OP_DEREF ||
        (e->op == RF_OP_CALL && !rf_group_query(e, &(int){ 0 })))
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (uses_assigned(f, loop, e->arg[i]))
            return true;
    return false;
}

static const rf_expr *strip(const rf_expr *e)
{
    while (e->op == RF_OP_CAST && e->is_implicit)
        e = e->arg[0];
    return e;
}

/* v++, v += e, v -= e, v = v + e, v = e + v, v = v - e. */
static bool as_induction(const rf_frame *f, const rf_stmt *loop,
                         const rf_expr *e, rf_induction *out)
{
    const rf_expr *amount = NULL;
    bool negative = false;
    *out = (rf_induction){ .var = e->arg[0]->var, .step = e };
    if (e->op == RF_OP_PRE_INC || e->op == RF_OP_POST_INC) {
        out->by = 1;
        return true;
    }
    if (e->op == RF_OP_PRE_DEC || e->op == RF_OP_POST_DEC) {
        out->by = -1;
        return true;
    }
    if (e->op == RF_OP_ASSIGN_OP) {
        amount = e->arg[1];
        negative = e->value.assign == RF_OP_SUB;
        if (!negative && e->value.assign != RF_OP_ADD)
            return false;
    } else {
        const rf_expr *sum = strip(e->arg[1]);
        if (sum->op != RF_OP_ADD && sum->op != RF_OP_SUB)
            return false;
        const rf_expr *a = strip(sum->arg[0]), *b = strip(sum->arg[1]);
        negative = sum->op == RF_OP_SUB;
        if (a->op == RF_OP_VAR && a->var == out->var)
            amount = sum->arg[1];
        else if (!negative && b->op == RF_OP_VAR && b->var == out->var)
            amount = sum->arg[0];
    }
    if (!amount || uses_assigned(f, loop, amount))
        return false;
    out->amount = amount;
    out->is_negative = negative;
    return true;
}

static bool is_steppable(const rf_var *var)
{
    return var->storage != RF_VAR_SHARED &&
           (var->type->kind == RF_TYPE_INT ||
            var->type->kind == RF_TYPE_POINTER);
}

typedef struct {
    rf_tracer *tr;
    const rf_stmt *loop;
    const rf_frame *frame;
    rf_inductions *out;
} finder;

/* Visit what every iteration evaluates exactly once. */
static void find_in_expr(finder *f, const rf_expr *e)
{
    if (!e)
        return;
    rf_induction ind;
    if (rf_op_assigns(e->op) && e->arg[0]->op == RF_OP_VAR &&
        is_steppable(e->arg[0]->var) &&
        count_expr(f->tr, f->loop->expr, e->arg[0]->var) +
                count_expr(f->tr, f->loop->step, e->arg[0]->var) +
                count_stmt(f->tr, f->loop->body, e->arg[0]->var) ==
            1 &&
        as_induction(f->frame, f->loop, e, &ind))
        RF_PUSH(*f->out, ind);
    bool lazy =
        e->op == RF_OP_SELECT || e->op == RF_OP_AND || e->op == RF_OP_OR;
    for (unsigned i = 0; i < (lazy ? 1 : e->n); i++)
        find_in_expr(f, e->arg[i]);
}

static void find_in_stmt(finder *f, const rf_stmt *st)
{
    if (!st)
        return;
    if (st->kind == RF_STMT_BLOCK)
        for (unsigned i = 0; i < st->n; i++)
            find_in_stmt(f, st->list[i]);
    else if (st->kind == RF_STMT_EXPR || st->kind == RF_STMT_DECL ||
             st->kind == RF_STMT_IF)
        find_in_expr(f, st->expr);
}

void rf_scan_inductions(rf_tracer *tr, const rf_stmt *loop,
                        const rf_frame *frame, rf_inductions *out)
{
    finder f = { .tr = tr, .loop = loop, .frame = frame, .out = out };
    find_in_expr(&f, loop->step);
    find_in_expr(&f, loop->expr);
    if (!has_continue(loop->body))
        find_in_stmt(&f, loop->body);
}
