/* The lines of a file, and which of them are directives. */
#include "edit/edit.h"

#include <string.h>

static const struct {
    const char *word;
    rf_line_kind kind;
} directives[] = {
    { "if", RF_LINE_IF },        { "ifdef", RF_LINE_IF },
    { "ifndef", RF_LINE_IF },    { "elif", RF_LINE_ELIF },
    { "elifdef", RF_LINE_ELIF }, { "elifndef", RF_LINE_ELIF },
    { "else", RF_LINE_ELSE },    { "endif", RF_LINE_ENDIF },
};

static rf_line_kind directive_kind(const char *word, size_t n)
{
    for (size_t i = 0; i < RF_COUNTOF(directives); i++)
        if (strlen(directives[i].word) == n &&
            !memcmp(directives[i].word, word, n))
            return directives[i].kind;
    return RF_LINE_DIRECTIVE;
}

/* What kind of line begins at "at", outside comments and literals. */
static rf_line_kind line_kind(const char *bytes, size_t len, size_t at)
{
    rf_token t = rf_token_next(bytes, len, at);
    if (t.kind == RF_TOK_BLANK)
        t = rf_token_next(bytes, len, t.end);
    if (t.kind != RF_TOK_PUNCT || bytes[t.begin] != '#')
        return RF_LINE_TEXT;
    t = rf_token_next(bytes, len, t.end);
    if (t.kind == RF_TOK_BLANK)
        t = rf_token_next(bytes, len, t.end);
    return t.kind == RF_TOK_WORD
               ? directive_kind(bytes + t.begin, t.end - t.begin)
               : RF_LINE_DIRECTIVE;
}

static void line_open(rf_lines *lines, const char *bytes, size_t len, size_t at,
                      bool clean)
{
    rf_line line = { at, len, clean, RF_LINE_TEXT };
    if (clean)
        line.kind = line_kind(bytes, len, at);
    if (lines->list.len)
        RF_LAST(lines->list).end = at;
    RF_PUSH(lines->list, line);
}

rf_lines rf_lines_read(const char *bytes, size_t len)
{
    rf_lines lines = { 0 };
    size_t first = len >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3) ? 3 : 0;
    line_open(&lines, bytes, len, first, true);
    for (rf_token t = rf_token_next(bytes, len, first); t.kind != RF_TOK_END;
         t = rf_token_next(bytes, len, t.end)) {
        const char *at = bytes + t.begin, *end = bytes + t.end;
        while ((at = memchr(at, '\n', (size_t)(end - at)))) {
            size_t next = (size_t)(++at - bytes);
            if (next < len)
                line_open(&lines, bytes, len, next, t.kind == RF_TOK_NEWLINE);
        }
    }
    return lines;
}

size_t rf_lines_find(const rf_lines *lines, size_t at)
{
    size_t low = 0, high = lines->list.len;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (lines->list.data[mid].begin <= at)
            low = mid;
        else
            high = mid;
    }
    return low;
}
