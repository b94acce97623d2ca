/* One logical line of text with the places where it may be broken.
 *
 * A break has a depth, that of the operator or list it belongs to: when the
 * line is too long, the shallowest break that fits is taken, among equals the
 * last. The text after it begins in the column of the byte "align". */
#ifndef RF_EMIT_LINE_H
#define RF_EMIT_LINE_H

#include "emit/print.h"

enum { RF_LINE_COLUMNS = 80 };

#define RF_LINE_CONTINUE SIZE_MAX /* align: four columns into the statement */

typedef struct {
    size_t at;    /* the text after the break begins here */
    size_t align; /* byte, or RF_LINE_CONTINUE */
    unsigned depth;
    unsigned shift; /* columns to add */
} rf_break;

typedef struct {
    rf_buf text;
    RF_ARRAY(rf_break) breaks;
} rf_line;

void rf_line_clear(rf_line *line);
/* Allow a break at the end of the text so far. */
void rf_line_break(rf_line *line, unsigned depth, size_t align, unsigned shift);
/* The column where text "level" deep begins. */
unsigned rf_line_indent(const rf_print_style *style, unsigned level);
/* Append "line" to "out", "level" deep, broken where needed, with its end. */
void rf_line_put(rf_buf *out, const rf_line *line, const rf_print_style *style,
                 unsigned level);

/* Append an expression in a place of precedence "least" (expr.c); breaks get
 * "depth" and more. */
void rf_line_expr(rf_line *line, const rf_expr *expr, unsigned least,
                  unsigned depth);
void rf_line_var(rf_line *line, const rf_var *var);

/* Precedences that contexts ask for: any expression, one without a comma at
 * the top, one that is no assignment either. */
enum { RF_PREC_ANY = 1, RF_PREC_ASSIGN = 2, RF_PREC_SELECT = 3 };

#endif
