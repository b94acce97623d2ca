/* The author's style, read off the text of a file line by line. */
#include "emit/print.h"

#include <string.h>

typedef struct {
    const char *text;         /* first byte that is no blank */
    size_t tabs, blanks, len; /* len: of the text, without blanks at its end */
} row;

/* Read the line at "at" of "bytes" and step to the next one. */
static row row_next(const char *bytes, size_t size, size_t *at)
{
    row r = { 0 };
    size_t i = *at;
    for (; i < size && (bytes[i] == ' ' || bytes[i] == '\t'); i++)
        bytes[i] == '\t' ? r.tabs++ : r.blanks++;
    r.text = bytes + i;
    size_t begin = i;
    while (i < size && bytes[i] != '\n')
        i++;
    *at = i < size ? i + 1 : size;
    while (i > begin && strchr(" \t\r", bytes[i - 1]))
        i--;
    r.len = i - begin;
    return r;
}

static bool starts(const row *r, const char *word)
{
    size_t n = strlen(word);
    return r->len >= n && !memcmp(r->text, word, n);
}

static bool is_headed(const row *r)
{
    return starts(r, "if (") || starts(r, "for (") || starts(r, "while (");
}

typedef struct {
    unsigned tabs, blanks[9]; /* steps after an opening brace */
    unsigned braced, bare;    /* heads that end in '{', heads that do not */
    unsigned flush, indented; /* pragmas inside indented text */
} votes;

static void vote(votes *v, const row *last, const row *r)
{
    bool opened = last->len && last->text[last->len - 1] == '{';
    size_t step = r->blanks - last->blanks;
    if (opened && r->tabs > last->tabs)
        v->tabs++;
    else if (opened && r->blanks > last->blanks && step <= 8)
        v->blanks[step]++;
    if (is_headed(r) && r->text[r->len - 1] == '{')
        v->braced++;
    else if (is_headed(r) && r->text[r->len - 1] == ')')
        v->bare++;
}

static const char *indent_of(const votes *v)
{
    static const char spaces[] = "        ";
    unsigned best = 0, count = v->tabs;
    for (unsigned i = 1; i <= 8; i++)
        if (v->blanks[i] > count)
            best = i, count = v->blanks[i];
    if (best)
        return spaces + 8 - best;
    return v->tabs ? "\t" : "    ";
}

/* Count where a pragma stands whose next line "r" is indented. */
static void vote_pragma(votes *v, const row *pragma, const row *r)
{
    if (!r->tabs && !r->blanks)
        return;
    if (pragma->tabs || pragma->blanks)
        v->indented++;
    else
        v->flush++;
}

rf_print_style rf_print_style_of(const char *bytes, size_t size)
{
    votes v = { 0 };
    row last = { 0 }, pragma = { 0 };
    size_t crlf = 0, lf = 0;
    for (size_t at = 0; at < size;) {
        row r = row_next(bytes, size, &at);
        bool ended = at && bytes[at - 1] == '\n';
        bool has_cr = ended && at > 1 && bytes[at - 2] == '\r';
        crlf += has_cr;
        lf += ended && !has_cr;
        if (!r.len)
            continue;
        if (*r.text == '#') {
            pragma = starts(&r, "#pragma") ? r : pragma;
            continue;
        }
        if (pragma.len)
            vote_pragma(&v, &pragma, &r);
        vote(&v, &last, &r);
        last = r;
        pragma = (row){ 0 };
    }
    return (rf_print_style){ .indent = indent_of(&v),
                             .base = "",
                             .eol = crlf > lf ? "\r\n" : "\n",
                             .always_braces = v.braced && !v.bare,
                             .flush_pragmas = v.flush > v.indented,
                             .source = bytes };
}
