/* Launches of kernels in the host code: which kernel, how many threads. With
 * our header the configuration is a call of cudaConfigureCall, with the
 * toolkit's one of __cudaPushCallConfiguration. */
#include "front/reader.h"

#include <string.h>

static bool is_configuration(rf_reader *r, CXCursor c)
{
    const char *name = rf_cursor_name(r, c);
    return clang_getCursorKind(c) == CXCursor_CallExpr && name &&
           (!strcmp(name, "cudaConfigureCall") ||
            !strcmp(name, "__cudaPushCallConfiguration"));
}

static bool evaluate(CXCursor c, int64_t *out)
{
    CXEvalResult e = clang_Cursor_Evaluate(c);
    bool known = e && clang_EvalResult_getKind(e) == CXEval_Int;
    if (known)
        *out = clang_EvalResult_getAsLongLong(e);
    if (e)
        clang_EvalResult_dispose(e);
    return known;
}

/* dim3(x, y, z) as written, through the conversions around it. */
static void read_dimensions(CXCursor c, int64_t *out)
{
    for (int depth = 0; depth < 6; depth++) {
        if (evaluate(c, &out[0])) {
            out[1] = out[2] = 1;
            return;
        }
        int n = clang_Cursor_getNumArguments(c);
        if (clang_getCursorKind(c) == CXCursor_CallExpr && n > 1) {
            for (int i = 0; i < 3; i++)
                if (i >= n ||
                    !evaluate(clang_Cursor_getArgument(c, (unsigned)i),
                              &out[i]))
                    out[i] = i && i >= n ? 1 : out[i];
            return;
        }
        rf_cursors parts = rf_children(c);
        bool one = parts.len > 0;
        CXCursor next = one ? parts.data[parts.len - 1] : c;
        RF_CLEAR(parts);
        if (!one)
            return;
        c = next;
    }
}

/* The constructors and conversions around a dimension taken off. */
static CXCursor without_conversions(CXCursor c)
{
    for (int depth = 0; depth < 8; depth++) {
        enum CXCursorKind kind = clang_getCursorKind(c);
        bool call = kind == CXCursor_CallExpr;
        CXCursor of = clang_getCursorReferenced(c);
        if (call && clang_getCursorKind(of) != CXCursor_Constructor)
            return c;
        if (!call && kind != CXCursor_UnexposedExpr &&
            kind != CXCursor_ParenExpr)
            return c;
        rf_cursors parts = rf_children(c);
        CXCursor next = parts.len ? parts.data[0] : c;
        bool leaf = !parts.len;
        RF_CLEAR(parts);
        if (leaf)
            return c;
        c = next;
    }
    return c;
}

/* f<<<n, ...>>> with an integer n, not dim3(n, ...). */
static bool is_number(CXCursor c)
{
    CXType t =
        clang_getCanonicalType(clang_getCursorType(without_conversions(c)));
    return t.kind >= CXType_Char_U && t.kind <= CXType_Int128;
}

/* kernel<float, 256><<<...>>>: 256. */
static void read_values(CXCursor call, rf_kernel_launch *l)
{
    CXCursor of = clang_getCursorReferenced(call);
    int n = clang_Cursor_getNumTemplateArguments(of);
    for (int i = 0; i < n && l->n_values < RF_COUNTOF(l->values); i++) {
        if (clang_Cursor_getTemplateArgumentKind(of, (unsigned)i) !=
            CXTemplateArgumentKind_Integral)
            continue;
        l->place[l->n_values] = (unsigned)i;
        l->values[l->n_values++] =
            clang_Cursor_getTemplateArgumentValue(of, (unsigned)i);
    }
}

static void read_launch(rf_reader *r, CXCursor call, CXCursor configuration)
{
    rf_kernel_launch l = { .kernel = rf_cursor_name(r, call),
                           .grid = { -1, -1, -1 },
                           .block = { -1, -1, -1 },
                           .at = rf_cursor_range(r, call) };
    if (clang_Cursor_getNumArguments(configuration) > 1) {
        CXCursor grid = clang_Cursor_getArgument(configuration, 0);
        CXCursor block = clang_Cursor_getArgument(configuration, 1);
        read_dimensions(grid, l.grid);
        read_dimensions(block, l.block);
        l.grid_is_number = is_number(grid);
        l.block_is_number = is_number(block);
    }
    read_values(call, &l);
    if (l.kernel)
        RF_PUSH(r->launches, l);
}

/* Written in the file, maybe as the argument of a macro. */
static bool is_in_file(rf_reader *r, CXCursor c)
{
    CXFile file = NULL;
    clang_getExpansionLocation(clang_getCursorLocation(c), &file, NULL, NULL,
                               NULL);
    return file && clang_File_isEqual(file, r->source->file);
}

static enum CXChildVisitResult visit(CXCursor c, CXCursor parent,
                                     CXClientData data)
{
    (void)parent;
    rf_reader *r = data;
    if (!is_in_file(r, c))
        return CXChildVisit_Continue;
    rf_read_instance(r, c);
    if (clang_getCursorKind(c) == CXCursor_CallExpr) {
        rf_cursors parts = rf_children(c);
        for (size_t i = 0; i < parts.len; i++)
            if (is_configuration(r, parts.data[i]))
                read_launch(r, c, parts.data[i]);
        RF_CLEAR(parts);
    }
    return CXChildVisit_Recurse;
}

void rf_read_launches(rf_reader *r)
{
    clang_visitChildren(clang_getTranslationUnitCursor(r->tu), visit, r);
    rf_unit *u = r->unit;
    u->launches.len = u->launches.cap = r->launches.len;
    u->launches.data =
        RF_NEW_ARRAY(r->arena, r->launches.len, rf_kernel_launch);
    for (size_t i = 0; i < r->launches.len; i++)
        u->launches.data[i] = r->launches.data[i];
    RF_CLEAR(r->launches);
}
