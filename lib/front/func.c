/* Functions: heads, parameters, bodies. Each definition is read once; a call
 * of a function that is still being read makes both of them recursive. */
#include "front/reader.h"

#include <string.h>

static CXFile file_of(CXCursor cursor)
{
    CXFile file;
    CXSourceRange range = clang_getCursorExtent(cursor);
    clang_getFileLocation(clang_getRangeStart(range), &file, NULL, NULL, NULL);
    return file;
}

/* True if the declaration before token "i" ends there. */
static bool ends_declaration(const rf_source *s, size_t i)
{
    return i >= s->tokens.len || rf_token_is(s, i, ";") ||
           rf_token_is(s, i, "}") || rf_token_is(s, i, "{") ||
           rf_token_is(s, i, ":");
}

/* The extent of a definition leaves out attributes before the type. */
static rf_range whole_range(rf_reader *r, CXCursor cursor)
{
    rf_range at = rf_cursor_range(r, cursor);
    if (at.begin == UINT32_MAX)
        return at;
    const rf_source *s = r->source;
    size_t i = rf_token_prev(s, rf_token_from(s, at.begin));
    for (; !ends_declaration(s, i); i = rf_token_prev(s, i))
        at.begin = s->tokens.data[i].begin;
    return at;
}

/* Find the argument text of `word(...)` in the head of a function. */
static const char *head_arguments(rf_reader *r, rf_range at, const char *word)
{
    const rf_source *s = r->source;
    size_t i = rf_token_from(s, at.begin);
    while (i < s->tokens.len && s->tokens.data[i].begin < at.end &&
           !rf_token_is(s, i, word) && !rf_token_is(s, i, "{"))
        i = rf_cx_token_next(s, i);
    size_t open = rf_cx_token_next(s, i);
    if (!rf_token_is(s, i, word) || !rf_token_is(s, open, "("))
        return NULL;
    int depth = 0;
    for (i = open; i < s->tokens.len; i = rf_cx_token_next(s, i)) {
        depth += rf_token_is(s, i, "(") - rf_token_is(s, i, ")");
        if (!depth)
            return rf_source_text(r, s,
                                  (rf_range){ s->tokens.data[open].end,
                                              s->tokens.data[i].begin });
    }
    return NULL;
}

/* What a namespace without a name holds is seen around it. */
static const char *scope_of(rf_reader *r, CXCursor cursor)
{
    const char *scope = "";
    CXCursor c = clang_getCursorSemanticParent(cursor);
    for (; clang_isDeclaration(clang_getCursorKind(c));
         c = clang_getCursorSemanticParent(c))
        if (!clang_Cursor_isAnonymous(c) && !clang_Cursor_isInlineNamespace(c))
            scope = rf_arena_printf(r->arena, "%s::%s", rf_cursor_name(r, c),
                                    scope);
    return scope;
}

static void read_head(rf_reader *r, rf_func *f, CXCursor cursor)
{
    f->name = rf_cursor_name(r, cursor);
    f->scope = scope_of(r, cursor);
    f->is_kernel = rf_cursor_has_child(cursor, CXCursor_CUDAGlobalAttr);
    f->is_device = rf_cursor_has_child(cursor, CXCursor_CUDADeviceAttr);
    f->is_host = rf_cursor_has_child(cursor, CXCursor_CUDAHostAttr) ||
                 (!f->is_kernel && !f->is_device);
    f->is_const_method = clang_CXXMethod_isConst(cursor);
    f->is_template = clang_getCursorKind(cursor) == CXCursor_FunctionTemplate;
    f->result = rf_read_type(r, clang_getCursorResultType(cursor));
    rf_range at = whole_range(r, cursor);
    f->at = rf_public_range(r, at);
    f->has_error = rf_has_error(r, r->source->file, at);
    if (at.begin != UINT32_MAX)
        f->launch_bounds = head_arguments(r, at, "__launch_bounds__");
}

