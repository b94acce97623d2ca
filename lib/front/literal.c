/* Literals and what libclang can compute: values beside the author's words. */
#include "front/reader.h"

#include <ctype.h>
#include <string.h>

bool rf_read_constant(rf_reader *r, CXCursor cursor, rf_expr *e)
{
    (void)r;
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    if (!result)
        return false;
    CXEvalResultKind kind = clang_EvalResult_getKind(result);
    bool is_float = e->type->kind == RF_TYPE_FLOAT;
    if (kind == CXEval_Float && is_float) {
        e->op = RF_OP_FLOAT;
        e->value.f = clang_EvalResult_getAsDouble(result);
    } else if (kind == CXEval_Int && !is_float) {
        e->op = RF_OP_INT;
        e->value.i = clang_EvalResult_getAsLongLong(result);
    } else {
        kind = CXEval_UnExposed;
    }
    clang_EvalResult_dispose(result);
    if (kind != CXEval_UnExposed)
        e->n = 0;
    return kind != CXEval_UnExposed;
}

/* The literal's own text, unless it stands inside a macro's definition. */
static const char *literal_text(rf_reader *r, CXCursor cursor)
{
    rf_range at = rf_cursor_range(r, cursor);
    const rf_source *s = r->source;
    size_t i = rf_token_from(s, at.begin);
    if (at.begin == UINT32_MAX || i >= s->tokens.len)
        return NULL;
    const rf_token *t = &s->tokens.data[i];
    if (t->begin != at.begin || t->end != at.end)
        return NULL;
    return rf_source_text(r, s, at);
}

rf_expr *rf_read_literal(rf_reader *r, CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    rf_expr *e = rf_expr_of(r, cursor, RF_OP_INT, 0, NULL);
    e->spelling = literal_text(r, cursor);
    if (kind == CXCursor_StringLiteral) {
        e->op = RF_OP_STRING;
        e->spelling = rf_cursor_name(r, cursor);
    } else if (kind != CXCursor_CXXNullPtrLiteralExpr &&
               kind != CXCursor_GNUNullExpr &&
               !rf_read_constant(r, cursor, e)) {
        e->op = RF_OP_OPAQUE;
        e->name = "literal";
    }
    return e;
}
