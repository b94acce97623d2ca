/* Guards: read them back from a file, whatever a formatter did to them, and
 * take them away again.
 *
 * A guard is an #ifdef RF_REFERENCE whose #else carries a comment that begins
 * with "rf:" or whose #endif carries "rf". The comment of the #else may have
 * been broken into several lines; it ends with "do not edit". */
#include "edit/edit.h"

#include "support/hash.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *bytes;
    size_t len;
    rf_arena *arena;
    rf_lines lines;
    rf_guards guards;
} finder;

static bool token_is(const finder *f, rf_token t, const char *word)
{
    return t.end - t.begin == strlen(word) &&
           !memcmp(f->bytes + t.begin, word, t.end - t.begin);
}

static rf_token next_solid(const finder *f, size_t at)
{
    rf_token t = rf_token_next(f->bytes, f->len, at);
    return t.kind == RF_TOK_BLANK ? rf_token_next(f->bytes, f->len, t.end) : t;
}

static bool is_opening(const finder *f, const rf_line *line)
{
    if (line->kind != RF_LINE_IF)
        return false;
    rf_token t = next_solid(f, next_solid(f, line->begin).end);
    return token_is(f, t, "ifdef") &&
           token_is(f, next_solid(f, t.end), "RF_REFERENCE");
}

/* The text of the // comment on a directive or alone on a line; NULL without.
 * The text stays in the file; its length goes to "n". */
static const char *line_comment(const finder *f, const rf_line *line,
                                bool directive, size_t *n)
{
    size_t at = line->begin;
    if (directive)
        at = next_solid(f, next_solid(f, at).end).end;
    rf_token t = next_solid(f, at);
    if (t.kind != RF_TOK_COMMENT || f->bytes[t.begin + 1] != '/')
        return NULL;
    *n = t.end - t.begin - 2;
    return f->bytes + t.begin + 2;
}

static bool comment_opens(const finder *f, const rf_line *line,
                          const char *word)
{
    size_t n = 0;
    const char *text = line_comment(f, line, true, &n);
    while (text && n && *text == ' ')
        text++, n--;
    return text && n >= strlen(word) && !memcmp(text, word, strlen(word));
}

/* Append "text" with its blanks squeezed. */
static void add_words(rf_buf *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool blank = strchr(" \t\r\n", text[i]) != NULL;
        if (!blank)
            rf_buf_putc(out, text[i]);
        else if (out->len && out->data[out->len - 1] != ' ')
            rf_buf_putc(out, ' ');
    }
    if (out->len && out->data[out->len - 1] != ' ')
        rf_buf_putc(out, ' ');
}

enum { COMMENT_LINES = 12 };

static const char ending[] = "; do not edit";

/* Read the #else comment, over several lines if need be. Return the number of
 * lines it takes, or 0 when its end is not found. */
static size_t read_comment(const finder *f, size_t line, rf_buf *text)
{
    for (size_t i = 0; i < COMMENT_LINES; i++) {
        if (line + i >= f->lines.list.len)
            return 0;
        size_t n = 0;
        const char *piece =
            line_comment(f, &f->lines.list.data[line + i], i == 0, &n);
        if (!piece)
            return 0;
        add_words(text, piece, n);
        if (strstr(rf_buf_text(text), ending))
            return i + 1;
    }
    return 0;
}

/* Split "rf: words, INPUT-OUTPUT; do not edit". */
static void parse_comment(finder *f, rf_guard *g, const char *text)
{
    const char *stop = strstr(text, ending);
    const char *comma = stop;
    while (comma > text && *comma != ',')
        comma--;
    char *end = NULL;
    g->words = rf_arena_strndup(
        f->arena, text + 4, comma > text + 4 ? (size_t)(comma - text) - 4 : 0);
    if (*comma != ',')
        return;
    g->input = strtoull(comma + 1, &end, 16);
    if (*end != '-')
        return;
    g->output = strtoull(end + 1, &end, 16);
    g->hashed = end == stop;
}

static void read_else(finder *f, rf_guard *g, size_t line)
{
    rf_buf text = { 0 };
    size_t taken = read_comment(f, line, &text);
    if (taken && !strncmp(rf_buf_text(&text), "rf: ", 4))
        parse_comment(f, g, text.data);
    else
        taken = 1;
    g->reference_end = f->lines.list.data[line].begin;
    g->generated = f->lines.list.data[line + taken - 1].end;
    rf_buf_free(&text);
}

