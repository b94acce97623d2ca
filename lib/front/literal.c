/* Literals and what libclang can compute: values beside the author's words. */
#include "front/reader.h"

#include <ctype.h>
#include <math.h>
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

static bool is_number_byte(const char *b, size_t i)
{
    char c = b[i];
    bool is_sign = (c == '+' || c == '-') && i > 0 && strchr("eEpP", b[i - 1]);
    return isalnum((unsigned char)c) || c == '.' || c == '\'' || c == '_' ||
           is_sign;
}

/* The literal as spelled where it is written, in a macro's definition too. */
static const char *literal_text(rf_reader *r, CXCursor cursor)
{
    CXFile file;
    unsigned at;
    CXSourceRange range = clang_getCursorExtent(cursor);
    clang_getSpellingLocation(clang_getRangeStart(range), &file, NULL, NULL,
                              &at);
    size_t size, n = 0;
    const char *b = file ? clang_getFileContents(r->tu, file, &size) : NULL;
    if (!b || at >= size)
        return NULL;
    bool is_hex = at + 1 < size && b[at] == '0' && (b[at + 1] | 32) == 'x';
    while (at + n < size && is_number_byte(b + at, n) &&
           (!is_hex || isalnum((unsigned char)b[at + n]) ||
            strchr(".\'_", b[at + n]) || strchr("pP", b[at + n - 1])))
        n++;
    return n ? rf_arena_strndup(r->arena, b + at, n) : NULL;
}

rf_expr *rf_read_literal(rf_reader *r, CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    rf_expr *e = rf_expr_of(r, cursor, RF_OP_INT, 0, NULL);
    if (kind != CXCursor_CharacterLiteral)
        e->spelling = literal_text(r, cursor);
    else
        e->spelling = rf_cursor_text(r, cursor);
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

/* ---- bit patterns ---- */

static double float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}

static double double_of(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

/* Decode a half: 5 bits of exponent, 10 of mantissa. */
static double half_of(uint64_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double sign = bits >> 15 & 1 ? -1 : 1;
    if (exponent == 31)
        return mantissa ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(mantissa, -24);
    return sign * ldexp(mantissa + 1024, exponent - 25);
}

static double bfloat16_of(uint64_t bits)
{
    return float_of((bits & 0xffff) << 16);
}

static const struct {
    const char *name;
    double (*value)(uint64_t bits);
} patterns[] = {
    { "__int_as_float", float_of },
    { "__uint_as_float", float_of },
    { "__longlong_as_double", double_of },
    { "__ushort_as_half", half_of },
    { "__short_as_half", half_of },
    { "__ushort_as_bfloat16", bfloat16_of },
};

/* The literal below conversions between integers. */
static const rf_expr *literal_below(const rf_expr *e)
{
    while (e->op == RF_OP_CAST && e->type && e->type->kind == RF_TYPE_INT)
        e = e->arg[0];
    return e->op == RF_OP_INT ? e : NULL;
}

bool rf_fold_bits(rf_expr *call)
{
    const rf_expr *bits = call->n == 1 ? literal_below(call->arg[0]) : NULL;
    for (size_t i = 0; bits && i < RF_COUNTOF(patterns); i++) {
        if (!call->name || strcmp(call->name, patterns[i].name))
            continue;
        call->op = RF_OP_FLOAT;
        call->value.f = patterns[i].value((uint64_t)bits->value.i);
        return true;
    }
    return false;
}
