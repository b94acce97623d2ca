/* What only the replaced statements used: a scratch array, a tile, a pointer.
 *
 * Where its declaration stands in the region, the fused branch goes without it:
 * scratch memory is given back. Elsewhere it stays for the reference, and the
 * fused code says that it has no use for it, so that no compiler has to. */
#include "emit/emitting.h"

#include "ir/math.h"

#include <string.h>

typedef RF_ARRAY(const rf_stmt *) declarations;

typedef struct {
    const rf_unit *unit;
    const rf_var *var;
    const rf_stmt *block; /* its statements first..last do not count */
    unsigned first, last;
    const declarations *gone; /* nor do these; may be NULL */
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

static bool is_gone(const rf_stmt *t, const declarations *gone)
{
    for (size_t i = 0; gone && i < gone->len; i++)
        if (gone->data[i] == t)
            return true;
    return false;
}

/* Does anything but its declaration name the variable? A plain assignment
 * does if "written". */
static bool uses(const rf_stmt *t, const search *s, bool written)
{
    if (!t || is_gone(t, s->gone))
        return false;
    if (t->kind == RF_STMT_OPAQUE || t->kind == RF_STMT_ALIAS)
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

/* ---- declarations ---- */

typedef struct {
    rf_emitter *em;
    const rf_region *region; /* or NULL */
    const rf_stmts *fused;
    declarations idle, gone;
} sweep;

/* True if the fused code has no use for "t", which the replaced one had, or
 * which a declaration had that is gone. */
static bool is_idle(const sweep *w, const rf_stmt *t)
{
    const rf_plan *p = w->em->plan;
    search all = { .unit = w->em->unit, .var = t->var };
    search rest = {
        w->em->unit, t->var, p->block, p->first, p->last, &w->gone
    };
    bool used =
        any_uses(p->block->list + p->first, p->last - p->first + 1, &all);
    for (size_t i = 0; !used && i < w->gone.len; i++)
        used = names(w->gone.data[i]->expr, &all, true);
    return used && !any_uses(w->fused->data, w->fused->len, &all) &&
           !uses(p->func->body, &rest, false);
}

static bool has_effect(const rf_expr *e, const void *unused)
{
    (void)unused;
    bool known = e->op != RF_OP_CALL ||
                 (!e->callee && rf_math_find(e->name) != RF_MATH_NONE);
    return !known || e->op == RF_OP_OPAQUE || rf_op_assigns(e->op);
}

/* A class may do something where it is declared. */
static bool is_plain(const rf_type *t)
{
    return t->kind == RF_TYPE_ARRAY ? is_plain(t->elem)
                                    : t->kind <= RF_TYPE_POINTER;
}

static bool may_go(const sweep *w, const rf_stmt *t)
{
    if (!w->region || t->in_macro || !is_plain(t->var->type) ||
        rf_expr_find(t->expr, has_effect, NULL))
        return false;
    rf_range whole = rf_region_range(w->region);
    return whole.begin < t->at.begin && t->at.end <= whole.end;
}

/* The declarations in "t" that are in scope at the replaced statements; those
 * of "alone" have a statement for themselves. */
static void visit(sweep *w, const rf_stmt *t, bool alone)
{
    const rf_plan *p = w->em->plan;
    if (!t)
        return;
    if (t->kind == RF_STMT_DECL && !is_gone(t, &w->idle) && is_idle(w, t)) {
        RF_PUSH(w->idle, t);
        if (alone && may_go(w, t))
            RF_PUSH(w->gone, t);
    }
    if (rf_stmt_holds(t->body, p->block))
        visit(w, t->body, true);
    if (rf_stmt_holds(t->orelse, p->block))
        visit(w, t->orelse, true);
    unsigned n = t == p->block ? p->first : t->n;
    for (unsigned i = 0; i < n; i++)
        if (!t->list[i]->is_scope || rf_stmt_holds(t->list[i], p->block))
            visit(w, t->list[i], t->is_scope);
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

/* ---- lines ---- */

static bool is_blank(const char *bytes, uint32_t begin, uint32_t end)
{
    return strspn(bytes + begin, " \t\r") >= end - begin;
}

static uint32_t line_begin(const char *bytes, uint32_t at)
{
    while (at > 0 && bytes[at - 1] != '\n')
        at--;
    return at;
}

static uint32_t line_end(const char *bytes, uint32_t at)
{
    return at + (uint32_t)strcspn(bytes + at, "\n");
}

/* A comment above belongs to the declaration if nothing else is below it. */
static uint32_t with_comment(const char *bytes, uint32_t begin, uint32_t next)
{
    if (!is_blank(bytes, next, line_end(bytes, next)))
        return begin;
    while (begin > 0) {
        uint32_t above = line_begin(bytes, begin - 1);
        if (strncmp(bytes + above + strspn(bytes + above, " \t"), "//", 2))
            break;
        begin = above;
    }
    return begin;
}

/* The whole lines of "t" where it is alone in them, with what is said about
 * it and one of two blank lines. */
static rf_emitted lines_of(const char *bytes, const rf_stmt *t)
{
    rf_emitted out = { .begin = t->at.begin, .end = t->at.end, .text = "" };
    uint32_t begin = line_begin(bytes, t->at.begin);
    uint32_t end = line_end(bytes, t->at.end);
    size_t blanks = strspn(bytes + t->at.end, " \t");
    bool alone = is_blank(bytes, begin, t->at.begin) &&
                 (is_blank(bytes, t->at.end, end) ||
                  !strncmp(bytes + t->at.end + blanks, "//", 2));
    if (!alone || !bytes[end])
        return out;
    out.end = end + 1;
    out.begin = with_comment(bytes, begin, out.end);
    uint32_t below = line_end(bytes, out.end);
    bool doubled =
        out.begin > 1 && bytes[below] &&
        is_blank(bytes, line_begin(bytes, out.begin - 1), out.begin - 1) &&
        is_blank(bytes, out.end, below);
    if (doubled)
        out.end = below + 1;
    return out;
}

void rf_emit_unused(rf_emitter *em, const rf_region *region,
                    const rf_stmts *fused, rf_stmts *out, rf_emitted_list *gone)
{
    sweep w = { .em = em, .region = region, .fused = fused };
    size_t before = out->len, found;
    do {
        found = w.gone.len;
        visit(&w, em->plan->func->body, true);
    } while (w.gone.len > found);
    for (size_t i = 0; i < w.idle.len; i++)
        if (!is_gone(w.idle.data[i], &w.gone))
            RF_PUSH(*out, no_use(em, w.idle.data[i]->var));
    for (size_t i = 0; i < w.gone.len; i++)
        RF_PUSH(*gone, lines_of(em->unit->bytes, w.gone.data[i]));
    if (out->len > before)
        out->data[before]->text = "only the reference uses this";
    RF_CLEAR(w.idle);
    RF_CLEAR(w.gone);
}
