/* Variables: one rf_var for each declaration, the built-in ones by name. */
#include "front/reader.h"

#include <string.h>

static const char *const builtin_names[] = { "threadIdx", "blockIdx",
                                             "blockDim", "gridDim",
                                             "warpSize" };

bool rf_is_builtin_name(const char *name)
{
    for (size_t i = 0; i < RF_COUNTOF(builtin_names); i++)
        if (!strcmp(name, builtin_names[i]))
            return true;
    return false;
}

rf_var *rf_builtin_var(rf_reader *r, const char *name, const rf_type *type)
{
    for (size_t i = 0; i < r->builtins.len; i++)
        if (!strcmp(r->builtins.data[i]->name, name))
            return r->builtins.data[i];
    rf_var *v = RF_NEW(r->arena, rf_var);
    v->name = rf_arena_strdup(r->arena, name);
    v->type = type;
    v->storage = RF_VAR_BUILTIN;
    v->is_const = true;
    v->at = RF_NOWHERE;
    v->id = r->next_id++;
    RF_PUSH(r->builtins, v);
    return v;
}

static bool is_in_function(CXCursor decl)
{
    enum CXCursorKind k =
        clang_getCursorKind(clang_getCursorSemanticParent(decl));
    return k == CXCursor_FunctionDecl || k == CXCursor_CXXMethod ||
           k == CXCursor_FunctionTemplate || k == CXCursor_Constructor ||
           k == CXCursor_Destructor || k == CXCursor_ConversionFunction ||
           k == CXCursor_LambdaExpr;
}

static rf_storage storage_of(CXCursor decl)
{
    enum CXCursorKind kind = clang_getCursorKind(decl);
    if (kind == CXCursor_ParmDecl)
        return RF_VAR_PARAM;
    if (kind == CXCursor_NonTypeTemplateParameter)
        return RF_VAR_TEMPLATE;
    if (rf_cursor_has_child(decl, CXCursor_CUDASharedAttr))
        return RF_VAR_SHARED;
    if (rf_cursor_has_child(decl, CXCursor_CUDAConstantAttr))
        return RF_VAR_CONSTANT;
    if (is_in_function(decl))
        return RF_VAR_LOCAL;
    CXType type = clang_getCanonicalType(clang_getCursorType(decl));
    return clang_isConstQualifiedType(type) ? RF_VAR_CONSTANT : RF_VAR_GLOBAL;
}

static bool is_static_local(CXCursor decl)
{
    return is_in_function(decl) &&
           clang_Cursor_getStorageClass(decl) == CX_SC_Static;
}

rf_var *rf_read_var(rf_reader *r, CXCursor decl)
{
    CXCursor key = clang_getCanonicalCursor(decl);
    rf_var *v = rf_map_get(&r->vars, key);
    if (v)
        return v;
    const char *name = rf_cursor_name(r, decl);
    const rf_type *type = rf_read_type(r, clang_getCursorType(decl));
    if (rf_is_builtin_name(name) && rf_cursor_is_system(decl))
        return rf_builtin_var(r, name, type);
    v = RF_NEW(r->arena, rf_var);
    rf_map_put(&r->vars, key, v);
    v->name = name;
    v->type = type;
    v->storage = storage_of(decl);
    v->is_static = is_static_local(decl);
    v->is_const = v->storage != RF_VAR_GLOBAL && v->storage != RF_VAR_SHARED;
    v->at = rf_public_range(r, rf_cursor_range(r, decl));
    v->id = r->next_id++;
    return v;
}

static enum CXChildVisitResult forget(CXCursor c, CXCursor parent,
                                      CXClientData data)
{
    (void)parent;
    CXCursor to = clang_getCursorReferenced(c);
    enum CXCursorKind kind = clang_getCursorKind(to);
    if (clang_getCursorKind(c) == CXCursor_DeclRefExpr &&
        (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl)) {
        rf_var *v = rf_read_var(data, to);
        v->is_const &= v->storage == RF_VAR_BUILTIN;
    }
    return CXChildVisit_Recurse;
}

void rf_forget_inside(rf_reader *r, CXCursor cursor)
{
    clang_visitChildren(cursor, forget, r);
}