/* The lines of the #else and #endif that belong to the #if at "first"; 0 for
 * one that is missing. */
static void match(const finder *f, size_t first, size_t *other, size_t *last)
{
    size_t depth = 0;
    for (size_t i = first + 1; i < f->lines.list.len; i++) {
        const rf_line *line = &f->lines.list.data[i];
        if (line->kind == RF_LINE_IF)
            depth++;
        else if (line->kind == RF_LINE_ELSE && !depth && !*other)
            *other = i;
        else if (line->kind == RF_LINE_ENDIF && !depth--) {
            *last = i;
            return;
        }
    }
}

/* Nothing can be said of what follows: it reaches to the end of the file. */
static rf_guard guard_damaged(const finder *f, size_t first)
{
    const rf_line *line = &f->lines.list.data[first];
    return (rf_guard){ .begin = line->begin,
                       .reference = line->end,
                       .reference_end = f->len,
                       .generated = f->len,
                       .generated_end = f->len,
                       .end = f->len,
                       .words = "",
                       .edited = true,
                       .damaged = true };
}

static rf_guard guard_read(finder *f, size_t first, size_t other, size_t last)
{
    const rf_line *lines = f->lines.list.data;
    rf_guard g = { .begin = lines[first].begin,
                   .reference = lines[first].end,
                   .generated_end = lines[last].begin,
                   .end = lines[last].end,
                   .words = "" };
    read_else(f, &g, other);
    g.edited =
        !g.hashed || g.generated > g.generated_end ||
        (rf_text_hash(f->bytes + g.generated, g.generated_end - g.generated) &
         0xffffffff) != g.output;
    return g;
}

/* Read the conditional at line "first"; return the line after it. */
static size_t guard_at(finder *f, size_t first)
{
    size_t other = 0, last = 0;
    match(f, first, &other, &last);
    const rf_line *lines = f->lines.list.data;
    bool ours = (other && comment_opens(f, &lines[other], "rf:")) ||
                (last && comment_opens(f, &lines[last], "rf"));
    if (!ours)
        return first + 1;
    if (!other || !last) {
        RF_PUSH(f->guards.list, guard_damaged(f, first));
        return f->lines.list.len;
    }
    RF_PUSH(f->guards.list, guard_read(f, first, other, last));
    return last + 1;
}

rf_guards rf_guards_find(rf_arena *arena, const char *bytes, size_t len)
{
    finder f = { .bytes = bytes, .len = len, .arena = arena };
    if (!memmem(bytes, len, "RF_REFERENCE", 12))
        return f.guards;
    f.lines = rf_lines_read(bytes, len);
    for (size_t i = 0; i < f.lines.list.len;)
        i = is_opening(&f, &f.lines.list.data[i]) ? guard_at(&f, i) : i + 1;
    RF_CLEAR(f.lines.list);
    return f.guards;
}

/* Where the author's part ends: a guard on a last line without line end had
 * one lent to the line before its #else. */
size_t rf_guard_author_end(const rf_guard *g, const char *bytes, size_t len)
{
    size_t end = g->reference_end;
    if (g->end < len || bytes[len - 1] == '\n' || end == g->reference)
        return end;
    end--;
    return end > g->reference && bytes[end - 1] == '\r' ? end - 1 : end;
}

void rf_guard_remove(const rf_guard *g, const char *bytes, size_t len,
                     rf_edits *out)
{
    rf_edit head = { g->begin, g->reference, "", 0 };
    rf_edit tail = { rf_guard_author_end(g, bytes, len), g->end, "", 0 };
    RF_PUSH(out->list, head);
    RF_PUSH(out->list, tail);
}

int rf_revert_plan(rf_arena *arena, const char *bytes, size_t len,
                   rf_edits *out)
{
    rf_guards guards = rf_guards_find(arena, bytes, len);
    int rc = 0;
    for (size_t i = 0; i < guards.list.len; i++) {
        if (guards.list.data[i].damaged)
            rc = -1;
        else
            rf_guard_remove(&guards.list.data[i], bytes, len, out);
    }
    RF_CLEAR(guards.list);
    return rc;
}
