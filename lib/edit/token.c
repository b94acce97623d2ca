/* C++ text as far as an edit needs it: where comments, literals and lines
 * begin and end. Directives, numbers with separators and raw strings are
 * read; what a literal means is not. */
#include "edit/edit.h"

#include "support/hash.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

/* The length of a joined line's "\\\n" or "\\\r\n" at "at", or 0. */
static size_t joined(const char *s, size_t len, size_t at)
{
    if (at >= len || s[at] != '\\')
        return 0;
    if (at + 1 < len && s[at + 1] == '\n')
        return 2;
    return at + 2 < len && s[at + 1] == '\r' && s[at + 2] == '\n' ? 3 : 0;
}

static size_t blank_end(const char *s, size_t len, size_t at)
{
    while (at < len) {
        size_t join = joined(s, len, at);
        if (!join && !strchr(" \t\r\v\f", s[at]))
            break;
        if (!join && !s[at])
            break;
        at += join ? join : 1;
    }
    return at;
}

/* The end of the line at "at", joined lines included, before the '\n'. */
static size_t logical_line_end(const char *s, size_t len, size_t at)
{
    while (at < len && s[at] != '\n') {
        size_t join = joined(s, len, at);
        at += join ? join : 1;
    }
    return at > 0 && at < len && s[at - 1] == '\r' ? at - 1 : at;
}

static size_t comment_end(const char *s, size_t len, size_t at)
{
    if (s[at + 1] == '/')
        return logical_line_end(s, len, at);
    const char *end = memmem(s + at + 2, len - at - 2, "*/", 2);
    return end ? (size_t)(end - s) + 2 : len;
}

/* The end of a literal whose opening quote is at "at"; one that is not closed
 * ends with its line. */
static size_t quoted_end(const char *s, size_t len, size_t at)
{
    char quote = s[at++];
    while (at < len && s[at] != quote && s[at] != '\n')
        at += s[at] == '\\' && at + 1 < len ? 2 : 1;
    return at < len && s[at] == quote ? at + 1 : at < len ? at : len;
}

/* The end of R"tag( ... )tag" whose quote is at "at". */
static size_t raw_end(const char *s, size_t len, size_t at)
{
    const char *open = memchr(s + at, '(', len - at);
    size_t tag = open ? (size_t)(open - s) - at - 1 : 17;
    if (tag > 16)
        return quoted_end(s, len, at);
    char close[20];
    close[0] = ')';
    memcpy(close + 1, s + at + 1, tag);
    close[tag + 1] = '"';
    size_t from = at + tag + 2;
    const char *end = memmem(s + from, len - from, close, tag + 2);
    return end ? (size_t)(end - s) + tag + 2 : len;
}

static size_t number_end(const char *s, size_t len, size_t at)
{
    while (at < len) {
        bool sign = (s[at] == '+' || s[at] == '-') && at > 0 &&
                    strchr("eEpP", s[at - 1]);
        bool separator = s[at] == '\'' && at + 1 < len && is_word(s[at + 1]);
        if (!is_word(s[at]) && s[at] != '.' && !sign && !separator)
            break;
        at++;
    }
    return at;
}

static rf_token word(const char *s, size_t len, size_t at)
{
    size_t end = at;
    while (end < len && is_word(s[end]))
        end++;
    size_t n = end - at;
    bool quote = end < len && (s[end] == '"' || s[end] == '\'');
    bool prefix = n <= 3 && memchr("uULR", s[at], 4);
    if (!quote || !prefix)
        return (rf_token){ RF_TOK_WORD, at, end };
    bool raw = s[end - 1] == 'R' && s[end] == '"';
    return (rf_token){ RF_TOK_LITERAL, at,
                       raw ? raw_end(s, len, end) : quoted_end(s, len, end) };
}

rf_token rf_token_next(const char *s, size_t len, size_t at)
{
    if (at >= len)
        return (rf_token){ RF_TOK_END, len, len };
    char c = s[at], next = at + 1 < len ? s[at + 1] : 0;
    size_t blank = blank_end(s, len, at);
    if (blank > at)
        return (rf_token){ RF_TOK_BLANK, at, blank };
    if (c == '\n')
        return (rf_token){ RF_TOK_NEWLINE, at, at + 1 };
    if (c == '/' && (next == '/' || next == '*'))
        return (rf_token){ RF_TOK_COMMENT, at, comment_end(s, len, at) };
    if (c == '"' || c == '\'')
        return (rf_token){ RF_TOK_LITERAL, at, quoted_end(s, len, at) };
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)next)))
        return (rf_token){ RF_TOK_WORD, at, number_end(s, len, at) };
    if (is_word(c))
        return word(s, len, at);
    return (rf_token){ RF_TOK_PUNCT, at, at + 1 };
}

/* Whether joining "left" and "right" would make another token of them. */
static bool separated(char left, char right)
{
    if (is_word(left) && is_word(right))
        return true;
    return left == right && strchr("+-&|", left) && left;
}

typedef struct {
    rf_buf out;
    bool gap, directive;
} normal;

static void normal_add(normal *n, const char *bytes, size_t len)
{
    if (n->gap && n->out.len && separated(n->out.data[n->out.len - 1], *bytes))
        rf_buf_putc(&n->out, ' ');
    n->gap = false;
    rf_buf_add(&n->out, bytes, len);
}

/* A directive keeps the line ends around it. */
static void normal_newline(normal *n, bool opens)
{
    if (n->directive != opens)
        rf_buf_putc(&n->out, '\n');
    n->directive = opens;
    n->gap = true;
}

/* Hash what is left of a text without blanks, comments and the bytes in
 * "skipped". */
static uint64_t hash_without(const char *bytes, size_t len, const char *skipped)
{
    normal n = { 0 };
    bool line_start = true;
    for (rf_token t = rf_token_next(bytes, len, 0); t.kind != RF_TOK_END;
         t = rf_token_next(bytes, len, t.end)) {
        if (t.kind == RF_TOK_NEWLINE) {
            normal_newline(&n, false);
            line_start = true;
        } else if (t.kind == RF_TOK_BLANK || t.kind == RF_TOK_COMMENT ||
                   (t.kind == RF_TOK_PUNCT && bytes[t.begin] &&
                    strchr(skipped, bytes[t.begin]))) {
            n.gap = true;
        } else {
            if (line_start && bytes[t.begin] == '#')
                normal_newline(&n, true);
            line_start = false;
            normal_add(&n, bytes + t.begin, t.end - t.begin);
        }
    }
    uint64_t hash = rf_hash64(rf_buf_text(&n.out), n.out.len);
    rf_buf_free(&n.out);
    return hash;
}

uint64_t rf_text_hash(const char *bytes, size_t len)
{
    return hash_without(bytes, len, "");
}

uint64_t rf_text_hash_loose(const char *bytes, size_t len)
{
    return hash_without(bytes, len, "{}");
}
