/* Break a logical line into lines of at most 80 columns. */
#include "emit/line.h"

#include <string.h>

enum { TAB = 4, CONTINUE = 4 };

typedef struct {
    size_t from;     /* first byte of the physical line */
    unsigned column; /* where it stands, 0-based */
} start;

typedef RF_ARRAY(start) start_list;

void rf_line_clear(rf_line *line)
{
    rf_buf_free(&line->text);
    RF_CLEAR(line->breaks);
}

void rf_line_break(rf_line *line, unsigned depth, size_t align, unsigned shift)
{
    if (align == 0)
        align = RF_LINE_CONTINUE;
    RF_PUSH(line->breaks, (rf_break){ line->text.len, align, depth, shift });
}

static unsigned columns_of(const char *blanks)
{
    unsigned n = 0;
    for (; *blanks; blanks++)
        n += *blanks == '\t' ? TAB : 1;
    return n;
}

unsigned rf_line_indent(const rf_print_style *style, unsigned level)
{
    return columns_of(style->base) + level * columns_of(style->indent);
}

/* The column of byte "at", which is already placed. */
static unsigned column_of(const start_list *l, size_t at)
{
    size_t i = l->len;
    while (i-- > 1)
        if (l->data[i].from <= at)
            break;
    if (i >= l->len)
        i = 0;
    return l->data[i].column + (unsigned)(at - l->data[i].from);
}

/* The break to take in a line that begins at "from" in "column" and is too
 * long: the shallowest that fits, else the first; NULL: none is left. */
static const rf_break *choose(const rf_line *line, size_t from, unsigned column)
{
    const rf_break *best = NULL;
    for (size_t i = 0; i < line->breaks.len; i++) {
        const rf_break *b = &line->breaks.data[i];
        if (b->at <= from)
            continue;
        bool fits = column + (b->at - from) <= RF_LINE_COLUMNS + 1;
        if (!fits)
            return best ? best : b;
        if (!best || b->depth <= best->depth)
            best = b;
    }
    return best;
}

static void put_indent(rf_buf *out, const rf_print_style *style, unsigned level)
{
    rf_buf_puts(out, style->base);
    while (level--)
        rf_buf_puts(out, style->indent);
}

/* Append bytes [from, to) without the blanks at their end, and the line end. */
static void put_piece(rf_buf *out, const rf_line *line, size_t from, size_t to,
                      const char *eol)
{
    const char *text = rf_buf_text(&line->text);
    while (to > from && text[to - 1] == ' ')
        to--;
    rf_buf_add(out, text + from, to - from);
    rf_buf_puts(out, eol);
}

void rf_line_put(rf_buf *out, const rf_line *line, const rf_print_style *style,
                 unsigned level)
{
    unsigned indent = rf_line_indent(style, level);
    start_list starts = { 0 };
    size_t from = 0, len = line->text.len;
    unsigned column = indent;
    put_indent(out, style, level);
    while (column + (len - from) > RF_LINE_COLUMNS) {
        const rf_break *b = choose(line, from, column);
        if (!b)
            break;
        RF_PUSH(starts, (start){ from, column });
        put_piece(out, line, from, b->at, style->eol);
        column = b->align == RF_LINE_CONTINUE ? indent + CONTINUE
                                              : column_of(&starts, b->align);
        column += b->shift;
        put_indent(out, style, level);
        rf_buf_fill(out, ' ', column - indent);
        from = b->at;
    }
    put_piece(out, line, from, len, style->eol);
    RF_CLEAR(starts);
}
