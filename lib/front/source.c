/* The bytes, tokens and macro expansions of a file.
 *
 * Tokens of untaken #if branches and of preprocessor lines are kept but
 * marked, so that a search for `;` or `->` sees what the compiler saw and a
 * search for pragmas sees everything. */
#include "front/reader.h"

#include <string.h>

static uint32_t offset_of(CXSourceLocation at)
{
    unsigned offset;
    clang_getFileLocation(at, NULL, NULL, NULL, &offset);
    return offset;
}

/* Find the end of the preprocessor line at "i": a line end that no backslash
 * continues. */
static uint32_t directive_end(const rf_source *s, uint32_t i)
{
    for (; i < s->size; i++) {
        if (s->bytes[i] != '\n')
            continue;
        uint32_t last = i > 0 && s->bytes[i - 1] == '\r' ? i - 2 : i - 1;
        if (i == 0 || last >= s->size || s->bytes[last] != '\\')
            break;
    }
    return i;
}

static void read_tokens(rf_reader *r, rf_source *s)
{
    CXSourceRange all = clang_getRange(
        clang_getLocationForOffset(r->tu, s->file, 0),
        clang_getLocationForOffset(r->tu, s->file, (unsigned)s->size));
    CXToken *tokens = NULL;
    unsigned n = 0;
    clang_tokenize(r->tu, all, &tokens, &n);
    for (unsigned i = 0; i < n; i++) {
        CXSourceRange at = clang_getTokenExtent(r->tu, tokens[i]);
        rf_token t = { .kind = clang_getTokenKind(tokens[i]) };
        unsigned line;
        clang_getFileLocation(clang_getRangeStart(at), NULL, &line, NULL,
                              &t.begin);
        t.end = offset_of(clang_getRangeEnd(at));
        t.line = line;
        RF_PUSH(s->tokens, t);
    }
    if (tokens)
        clang_disposeTokens(r->tu, tokens, n);
}

/* Mark the tokens of preprocessor lines: a '#' that is first on its line. */
static void mark_directives(rf_source *s)
{
    uint32_t end = 0, line = 0;
    for (size_t i = 0; i < s->tokens.len; i++) {
        rf_token *t = &s->tokens.data[i];
        if (t->begin < end) {
            t->is_directive = true;
            continue;
        }
        if (t->line != line && s->bytes[t->begin] == '#' &&
            t->kind == CXToken_Punctuation) {
            t->is_directive = true;
            end = directive_end(s, t->begin);
        }
        if (t->kind != CXToken_Comment)
            line = t->line;
    }
}

static void mark_skipped(rf_reader *r, rf_source *s)
{
    CXSourceRangeList *list = clang_getSkippedRanges(r->tu, s->file);
    for (unsigned i = 0; i < list->count; i++) {
        uint32_t begin = offset_of(clang_getRangeStart(list->ranges[i]));
        uint32_t end = offset_of(clang_getRangeEnd(list->ranges[i]));
        for (size_t t = rf_token_from(s, begin); t < s->tokens.len; t++) {
            if (s->tokens.data[t].begin >= end)
                break;
            s->tokens.data[t].is_skipped = true;
        }
    }
    clang_disposeSourceRangeList(list);
}

/* Qualifiers that are macros in some headers and keywords to the reader. */
static bool is_qualifier(const char *name, size_t n)
{
    static const char *const words[] = {
        "__host__",          "__device__",        "__global__",
        "__shared__",        "__constant__",      "__managed__",
        "__restrict__",      "__forceinline__",   "__noinline__",
        "__launch_bounds__", "__align__",         "__cluster_dims__",
        "__grid_constant__", "__maxnreg__",       "__inline__",
        "__block_size__",    "__builtin_align__",
    };
    for (size_t i = 0; i < RF_COUNTOF(words); i++)
        if (strlen(words[i]) == n && !memcmp(words[i], name, n))
            return true;
    return false;
}

typedef struct {
    rf_reader *r;
    rf_source *s;
} visit_data;

/* Where the author defined the macro that "use" expands. */
static rf_place definition_of(rf_reader *r, CXCursor use)
{
    CXFile file;
    rf_place at = { 0 };
    CXCursor c = clang_getCursorReferenced(use);
    CXSourceLocation where = clang_getCursorLocation(c);
    if (clang_Cursor_isNull(c) || clang_Location_isInSystemHeader(where))
        return at;
    clang_getFileLocation(where, &file, &at.line, &at.column, &at.offset);
    if (file)
        at.file = rf_string(r, clang_getFileName(file));
    else
        at.line = 0;
    return at;
}

