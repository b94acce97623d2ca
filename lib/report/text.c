/* The text of a finding, as clang-tidy prints it:
 *
 *     /abs/a.cu:12:3: warning: text [rf-alias]
 *       out[i] = x[i];
 *       ^
 *     /abs/a.cu:9:1: note: ...
 */
#include "report/report.h"

#include <string.h>

enum { LINE_WIDTH = 160, LINE_BEFORE = 60 };

static const char *severity_color(rf_severity severity)
{
    static const char *const colors[] = { "\033[0;1;36m", "\033[0;1;34m",
                                          "\033[0;1;35m", "\033[0;1;31m" };
    return colors[severity];
}

/* A message is one line, whatever it quotes. */
static void put_message(rf_buf *out, const char *text)
{
    for (; *text; text++)
        rf_buf_putc(out, (unsigned char)*text < ' ' ? ' ' : *text);
}

static void put_head(rf_buf *out, rf_place at, rf_severity severity, bool color)
{
    rf_buf_puts(out, color ? "\033[1m" : "");
    if (!at.file)
        rf_buf_puts(out, "rf-rewrite: ");
    else if (!at.line)
        rf_buf_printf(out, "%s: ", at.file);
    else
        rf_buf_printf(out, "%s:%u:%u: ", at.file, at.line, at.column);
    rf_buf_printf(out, "%s%s: %s", color ? severity_color(severity) : "",
                  rf_severity_spelling(severity), color ? "\033[0;1m" : "");
}

/* A long line is shown around its column. */
static void put_source(rf_buf *out, const char *line, size_t len, size_t column,
                       bool color)
{
    size_t from = 0;
    if (len > LINE_WIDTH && column > LINE_BEFORE)
        from = column - LINE_BEFORE;
    while (from && from < len && (line[from] & 0xc0) == 0x80)
        from++;
    size_t n = len - from < LINE_WIDTH ? len - from : LINE_WIDTH;
    while (n && from + n < len && (line[from + n] & 0xc0) == 0x80)
        n--;
    rf_buf_add(out, line + from, n);
    rf_buf_putc(out, '\n');
    for (size_t i = from; i < column; i++)
        if ((line[i] & 0xc0) != 0x80)
            rf_buf_putc(out, line[i] == '\t' ? '\t' : ' ');
    rf_buf_puts(out, color ? "\033[0;1;32m^\033[0m\n" : "^\n");
}

static void put_place(rf_buf *out, const rf_report_file *file, rf_place at,
                      bool color)
{
    size_t len;
    rf_file other = { 0 };
    rf_report_file shown = *file;
    rf_arena *arena = rf_arena_new();
    const char *why;
    if (at.file && at.line && strcmp(at.file, file->path)) {
        if (rf_file_read(arena, at.file, &other, &why))
            at.line = 0;
        shown.bytes = other.bytes;
        shown.len = other.len;
    }
    if (at.file && at.line && at.offset <= shown.len) {
        const char *line = rf_report_line(&shown, at.offset, &len);
        size_t column = (size_t)(shown.bytes + at.offset - line);
        put_source(out, line, len, column < len ? column : len, color);
    }
    rf_file_free(&other);
    rf_arena_free(arena);
}

void rf_finding_text(rf_buf *out, const rf_report_file *file,
                     const rf_finding *f, bool color)
{
    put_head(out, f->at, f->severity, color);
    put_message(out, f->text);
    rf_buf_printf(out, " [%s%s]%s\n", rf_diag_spelling(f->name),
                  f->promoted ? ",-warnings-as-errors" : "",
                  color ? "\033[0m" : "");
    put_place(out, file, f->at, color);
    for (size_t i = 0; i < f->n_notes; i++) {
        put_head(out, f->notes[i].at, RF_NOTE, color);
        put_message(out, f->notes[i].text);
        rf_buf_puts(out, color ? "\033[0m\n" : "\n");
        put_place(out, file, f->notes[i].at, color);
    }
    if (f->fixed) {
        put_head(out, f->at, RF_NOTE, color);
        rf_buf_printf(out, "FIX-IT applied suggested code changes%s\n",
                      color ? "\033[0m" : "");
    }
}
