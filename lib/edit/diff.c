/* Unified diff, straight from the sorted edits: no comparison of files.
 *
 * Each edit becomes a change of whole lines [first, last) -> text; changes
 * whose lines touch are joined, equal lines at either end of a change are
 * dropped, and changes closer than twice the context share a hunk. */
#include "edit/edit.h"

#include <string.h>

enum { CONTEXT = 3 };

typedef struct {
    size_t first, last; /* lines of the old file */
    rf_buf text;        /* the new lines */
} change;

typedef struct {
    const char *bytes;
    size_t len;
    rf_lines lines;
    RF_ARRAY(change) changes;
    size_t shift_old, shift_new; /* lines put out so far */
    rf_buf *out;
} differ;

/* Lines as a patch sees them: the first begins with the byte order mark. */
static size_t line_begin(const differ *d, size_t line)
{
    if (line >= d->lines.list.len)
        return d->len;
    return line ? d->lines.list.data[line].begin : 0;
}

static size_t count_lines(const char *text, size_t len)
{
    size_t n = 0;
    for (const char *at = text; (at = memchr(at, '\n', len - (at - text)));
         at++)
        n++;
    return n + (len && text[len - 1] != '\n');
}

/* Add the "n" edits that change the lines [first, last). */
static void add_change(differ *d, const rf_edit *edits, size_t n, size_t first,
                       size_t last)
{
    change c = { .first = first, .last = last };
    size_t at = line_begin(d, first);
    for (size_t i = 0; i < n; i++) {
        rf_buf_add(&c.text, d->bytes + at, edits[i].begin - at);
        rf_buf_add(&c.text, edits[i].text, edits[i].len);
        at = edits[i].end;
    }
    rf_buf_add(&c.text, d->bytes + at, line_begin(d, last) - at);
    RF_PUSH(d->changes, c);
}

/* The line of byte "at"; the end of a finished file is a line of its own. */
static size_t line_of(const differ *d, size_t at)
{
    if (!d->len)
        return 0;
    if (at == d->len && d->bytes[at - 1] == '\n')
        return d->lines.list.len;
    return rf_lines_find(&d->lines, at);
}

/* Whether what the edit leaves at its end is not the end of a line. */
static bool unfinished(const differ *d, const rf_edit *e, size_t first)
{
    return e->len ? e->text[e->len - 1] != '\n'
                  : e->begin > line_begin(d, first);
}

/* The old lines [first, last) that an edit changes. */
static void edit_lines(const differ *d, const rf_edit *e, size_t *first,
                       size_t *last)
{
    *first = line_of(d, e->begin);
    *last = line_of(d, e->end);
    if (e->end > line_begin(d, *last))
        ++*last;
    if (e->end == line_begin(d, *last) && *last < d->lines.list.len &&
        unfinished(d, e, *first))
        ++*last;
}

static void collect(differ *d, const rf_edits *edits)
{
    const rf_edit *e = edits->list.data;
    for (size_t i = 0, n; i < edits->list.len; i += n) {
        size_t first, last, next, next_last;
        edit_lines(d, &e[i], &first, &last);
        for (n = 1; i + n < edits->list.len; n++) {
            edit_lines(d, &e[i + n], &next, &next_last);
            if (next >= last)
                break;
            if (next_last > last)
                last = next_last;
        }
        add_change(d, &e[i], n, first, last);
    }
}

/* ---- Equal lines ---------------------------------------------------- */

static size_t first_line(const char *text, size_t len)
{
    const char *nl = len ? memchr(text, '\n', len) : NULL;
    return nl ? (size_t)(nl - text) + 1 : len;
}

static void trim_front(const differ *d, change *c)
{
    size_t cut = 0;
    while (c->first < c->last && cut < c->text.len) {
        size_t begin = line_begin(d, c->first);
        size_t n = line_begin(d, c->first + 1) - begin;
        if (first_line(c->text.data + cut, c->text.len - cut) != n ||
            memcmp(d->bytes + begin, c->text.data + cut, n))
            break;
        cut += n;
        c->first++;
    }
    if (cut)
        memmove(c->text.data, c->text.data + cut, c->text.len - cut);
    c->text.len -= cut;
}

static void trim_back(const differ *d, change *c)
{
    while (c->first < c->last && c->text.len) {
        size_t begin = line_begin(d, c->last - 1);
        size_t n = line_begin(d, c->last) - begin;
        size_t rest = c->text.len - n;
        if (n > c->text.len ||
            memcmp(d->bytes + begin, c->text.data + rest, n) ||
            (rest && c->text.data[rest - 1] != '\n'))
            break;
        c->text.len = rest;
        c->last--;
    }
}

