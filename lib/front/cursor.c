/* Small questions to libclang cursors. */
#include "front/reader.h"

#include <string.h>

static enum CXChildVisitResult collect(CXCursor c, CXCursor parent,
                                       CXClientData data)
{
    (void)parent;
    rf_cursors *list = data;
    RF_PUSH(*list, c);
    return CXChildVisit_Continue;
}

rf_cursors rf_children(CXCursor cursor)
{
    rf_cursors list = { 0 };
    clang_visitChildren(cursor, collect, &list);
    return list;
}

rf_cursors rf_operands(CXCursor cursor)
{
    rf_cursors list = rf_children(cursor);
    size_t n = 0;
    for (size_t i = 0; i < list.len; i++)
        if (clang_isExpression(clang_getCursorKind(list.data[i])))
            list.data[n++] = list.data[i];
    list.len = n;
    return list;
}

rf_range rf_cursor_range(const rf_reader *r, CXCursor cursor)
{
    CXSourceRange range = clang_getCursorExtent(cursor);
    CXFile from, to;
    rf_range at;
    clang_getFileLocation(clang_getRangeStart(range), &from, NULL, NULL,
                          &at.begin);
    clang_getFileLocation(clang_getRangeEnd(range), &to, NULL, NULL, &at.end);
    if (!from || !to || !clang_File_isEqual(from, r->source->file) ||
        !clang_File_isEqual(to, r->source->file) || at.end < at.begin)
        return RF_NOWHERE;
    return at;
}

rf_range rf_public_range(const rf_reader *r, rf_range range)
{
    return r->source->is_main ? range : RF_NOWHERE;
}

const char *rf_string(rf_reader *r, CXString string)
{
    const char *text = clang_getCString(string);
    const char *copy = rf_arena_strdup(r->arena, text ? text : "");
    clang_disposeString(string);
    return copy;
}

const char *rf_cursor_name(rf_reader *r, CXCursor cursor)
{
    return rf_string(r, clang_getCursorSpelling(cursor));
}

const char *rf_cursor_text(rf_reader *r, CXCursor cursor)
{
    return rf_source_text(r, r->source, rf_cursor_range(r, cursor));
}

bool rf_cursor_has_child(CXCursor cursor, enum CXCursorKind kind)
{
    rf_cursors list = rf_children(cursor);
    bool found = false;
    for (size_t i = 0; i < list.len; i++)
        found |= clang_getCursorKind(list.data[i]) == kind;
    RF_CLEAR(list);
    return found;
}

bool rf_cursor_is_system(CXCursor cursor)
{
    return clang_Location_isInSystemHeader(clang_getCursorLocation(cursor));
}

bool rf_cursor_begins_in_macro(CXCursor cursor)
{
    CXSourceLocation at = clang_getRangeStart(clang_getCursorExtent(cursor));
    CXFile spelled, expanded;
    unsigned spelled_at, expanded_at;
    clang_getSpellingLocation(at, &spelled, NULL, NULL, &spelled_at);
    clang_getExpansionLocation(at, &expanded, NULL, NULL, &expanded_at);
    return spelled_at != expanded_at || !spelled || !expanded ||
           !clang_File_isEqual(spelled, expanded);
}
