/* What only the replaced statements used: a scratch array, a tile, a pointer.
 * It is declared before them and stays for the reference; the fused code says
 * that it has no use for it, so that no compiler has to. */
#include "emit/emitting.h"

#include <string.h>

typedef struct {
    const rf_unit *unit;
    const rf_var *var;
    const rf_stmt *block; /* its statements first..last do not count */
    unsigned first, last;
} search;

static bool names(const rf_expr *e, const search *s, bool written)
{
    if (!e)
        return false;
    if (e->op == RF_OP_VAR)
        return !strcmp(e->var->name, s->var->name);
    if (e->spelling && e->op == RF_OP_OPAQUE &&
        strstr(e->spelling, s->var->name))
        return true;
    bool assigned = e->op == RF_OP_ASSIGN && e->arg[0]->op == RF_OP_VAR;
    for (unsigned i = assigned && !written; i < e->n; i++)
        if (names(e->arg[i], s, written))
            return true;
    return false;
}

/* A statement that the reader cannot model: do its words hold the name? */
static bool says(const rf_stmt *t, const search *s)
{
    size_t n = strlen(s->var->name);
    for (uint32_t i = t->at.begin; i + n <= t->at.end; i++)
        if (!memcmp(s->unit->bytes + i, s->var->name, n))
            return true;
    return false;
}

/* Does anything but its declaration name the variable? A plain assignment
 * does if "written". */
static bool uses(const rf_stmt *t, const search *s, bool written)
{
    if (!t)
        return false;
    if (t->kind == RF_STMT_OPAQUE)
        return says(t, s);
    if (names(t->expr, s, written) || names(t->step, s, written) ||
        uses(t->init, s, written) || uses(t->body, s, written) ||
        uses(t->orelse, s, written))
        return true;
    for (unsigned i = 0; i < t->n; i++)
        if ((t != s->block || i < s->first || i > s->last) &&
            uses(t->list[i], s, written))
            return true;
    return false;
}

static bool any_uses(rf_stmt *const *list, size_t n, const search *s)
{
    for (size_t i = 0; i < n; i++)
        if (uses(list[i], s, true))
            return true;
    return false;
}

static bool is_idle(const rf_emitter *em, const rf_stmts *fused,
                    const rf_var *var)
{
    const rf_plan *p = em->plan;
    search all = { .unit = em->unit, .var = var };
    search rest = { em->unit, var, p->block, p->first, p->last };
    return any_uses(p->block->list + p->first, p->last - p->first + 1, &all) &&
           !any_uses(fused->data, fused->len, &all) &&
           !uses(p->func->body, &rest, false);
}

/* For nvcc (void)name is no use of an object or of shared memory. */
static rf_stmt *no_use(rf_emitter *em, const rf_var *var)
{
    bool object =
        var->type->kind >= RF_TYPE_RECORD || var->storage == RF_VAR_SHARED;
    rf_stmt *s = rf_stmt_new(em->arena, RF_STMT_EXPR);
    s->expr = rf_expr_new(em->arena, RF_OP_OPAQUE, &rf_type_int, 0, NULL);
    s->expr->spelling =
        rf_arena_printf(em->arena, "(void)%s%s", object ? "&" : "", var->name);
    return s;
}

/* The declarations in "t" that are in scope at the replaced statements. */
static void visit(rf_emitter *em, const rf_stmt *t, const rf_stmts *fused,
                  rf_stmts *out)
{
    const rf_plan *p = em->plan;
    if (!t)
        return;
    if (t->kind == RF_STMT_DECL && is_idle(em, fused, t->var))
        RF_PUSH(*out, no_use(em, t->var));
    if (rf_stmt_holds(t->body, p->block))
        visit(em, t->body, fused, out);
    if (rf_stmt_holds(t->orelse, p->block))
        visit(em, t->orelse, fused, out);
    unsigned n = t == p->block ? p->first : t->n;
    for (unsigned i = 0; i < n; i++)
        if (!t->list[i]->is_scope || rf_stmt_holds(t->list[i], p->block))
            visit(em, t->list[i], fused, out);
}

void rf_emit_unused(rf_emitter *em, const rf_stmts *fused, rf_stmts *out)
{
    size_t before = out->len;
    visit(em, em->plan->func->body, fused, out);
    if (out->len > before)
        out->data[before]->text = "only the reference uses this";
}