static void read_params(rf_reader *r, rf_func *f, const rf_cursors *parts)
{
    f->params = RF_NEW_ARRAY(r->arena, parts->len, rf_var *);
    f->template_params = RF_NEW_ARRAY(r->arena, parts->len, rf_var *);
    for (size_t i = 0; i < parts->len; i++) {
        enum CXCursorKind kind = clang_getCursorKind(parts->data[i]);
        if (kind == CXCursor_NonTypeTemplateParameter)
            f->template_params[f->n_template++] =
                rf_read_var(r, parts->data[i]);
        f->has_template_types |= kind == CXCursor_TemplateTypeParameter ||
                                 kind == CXCursor_TemplateTemplateParameter;
    }
    for (size_t i = 0; i < parts->len; i++)
        if (clang_getCursorKind(parts->data[i]) == CXCursor_ParmDecl)
            f->params[f->n_params++] = rf_read_var(r, parts->data[i]);
}

static void read_parts(rf_reader *r, rf_func *f, CXCursor cursor)
{
    rf_cursors parts = rf_children(cursor);
    read_params(r, f, &parts);
    rf_read_type_params(r, f, cursor);
    if (clang_getCursorKind(cursor) == CXCursor_Constructor) {
        rf_read_constructor_body(r, f, cursor, &parts);
        RF_CLEAR(parts);
        return;
    }
    for (size_t i = 0; i < parts.len; i++)
        if (clang_getCursorKind(parts.data[i]) == CXCursor_CompoundStmt)
            f->body = rf_read_stmt(r, parts.data[i]);
    RF_CLEAR(parts);
}

/* ---- constructors that do nothing ---- */

static bool is_plain_record(CXType type);

static bool is_plain_part(CXCursor part)
{
    enum CXCursorKind kind = clang_getCursorKind(part);
    if (kind == CXCursor_CXXBaseSpecifier)
        return is_plain_record(clang_getCursorType(part));
    if (kind != CXCursor_FieldDecl)
        return kind != CXCursor_Constructor ||
               !clang_CXXConstructor_isDefaultConstructor(part) ||
               clang_CXXMethod_isDefaulted(part);
    rf_cursors list = rf_operands(part);
    bool plain = list.len == 0;
    RF_CLEAR(list);
    return plain && is_plain_record(clang_getCursorType(part));
}

/* True if objects of "type" begin uninitialised, field by field. */
static bool is_plain_record(CXType type)
{
    type = clang_getCanonicalType(type);
    while (type.kind == CXType_ConstantArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    if (type.kind != CXType_Record)
        return true;
    rf_cursors parts = rf_children(clang_getTypeDeclaration(type));
    bool plain = true;
    for (size_t i = 0; i < parts.len && plain; i++)
        plain = is_plain_part(parts.data[i]);
    RF_CLEAR(parts);
    return plain;
}

bool rf_is_plain_constructor(CXCursor constructor)
{
    if (!clang_CXXConstructor_isDefaultConstructor(constructor))
        return false;
    CXCursor record = clang_getCursorSemanticParent(constructor);
    return rf_cursor_is_system(record) ||
           is_plain_record(clang_getCursorType(record));
}

/* Mark "f", which is being read, and all that it called on the way here. */
static void mark_recursive(rf_reader *r, rf_func *f)
{
    bool inside = false;
    for (size_t i = 0; i < r->stack.len; i++) {
        inside |= r->stack.data[i] == f;
        r->stack.data[i]->is_recursive |= inside;
    }
}

rf_func *rf_read_func(rf_reader *r, CXCursor cursor)
{
    rf_func *f = rf_map_get(&r->funcs, cursor);
    if (f) {
        mark_recursive(r, f);
        return f;
    }
    CXFile file = file_of(cursor);
    if (!file)
        return NULL;
    f = RF_NEW(r->arena, rf_func);
    rf_map_put(&r->funcs, cursor, f);
    rf_source *source = r->source;
    rf_range outer = r->outer_macro;
    r->source = rf_source_of(r, file);
    r->outer_macro = RF_NOWHERE;
    RF_PUSH(r->stack, f);
    read_head(r, f, cursor);
    read_parts(r, f, cursor);
    (void)RF_POP(r->stack);
    r->source = source;
    r->outer_macro = outer;
    rf_mark_assigned(f);
    return f;
}
