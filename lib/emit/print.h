/* Program text from trees: what emit/ built, as a careful engineer types it.
 *
 * Parentheses come from the precedence table in expr.c: those that C++ needs
 * and those that compilers ask for (`(a && b) || c`). Author's spellings of
 * constants are kept, implicit conversions are not printed, explicit ones are
 * C casts. Lines are broken before column 80 at the loosest operator. Braces
 * are K&R's and stand only around what is not one simple statement. */
#ifndef RF_EMIT_PRINT_H
#define RF_EMIT_PRINT_H

#include "ir/ast.h"

typedef struct rf_print_style {
    const char *indent; /* one level: "  ", "    ", "\t" */
    const char *base;   /* before every line; "" at the margin */
    const char *eol;    /* "\n" or "\r\n" */
    bool always_braces; /* also around one simple statement */
    bool flush_pragmas; /* directives begin in column 1 */
    const char *source; /* the file's bytes, for OPAQUE statements, or NULL */
} rf_print_style;

/* Read the style of "bytes": its indentation unit, line ends, braces and the
 * place of its pragmas. "base" is left empty and "source" is "bytes". */
rf_print_style rf_print_style_of(const char *bytes, size_t size);

/* Append "stmt" with its comment and attribute, whole lines. */
void rf_print_stmt(rf_buf *out, const rf_stmt *stmt,
                   const rf_print_style *style);
/* Append "expr" on one line. */
void rf_print_expr(rf_buf *out, const rf_expr *expr);
/* Append the declarator `const float x`, `float o[64]`, `float (*p)[8]`. */
void rf_print_var(rf_buf *out, const rf_var *var);

#endif
