/* What the templates of the file are made for: k<int>(...), S<int>::f(...) and
 * `template void k<int>(...);` say that T may be an integer, whose division
 * truncates and whose sums wrap; k<__half> says that it may round. */
#include "front/reader.h"

#include <string.h>

static bool is_class_template(CXCursor c)
{
    enum CXCursorKind kind = clang_getCursorKind(c);
    return kind == CXCursor_ClassTemplate ||
           kind == CXCursor_ClassTemplatePartialSpecialization;
}

static void add_types(rf_reader *r, rf_func *f, CXCursor of)
{
    rf_cursors parts = rf_children(of);
    rf_type_param *list =
        RF_NEW_ARRAY(r->arena, f->n_types + parts.len + 1, rf_type_param);
    if (f->n_types)
        memcpy(list, f->types, f->n_types * sizeof *list);
    f->types = list;
    for (size_t i = 0; i < parts.len; i++)
        if (clang_getCursorKind(parts.data[i]) ==
            CXCursor_TemplateTypeParameter)
            f->types[f->n_types++] =
                (rf_type_param){ .name = rf_cursor_name(r, parts.data[i]) };
    RF_CLEAR(parts);
}

void rf_read_type_params(rf_reader *r, rf_func *f, CXCursor cursor)
{
    CXCursor parent = clang_getCursorSemanticParent(cursor);
    if (clang_getCursorKind(cursor) == CXCursor_FunctionTemplate)
        add_types(r, f, cursor);
    if (is_class_template(parent))
        add_types(r, f, parent);
}

static void note_type(rf_reader *r, rf_func *f, const char *name, CXType type,
                      CXCursor at)
{
    const rf_type *t = rf_read_type(r, type);
    rf_type_param *param = NULL;
    for (unsigned i = 0; i < f->n_types; i++)
        if (!strcmp(f->types[i].name, name))
            param = &f->types[i];
    if (!param)
        return;
    if (t->kind == RF_TYPE_FLOAT &&
        (!param->narrowest || t->bits < param->narrowest)) {
        param->narrowest = t->bits;
        param->narrow = t->spelling;
        param->narrow_at = rf_cursor_range(r, at);
    }
    bool is_open = t->kind == RF_TYPE_DEPENDENT || type.kind == CXType_Invalid;
    if (!is_open && (t->kind != RF_TYPE_FLOAT || t->bits < 16)) {
        param->other = t->spelling;
        param->other_at = rf_cursor_range(r, at);
    }
}

/* Argument "k" of the instance "to" of a function or class. */
static CXType argument(CXCursor to, unsigned k, bool is_class)
{
    return is_class ? clang_Type_getTemplateArgumentAsType(
                          clang_getCursorType(to), k)
                    : clang_Cursor_getTemplateArgumentType(to, k);
}

/* Use "c" of "f" names the instance "to" of template "from". */
static void note_arguments(rf_reader *r, rf_func *f, CXCursor to, CXCursor from,
                           CXCursor c)
{
    bool is_class = is_class_template(from);
    rf_cursors parts = rf_children(from);
    unsigned k = 0;
    for (size_t i = 0; i < parts.len; i++) {
        enum CXCursorKind kind = clang_getCursorKind(parts.data[i]);
        if (kind == CXCursor_TemplateTypeParameter)
            note_type(r, f, rf_cursor_name(r, parts.data[i]),
                      argument(to, k, is_class), c);
        k += kind == CXCursor_TemplateTypeParameter ||
             kind == CXCursor_NonTypeTemplateParameter ||
             kind == CXCursor_TemplateTemplateParameter;
    }
    RF_CLEAR(parts);
}

void rf_read_instance(rf_reader *r, CXCursor c)
{
    CXCursor to = clang_getCursorReferenced(c);
    CXCursor from = clang_getSpecializedCursorTemplate(to);
    rf_func *f = clang_Cursor_isNull(from) ? NULL : rf_map_get(&r->funcs, from);
    if (!f || !f->n_types)
        return;
    CXCursor owner = clang_getCursorSemanticParent(from);
    if (clang_Cursor_getNumTemplateArguments(to) > 0)
        note_arguments(r, f, to, from, c);
    if (is_class_template(owner))
        note_arguments(r, f, clang_getCursorSemanticParent(to), owner, c);
}
