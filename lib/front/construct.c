/* Constructors that give every member its value and do nothing else:
 *
 *     Scaled(float a, float b) : x(a), y(b * a) {}
 *
 * is a function that returns the record {a, b * a}. */
#include "front/reader.h"

#include <string.h>

static int field_named(const rf_type *record, const char *name)
{
    for (unsigned i = 0; i < record->n_fields; i++)
        if (!strcmp(record->fields[i], name))
            return (int)i;
    return -1;
}

/* x(a), y(x): what depends on a member that has just been made. */
static bool asks_itself(rf_reader *r, const rf_expr *e)
{
    return rf_expr_find(e, rf_expr_is_use, rf_builtin_var(r, "this", NULL));
}

/* True of the braces of a constructor that says all before them. */
static bool is_empty_body(CXCursor body)
{
    rf_cursors list = rf_children(body);
    bool empty = list.len == 0;
    RF_CLEAR(list);
    return empty;
}

/* Fill "list" with the initialisers of "parts"; false if some member has none,
 * or if there is more to the constructor. */
static bool read_initialisers(rf_reader *r, const rf_type *record,
                              const rf_cursors *parts, rf_expr *list)
{
    unsigned known = 0;
    int field = -1;
    for (size_t i = 0; i < parts->len; i++) {
        CXCursor part = parts->data[i];
        enum CXCursorKind kind = clang_getCursorKind(part);
        if (kind == CXCursor_MemberRef) {
            field = field_named(record, rf_cursor_name(r, part));
            if (field < 0)
                return false;
        } else if (clang_isExpression(kind)) {
            if (field < 0 || list->arg[field])
                return false;
            list->arg[field] = rf_read_expr(r, part);
            if (asks_itself(r, list->arg[field]))
                return false;
            known++;
            field = -1;
        } else if ((kind == CXCursor_CompoundStmt && !is_empty_body(part)) ||
                   kind == CXCursor_TypeRef || kind == CXCursor_TemplateRef)
            return false;
    }
    return field < 0 && known == record->n_fields;
}

bool rf_read_constructor_body(rf_reader *r, rf_func *f, CXCursor constructor,
                              const rf_cursors *parts)
{
    const rf_type *record = rf_read_type(
        r, clang_getCursorType(clang_getCursorSemanticParent(constructor)));
    if (!record->knows_fields ||
        clang_CXXConstructor_isCopyConstructor(constructor))
        return false;
    rf_expr *list =
        rf_expr_of(r, constructor, RF_OP_INIT_LIST, record->n_fields, NULL);
    list->type = record;
    if (!read_initialisers(r, record, parts, list))
        return false;
    f->result = record;
    f->body = rf_stmt_new(r->arena, RF_STMT_RETURN);
    f->body->at = list->at;
    f->body->expr = list;
    return true;
}