static void trim(differ *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->changes.len; i++) {
        change c = d->changes.data[i];
        trim_front(d, &c);
        trim_back(d, &c);
        if (c.first == c.last && !c.text.len)
            rf_buf_free(&c.text);
        else
            d->changes.data[kept++] = c;
    }
    d->changes.len = kept;
}

/* ---- Hunks ---------------------------------------------------------- */

static void put_lines(rf_buf *out, char sign, const char *text, size_t len)
{
    while (len) {
        size_t n = first_line(text, len);
        rf_buf_putc(out, sign);
        rf_buf_add(out, text, n);
        text += n;
        len -= n;
    }
    if (out->data[out->len - 1] != '\n')
        rf_buf_puts(out, "\n\\ No newline at end of file\n");
}

static void put_old(differ *d, char sign, size_t first, size_t last)
{
    size_t begin = line_begin(d, first);
    put_lines(d->out, sign, d->bytes + begin, line_begin(d, last) - begin);
}

static void put_range(rf_buf *out, char sign, size_t first, size_t n)
{
    rf_buf_printf(out, " %c%zu", sign, n ? first + 1 : first);
    if (n != 1)
        rf_buf_printf(out, ",%zu", n);
}

/* The changes [i, end) that share a hunk with change "i". */
static size_t hunk_end(const differ *d, size_t i)
{
    size_t end = i + 1;
    while (end < d->changes.len &&
           d->changes.data[end].first <=
               d->changes.data[end - 1].last + (size_t)2 * CONTEXT)
        end++;
    return end;
}

static void put_hunk(differ *d, size_t from, size_t to)
{
    const change *c = d->changes.data;
    size_t lines = d->lines.list.len;
    size_t first = c[from].first > CONTEXT ? c[from].first - CONTEXT : 0;
    size_t last =
        c[to - 1].last + CONTEXT < lines ? c[to - 1].last + CONTEXT : lines;
    size_t old_n = last - first, new_n = old_n;
    for (size_t i = from; i < to; i++)
        new_n += count_lines(rf_buf_text(&c[i].text), c[i].text.len) -
                 (c[i].last - c[i].first);
    rf_buf_puts(d->out, "@@");
    put_range(d->out, '-', first, old_n);
    put_range(d->out, '+', first + d->shift_new - d->shift_old, new_n);
    rf_buf_puts(d->out, " @@\n");
    d->shift_old += old_n;
    d->shift_new += new_n;
    size_t at = first;
    for (size_t i = from; i < to; i++) {
        put_old(d, ' ', at, c[i].first);
        put_old(d, '-', c[i].first, c[i].last);
        put_lines(d->out, '+', rf_buf_text(&c[i].text), c[i].text.len);
        at = c[i].last;
    }
    put_old(d, ' ', at, last);
}

/* A name as git writes it: quoted when it has bytes that would mislead. */
static void put_name(rf_buf *out, const char *prefix, const char *path)
{
    bool quote = false;
    for (const char *c = path; *c; c++)
        quote |= (unsigned char)*c < ' ' || *c == '"' || *c == '\\';
    rf_buf_printf(out, "%s%s", quote ? "\"" : "", prefix);
    for (const char *c = path; *c; c++) {
        if ((unsigned char)*c < ' ')
            rf_buf_printf(out, "\\%03o", (unsigned)*c);
        else if (*c == '"' || *c == '\\')
            rf_buf_printf(out, "\\%c", *c);
        else
            rf_buf_putc(out, *c);
    }
    rf_buf_puts(out, quote ? "\"" : strchr(path, ' ') ? "\t" : "");
    rf_buf_putc(out, '\n');
}

void rf_edits_diff(const rf_edits *edits, const char *bytes, size_t len,
                   const char *path, rf_buf *out)
{
    differ d = { .bytes = bytes, .len = len, .out = out };
    d.lines = rf_lines_read(bytes, len);
    if (!len)
        d.lines.list.len = 0;
    collect(&d, edits);
    trim(&d);
    while (*path == '/')
        path++;
    if (d.changes.len) {
        put_name(out, "--- a/", path);
        put_name(out, "+++ b/", path);
    }
    for (size_t i = 0, end; i < d.changes.len; i = end) {
        end = hunk_end(&d, i);
        put_hunk(&d, i, end);
    }
    for (size_t i = 0; i < d.changes.len; i++)
        rf_buf_free(&d.changes.data[i].text);
    RF_CLEAR(d.changes);
    RF_CLEAR(d.lines.list);
}
