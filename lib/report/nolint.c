/* NOLINT, NOLINTNEXTLINE, NOLINTBEGIN and NOLINTEND, as clang-tidy reads them:
 * a list in parentheses right behind the word names findings by globs; an
 * empty list names none; anything else after the word is prose. */
#include "report/report.h"

#include <string.h>

typedef struct {
    uint32_t first, last; /* lines */
    const char *names;    /* globs with commas; NULL: all */
    rf_place at;
} span;

struct rf_nolint {
    rf_arena *arena;
    RF_ARRAY(span) spans;
    RF_ARRAY(span) open; /* BEGIN without END so far */
};

static const struct {
    const char *word;
    enum { HERE, NEXT, BEGIN, END } kind;
} words[] = { { "NOLINTNEXTLINE", NEXT },
              { "NOLINTBEGIN", BEGIN },
              { "NOLINTEND", END },
              { "NOLINT", HERE } };

/* The list behind the word at "text", NULL for none. */
static const char *read_names(rf_nolint *n, const char *text, size_t len)
{
    const char *close = len && *text == '(' ? memchr(text, ')', len) : NULL;
    if (!close)
        return NULL;
    return rf_arena_strndup(n->arena, text + 1, (size_t)(close - text) - 1);
}

static bool same_names(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static void close_span(rf_nolint *n, rf_diags *diags, span end)
{
    if (n->open.len && same_names(RF_LAST(n->open).names, end.names)) {
        span s = RF_POP(n->open);
        s.last = end.last;
        RF_PUSH(n->spans, s);
        return;
    }
    rf_diag_add(diags, RF_ERROR, RF_DIAG_PRAGMA, end.at,
                "unmatched 'NOLINTEND' comment without a previous "
                "'NOLINTBEGIN' comment");
}

static void add(rf_nolint *n, rf_diags *diags, int kind, const char *names,
                rf_place at)
{
    span s = { at.line, at.line, names, at };
    if (kind == NEXT)
        s.first = s.last = at.line + 1;
    if (kind == BEGIN)
        RF_PUSH(n->open, s);
    else if (kind == END)
        close_span(n, diags, s);
    else
        RF_PUSH(n->spans, s);
}

/* Handle the word at "at"; return what to skip. */
static size_t read_word(rf_nolint *n, rf_diags *diags,
                        const rf_report_file *file, size_t at, size_t end)
{
    for (size_t i = 0; i < RF_COUNTOF(words); i++) {
        size_t len = strlen(words[i].word);
        if (len > end - at || memcmp(file->bytes + at, words[i].word, len))
            continue;
        rf_place place = { .file = file->path, .offset = (uint32_t)at };
        rf_place_complete(file, &place);
        const char *rest = file->bytes + at + len;
        add(n, diags, words[i].kind, read_names(n, rest, end - at - len),
            place);
        return len;
    }
    return 1;
}

static void read_comment(rf_nolint *n, rf_diags *diags,
                         const rf_report_file *file, rf_token t)
{
    size_t at = t.begin;
    const char *found;
    while ((found = memmem(file->bytes + at, t.end - at, "NOLINT", 6))) {
        at = (size_t)(found - file->bytes);
        at += read_word(n, diags, file, at, t.end);
    }
}

rf_nolint *rf_nolint_read(const rf_report_file *file, rf_diags *diags)
{
    rf_nolint *n = rf_malloc(sizeof *n);
    *n = (rf_nolint){ .arena = rf_arena_new() };
    if (!memmem(file->bytes, file->len, "NOLINT", 6))
        return n;
    for (rf_token t = rf_token_next(file->bytes, file->len, 0);
         t.kind != RF_TOK_END; t = rf_token_next(file->bytes, file->len, t.end))
        if (t.kind == RF_TOK_COMMENT)
            read_comment(n, diags, file, t);
    for (size_t i = 0; i < n->open.len; i++)
        rf_diag_add(diags, RF_ERROR, RF_DIAG_PRAGMA, n->open.data[i].at,
                    "unmatched 'NOLINTBEGIN' comment without a subsequent "
                    "'NOLINTEND' comment");
    return n;
}

bool rf_nolint_covers(const rf_nolint *n, uint32_t line, const char *name)
{
    for (size_t i = 0; i < n->spans.len; i++) {
        const span *s = &n->spans.data[i];
        if (line >= s->first && line <= s->last &&
            (!s->names || rf_checks_select(s->names, name)))
            return true;
    }
    return false;
}

void rf_nolint_free(rf_nolint *n)
{
    if (!n)
        return;
    RF_CLEAR(n->spans);
    RF_CLEAR(n->open);
    rf_arena_free(n->arena);
    free(n);
}
