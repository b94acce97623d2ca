/* Inside emit/: the states of a team's parts, and their merge. */
#ifndef RF_EMIT_COMBINING_H
#define RF_EMIT_COMBINING_H

#include "emit/emitting.h"

/* One variable of the state and its counterpart in another lane. */
typedef struct {
    rf_state *state; /* NULL: the count of elements */
    rf_var *var;     /* the state's variable, or its flag */
    bool is_flag;    /* "any": some step contributed */
    rf_var *other;   /* while two states are merged */
    rf_var *before;  /* ... its own value before, or NULL */
    rf_var *shared;  /* one element a warp */
    const rf_type *type;
} rf_part;

typedef struct {
    rf_emitter *em;
    unsigned pass;
    rf_part *parts;
    size_t n;
} rf_combine;

/* Collect what the state of the pass consists of. */
void rf_combine_collect(rf_combine *c);
/* Declare the counterpart of "p", with the value "from". */
void rf_combine_declare_other(const rf_combine *c, rf_part *p, rf_expr *from);
/* The state becomes that of both parts; the others are declared. */
void rf_combine_merge(const rf_combine *c);
bool rf_part_is_moment(const rf_part *p);
/* grid.c: the block leaves its state and ends, in the round of the pass. */
void rf_emit_leave_state(const rf_combine *c);

/* Small pieces of text, of type unsigned or bool. */
extern const rf_type rf_type_unsigned;
rf_expr *rf_emit_op(rf_emitter *em, rf_op o, rf_expr *a, rf_expr *b);
rf_expr *rf_emit_number(rf_emitter *em, int64_t n);
/* threadIdx.x and the like. */
rf_expr *rf_emit_builtin(rf_emitter *em, const char *record, const char *field);
rf_stmt *rf_emit_call_stmt(rf_emitter *em, const char *name);

/* for (unsigned name = from; ...), to be ended with its test and step. */
typedef struct {
    rf_stmt *stmt;
    rf_open_block block;
    size_t names;
} rf_counted;
rf_var *rf_counted_begin(const rf_combine *c, rf_counted *l, const char *name,
                         rf_expr *from);
void rf_counted_end(const rf_combine *c, rf_counted *l, rf_expr *test,
                    rf_expr *step);

#endif
