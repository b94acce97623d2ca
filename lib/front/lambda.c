/* Lambdas: which variables one captures, and how.
 *
 * A lambda is an opaque expression whose operands are its captures: VAR by
 * value, an implicit ADDRESS by reference, each placed where it is written or
 * else first used. A call of one has it as first operand, with the variable
 * that holds it as last capture, so that every walk over the call sees what
 * the body reads. */
#include "front/reader.h"

#include <string.h>

typedef struct {
    rf_reader *r;
    rf_range at;       /* of the lambda */
    bool by_reference; /* what is not named in [] */
    bool is_clear;     /* all captures could be read */
    RF_ARRAY(rf_expr *) captures;
} captures;

static rf_var *captured_by(const rf_expr *capture)
{
    return capture->op == RF_OP_ADDRESS ? capture->arg[0]->var : capture->var;
}

/* A variable of the function around the lambda. */
static rf_var *outer_variable(const captures *c, CXCursor use)
{
    CXCursor to = clang_getCursorReferenced(use);
    enum CXCursorKind kind = clang_getCursorKind(to);
    if (clang_Cursor_isNull(to) ||
        (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl))
        return NULL;
    rf_range at = rf_cursor_range(c->r, to);
    rf_var *v = rf_read_var(c->r, to);
    bool is_local = (v->storage == RF_VAR_LOCAL && !v->is_static) ||
                    v->storage == RF_VAR_PARAM;
    return is_local && (at.begin < c->at.begin || at.begin >= c->at.end) ? v
                                                                         : NULL;
}

static void capture(captures *c, CXCursor use, bool by_reference)
{
    rf_var *v = outer_variable(c, use);
    for (size_t i = 0; v && i < c->captures.len; i++)
        if (captured_by(c->captures.data[i]) == v)
            return;
    if (!v)
        return;
    rf_expr *e = rf_expr_var(c->r->arena, v);
    e->at = rf_public_range(c->r, rf_cursor_range(c->r, use));
    if (by_reference) {
        rf_expr *address =
            rf_expr_new(c->r->arena, RF_OP_ADDRESS, v->type, 1, &e);
        address->is_implicit = true;
        address->at = e->at;
        e = address;
    }
    RF_PUSH(c->captures, e);
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent,
                                     CXClientData data)
{
    captures *c = data;
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr)
        capture(c, cursor, c->by_reference);
    return CXChildVisit_Recurse;
}

/* `[&`, `[=`, `[`, and the captures that are written down. */
static void read_introducer(captures *c, const rf_cursors *parts)
{
    const rf_source *s = c->r->source;
    size_t first = rf_cx_token_next(s, rf_token_from(s, c->at.begin));
    size_t second = rf_cx_token_next(s, first);
    c->by_reference =
        rf_token_is(s, first, "&") &&
        (rf_token_is(s, second, "]") || rf_token_is(s, second, ","));
    for (size_t i = 0; i < parts->len; i++) {
        enum CXCursorKind kind = clang_getCursorKind(parts->data[i]);
        rf_range at = rf_cursor_range(c->r, parts->data[i]);
        c->is_clear &= kind != CXCursor_VarDecl; /* [a = e] */
        if (kind != CXCursor_VariableRef || at.begin == UINT32_MAX)
            continue;
        size_t before = rf_token_prev(s, rf_token_from(s, at.begin));
        capture(c, parts->data[i], rf_token_is(s, before, "&"));
    }
}

/* What the body changes counts as changed, even if it is never called here. */
static void read_body(captures *c, CXCursor body)
{
    rf_func f = { .body = rf_read_stmt(c->r, body) };
    rf_mark_assigned(&f);
    clang_visitChildren(body, visit, c);
}

rf_expr *rf_read_lambda(rf_reader *r, CXCursor cursor, rf_var *holder)
{
    captures c = { .r = r, .at = rf_cursor_range(r, cursor), .is_clear = true };
    rf_cursors parts = rf_children(cursor);
    if (c.at.begin != UINT32_MAX && !rf_source_in_macro(r->source, c.at)) {
        read_introducer(&c, &parts);
        for (size_t i = 0; i < parts.len; i++)
            if (clang_getCursorKind(parts.data[i]) == CXCursor_CompoundStmt)
                read_body(&c, parts.data[i]);
    } else {
        c.is_clear = false;
    }
    RF_CLEAR(parts);
    if (!c.is_clear) {
        RF_CLEAR(c.captures);
        return rf_opaque(r, cursor, "lambda");
    }
    if (holder)
        RF_PUSH(c.captures, rf_expr_var(r->arena, holder));
    rf_expr *e = rf_expr_of(r, cursor, RF_OP_OPAQUE, (unsigned)c.captures.len,
                            c.captures.data);
    RF_CLEAR(c.captures);
    e->name = "closure";
    e->spelling = rf_cursor_text(r, cursor);
    e->var = holder;
    return e;
}

/* ---- calls ---- */

static enum CXChildVisitResult find(CXCursor c, CXCursor parent,
                                    CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_LambdaExpr) {
        *(CXCursor *)data = c;
        return CXChildVisit_Break;
    }
    return clang_isExpression(clang_getCursorKind(c)) ? CXChildVisit_Recurse
                                                      : CXChildVisit_Continue;
}

rf_expr *rf_read_closure(rf_reader *r, CXCursor object)
{
    CXCursor lambda = clang_getNullCursor();
    rf_var *holder = NULL;
    if (clang_getCursorKind(object) == CXCursor_LambdaExpr)
        return rf_read_lambda(r, object, NULL);
    CXCursor to = clang_getCursorReferenced(object);
    if (clang_Cursor_isNull(to) || clang_getCursorKind(to) != CXCursor_VarDecl)
        return NULL;
    clang_visitChildren(to, find, &lambda);
    if (clang_Cursor_isNull(lambda))
        return NULL;
    holder = rf_read_var(r, to);
    return rf_read_lambda(r, lambda, holder);
}