static enum CXChildVisitResult visit_expansion(CXCursor c, CXCursor parent,
                                               CXClientData data)
{
    (void)parent;
    visit_data *v = data;
    if (clang_getCursorKind(c) != CXCursor_MacroExpansion)
        return CXChildVisit_Continue;
    CXFile file;
    CXSourceRange range = clang_getCursorExtent(c);
    unsigned begin;
    clang_getFileLocation(clang_getRangeStart(range), &file, NULL, NULL,
                          &begin);
    if (!file || !clang_File_isEqual(file, v->s->file))
        return CXChildVisit_Continue;
    rf_expansion e = { .at = { begin, offset_of(clang_getRangeEnd(range)) } };
    const char *name = rf_cursor_name(v->r, c);
    e.is_object = strlen(name) == e.at.end - e.at.begin;
    e.is_quiet = is_qualifier(name, strlen(name));
    e.name = name;
    e.definition = definition_of(v->r, c);
    RF_PUSH(v->s->expansions, e);
    return CXChildVisit_Continue;
}

rf_source *rf_source_of(rf_reader *r, CXFile file)
{
    for (size_t i = 0; i < r->sources.len; i++)
        if (clang_File_isEqual(r->sources.data[i]->file, file))
            return r->sources.data[i];
    rf_source *s = RF_NEW(r->arena, rf_source);
    s->file = file;
    s->is_main = r->sources.len == 0;
    s->bytes = clang_getFileContents(r->tu, file, &s->size);
    RF_PUSH(r->sources, s);
    if (!s->bytes)
        return s;
    read_tokens(r, s);
    mark_directives(s);
    mark_skipped(r, s);
    clang_visitChildren(clang_getTranslationUnitCursor(r->tu), visit_expansion,
                        &(visit_data){ r, s });
    return s;
}

void rf_sources_free(rf_reader *r)
{
    for (size_t i = 0; i < r->sources.len; i++) {
        RF_CLEAR(r->sources.data[i]->tokens);
        RF_CLEAR(r->sources.data[i]->expansions);
    }
    RF_CLEAR(r->sources);
}

size_t rf_token_from(const rf_source *s, uint32_t offset)
{
    size_t low = 0, high = s->tokens.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->tokens.data[middle].begin < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_live(const rf_token *t)
{
    return !t->is_directive && !t->is_skipped && t->kind != CXToken_Comment;
}

size_t rf_cx_token_next(const rf_source *s, size_t i)
{
    do
        i++;
    while (i < s->tokens.len && !is_live(&s->tokens.data[i]));
    return i;
}

size_t rf_token_prev(const rf_source *s, size_t i)
{
    while (i-- > 0)
        if (is_live(&s->tokens.data[i]))
            return i;
    return s->tokens.len;
}

bool rf_token_is(const rf_source *s, size_t i, const char *text)
{
    if (i >= s->tokens.len)
        return false;
    const rf_token *t = &s->tokens.data[i];
    size_t n = t->end - t->begin;
    return strlen(text) == n && !memcmp(s->bytes + t->begin, text, n);
}

char *rf_source_text(rf_reader *r, const rf_source *s, rf_range at)
{
    if (!s->bytes || at.begin > at.end || at.end > s->size)
        return rf_arena_strdup(r->arena, "");
    return rf_arena_strndup(r->arena, s->bytes + at.begin, at.end - at.begin);
}

bool rf_source_in_macro(const rf_source *s, rf_range at)
{
    for (size_t i = 0; i < s->expansions.len; i++) {
        const rf_expansion *e = &s->expansions.data[i];
        if (e->at.begin >= at.end)
            break;
        if (!e->is_quiet && e->at.end > at.begin)
            return true;
    }
    return false;
}

const rf_expansion *rf_source_expansion(const rf_source *s, rf_range at)
{
    for (size_t i = 0; i < s->expansions.len; i++) {
        const rf_expansion *e = &s->expansions.data[i];
        if (e->at.begin == at.begin && e->at.end == at.end)
            return e;
    }
    return NULL;
}
