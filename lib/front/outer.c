/* Names that a generated variable would hide, or that would replace it: what
 * the file declares outside functions, its macros, and variables of other
 * files that its functions use. libclang keeps to itself what stands in front
 * of the first declaration, so macros come from the tokens. */
#include "front/reader.h"

#include <string.h>

typedef struct {
    rf_reader *r;
    RF_ARRAY(const char *) names;
} visit_data;

static bool is_scope(enum CXCursorKind kind)
{
    return kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
           kind == CXCursor_EnumDecl || kind == CXCursor_UnexposedDecl;
}

static bool has_name(enum CXCursorKind kind)
{
    return kind == CXCursor_VarDecl || kind == CXCursor_FunctionDecl ||
           kind == CXCursor_FunctionTemplate ||
           kind == CXCursor_EnumConstantDecl || kind == CXCursor_StructDecl ||
           kind == CXCursor_ClassDecl || kind == CXCursor_ClassTemplate ||
           kind == CXCursor_EnumDecl || kind == CXCursor_Namespace ||
           kind == CXCursor_TypedefDecl || kind == CXCursor_TypeAliasDecl;
}

static enum CXChildVisitResult visit(CXCursor c, CXCursor parent,
                                     CXClientData data)
{
    (void)parent;
    visit_data *v = data;
    enum CXCursorKind kind = clang_getCursorKind(c);
    if ((!has_name(kind) && !is_scope(kind)) ||
        !clang_Location_isFromMainFile(clang_getCursorLocation(c)))
        return CXChildVisit_Continue;
    const char *name = has_name(kind) ? rf_cursor_name(v->r, c) : "";
    if (*name)
        RF_PUSH(v->names, name);
    return is_scope(kind) ? CXChildVisit_Recurse : CXChildVisit_Continue;
}

static void take_macros(rf_reader *r, const rf_source *s)
{
    RF_ARRAY(const char *) names = { 0 };
    for (size_t i = 1; i + 1 < s->tokens.len; i++) {
        const rf_token *t = &s->tokens.data[i + 1];
        if (s->tokens.data[i].is_directive && !t->is_skipped &&
            rf_token_is(s, i, "define") && rf_token_is(s, i - 1, "#"))
            RF_PUSH(names,
                    rf_source_text(r, s, (rf_range){ t->begin, t->end }));
    }
    RF_PUBLISH(r->arena, r->unit->macro_names, names);
    RF_CLEAR(names);
}

static void take_variables(visit_data *v, const rf_map *vars)
{
    for (size_t i = 0; i < vars->cap; i++) {
        const rf_var *var = vars->slots[i].value;
        if (var &&
            (var->storage == RF_VAR_GLOBAL || var->storage == RF_VAR_CONSTANT))
            RF_PUSH(v->names, var->name);
    }
}

void rf_read_outer_names(rf_reader *r)
{
    visit_data v = { .r = r };
    clang_visitChildren(clang_getTranslationUnitCursor(r->tu), visit, &v);
    take_macros(r, r->source);
    take_variables(&v, &r->vars);
    RF_PUBLISH(r->arena, r->unit->outer_names, v.names);
    RF_CLEAR(v.names);
}
