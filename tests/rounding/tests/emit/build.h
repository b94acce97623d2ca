/* Trees from prefix notation, for the tests of the printer.
 *
 *     (+ a (* b 2))  (? c a b)  (neg a)  (index a i)  (. p x)  (-> p x)
 *     (f a b): a call    (float: a): a cast    ((float) a): an implicit one
 *     {a b}: an initialiser list    `text`: author's words    1.5 1.5d 3 3u */
#ifndef RF_TESTS_EMIT_BUILD_H
#define RF_TESTS_EMIT_BUILD_H

#include "emit/print.h"

/* Read one tree; a name always gives the same variable in one arena. */
rf_expr *tree(rf_arena *arena, const char *text);
rf_stmt *statement(rf_arena *arena, rf_stmt_kind kind, const char *expr);
/* `type name = init`; init may be NULL. */
rf_stmt *declaration(rf_arena *arena, const rf_type *type, const char *name,
                     const char *init);
/* The statements up to NULL as a braced block. */
rf_stmt *block(rf_arena *arena, ...);

extern const rf_type type_int_, type_uint, type_float, type_double;

#endif
