/* The translation units of one file while it is read again and again.
 *
 * libclang keeps what the lines at the top of a file include (its "preamble")
 * and reads anew only what follows them; in memory, so that nothing is left
 * behind by a process that is killed. A text that was the last one to be parsed
 * is not parsed again. There is one unit for our declarations and one for the
 * toolkit's headers. */
#include "front/reader.h"

#include <string.h>

typedef struct {
    CXTranslationUnit tu;
    rf_buf key; /* the path and the flags */
    rf_buf text;
    size_t known; /* first bytes, that a precompiled header stands for */
    bool is_old;  /* files that it includes may have changed */
} parsed;

struct rf_session {
    CXIndex index;
    bool keeps_headers;
    parsed units[RF_HEADERS_TOOLKIT + 1];
};

rf_session *rf_session_new(bool keeps_headers)
{
    CXIndexOptions options = { .Size = sizeof options,
                               .ExcludeDeclarationsFromPCH = 1,
                               .StorePreamblesInMemory = 1 };
    rf_session *session = rf_malloc(sizeof *session);
    *session = (rf_session){ .index = clang_createIndexWithOptions(&options),
                             .keeps_headers = keeps_headers };
    return session;
}

bool rf_session_keeps_headers(const rf_session *session)
{
    return session->keeps_headers;
}

static void forget(parsed *p)
{
    if (p->tu)
        clang_disposeTranslationUnit(p->tu);
    rf_buf_free(&p->key);
    rf_buf_free(&p->text);
    *p = (parsed){ 0 };
}

void rf_session_free(rf_session *session)
{
    if (!session)
        return;
    for (size_t i = 0; i < RF_COUNTOF(session->units); i++)
        forget(&session->units[i]);
    clang_disposeIndex(session->index);
    free(session);
}

void rf_session_refresh(rf_session *session)
{
    for (size_t i = 0; i < RF_COUNTOF(session->units); i++)
        session->units[i].is_old = true;
}

/* ---- parsing ---- */

static bool same(const rf_buf *buf, const char *bytes, size_t len)
{
    return buf->len == len && !memcmp(rf_buf_text(buf), bytes, len);
}

static void set(rf_buf *buf, const char *bytes, size_t len)
{
    buf->len = 0;
    rf_buf_add(buf, bytes, len);
}

/* libclang ends its preamble within a line such as `... * / #include "a.h"` and
 * then takes the directive for code. */
static bool has_directive_behind_comment(const rf_unit *unit)
{
    bool found = false;
    const char *p = unit->bytes;
    while (!found && (p = strstr(p, "*/"))) {
        p += 2;
        found = p[strspn(p, " \t")] == '#';
    }
    return found;
}

/* The text of "unit" for libclang, the first "known" bytes made blank. */
static struct CXUnsavedFile file_of(const rf_unit *unit, size_t known)
{
    char *text = (char *)unit->bytes;
    if (known) {
        text = rf_arena_strndup(unit->arena, unit->bytes, unit->size);
        for (size_t i = 0; i < known && i < unit->size; i++)
            if (text[i] != '\n')
                text[i] = ' ';
    }
    return (struct CXUnsavedFile){ unit->path, text,
                                   (unsigned long)unit->size };
}

/* True if "unit" begins with what the header of "p" stands for. */
static bool begins_as(const parsed *p, const rf_unit *unit)
{
    return unit->size >= p->known && p->text.len >= p->known &&
           !memcmp(unit->bytes, rf_buf_text(&p->text), p->known);
}

static void put_key(rf_buf *key, const rf_unit *unit, const rf_flags *flags)
{
    rf_buf_add(key, unit->path, strlen(unit->path) + 1);
    for (size_t i = 0; i < flags->list.len; i++)
        rf_buf_add(key, flags->list.data[i], strlen(flags->list.data[i]) + 1);
}

CXTranslationUnit rf_session_again(rf_session *session, rf_headers headers,
                                   const rf_unit *unit, const rf_flags *flags)
{
    parsed *p = &session->units[headers];
    struct CXUnsavedFile file = file_of(unit, p->known);
    rf_buf key = { 0 };
    put_key(&key, unit, flags);
    bool known = p->tu && same(&p->key, key.data, key.len) &&
                 begins_as(p, unit) &&
                 (p->known || !has_directive_behind_comment(unit));
    if (known && (p->is_old || !same(&p->text, unit->bytes, unit->size))) {
        p->is_old = false;
        set(&p->text, unit->bytes, unit->size);
        known = !clang_reparseTranslationUnit(
            p->tu, 1, &file, clang_defaultReparseOptions(p->tu));
    }
    if (!known) {
        forget(p);
        p->key = key;
        return NULL;
    }
    rf_buf_free(&key);
    return p->tu;
}

CXTranslationUnit rf_session_parse(rf_session *session, rf_headers headers,
                                   const rf_unit *unit, const rf_flags *flags,
                                   size_t known, bool again)
{
    parsed *p = &session->units[headers];
    struct CXUnsavedFile file = file_of(unit, known);
    unsigned options = CXTranslationUnit_DetailedPreprocessingRecord |
                       CXTranslationUnit_KeepGoing;
    if (again && !known && !has_directive_behind_comment(unit))
        options |= CXTranslationUnit_PrecompiledPreamble |
                   CXTranslationUnit_CreatePreambleOnFirstParse;
    if (p->tu)
        clang_disposeTranslationUnit(p->tu);
    p->tu = NULL;
    p->known = known;
    p->is_old = false;
    set(&p->text, unit->bytes, unit->size);
    if (clang_parseTranslationUnit2(session->index, unit->path,
                                    flags->list.data, (int)flags->list.len,
                                    &file, 1, options, &p->tu))
        p->tu = NULL;
    return p->tu;
}
