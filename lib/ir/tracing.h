/* Inside trace: the state of a symbolic execution. Private to lib/ir. */
#ifndef RF_IR_TRACING_H
#define RF_IR_TRACING_H

#include "ir/math.h"
#include "ir/val.h"

/* Values of the scalar variables: the last entry for a variable counts. */
typedef struct {
    rf_var *var;
    const rf_val *value;
} rf_slot;
typedef RF_ARRAY(rf_slot) rf_env;

/* A point where control skips the rest of an iteration or a function. */
typedef struct {
    const rf_val *path;  /* relative to the frame */
    rf_env env;          /* a snapshot, owned */
    const rf_val *value; /* of a return */
} rf_exit;
typedef RF_ARRAY(rf_exit) rf_exits;

/* A store in the body of a loop: to an element of "root". */
typedef struct {
    rf_var *root;
    const rf_expr *target; /* what is assigned; NULL: in a function */
} rf_stored;

/* One loop being traced. */
typedef struct rf_frame {
    struct rf_frame *outer;
    const rf_loop *loop;
    const rf_val *path; /* when the loop was entered */
    size_t first_store, first_load, first_red;
    RF_ARRAY(rf_var *) assigned; /* scalars */
    RF_ARRAY(rf_stored) stored;  /* what the body stores to */
    rf_exits continues;
} rf_frame;

/* One function being inlined (or the traced function itself). */
typedef struct rf_inline {
    struct rf_inline *outer;
    const rf_func *func;
    rf_frame *frame; /* loops of the caller */
    rf_exits returns;
} rf_inline;

/* A reference and what it names: a variable, or base[index] in memory. */
typedef struct {
    rf_var *var, *target;
    const rf_val *base, *index;
    const rf_type *type;
} rf_alias_of;

typedef struct {
    rf_var *record;
    const char *field;
    rf_var *var; /* stands for record.field */
} rf_record_member;

/* A template was called with these arguments, as text. */
typedef struct {
    const rf_func *func;
    const char *arguments;
} rf_template_use;

/* A lambda holds a copy of a variable. */
typedef struct {
    const rf_var *closure, *var;
    rf_var *copy;
} rf_captured;

typedef struct rf_tracer {
    rf_trace *t;
    rf_vals *vals;
    rf_env env;
    bool dead;     /* control cannot reach this point */
    bool is_proof; /* recurrences in memory stay, indices do not wrap */
    const rf_trace *beside; /* of the source, while emitted code is traced */
    const rf_val *path;     /* NULL: always */
    rf_frame *frame;
    rf_inline *call;
    unsigned pass, depth;
    const rf_var *target; /* of the assignment being evaluated */
    RF_ARRAY(rf_alias_of) aliases;
    RF_ARRAY(rf_record_member) members;
    RF_ARRAY(rf_template_use) templates;
    RF_ARRAY(rf_captured) captured;
    const rf_expr *self; /* the object of the method being inlined, or NULL */
    struct rf_team_run *team; /* collective.c; NULL: none so far */
    const rf_val *thread[2]; /* blockDim.x, threadIdx.x for queries of groups */
} rf_tracer;

/* trace.c */
void rf_refuse(rf_tracer *, rf_diag_name name, rf_range at, const char *format,
               ...) __attribute__((format(printf, 4, 5)));
void rf_run_stmt(rf_tracer *, const rf_stmt *s);

/* env.c */
const rf_val *rf_env_get(rf_tracer *, rf_var *var);
void rf_env_set(rf_tracer *, rf_var *var, const rf_val *value);
/* The value of "var" if it has one in this environment, or NULL. */
const rf_val *rf_env_find(rf_tracer *, rf_var *var);
rf_env rf_env_copy(const rf_env *env);
/* Make the environment c ? a : b; takes both. */
rf_env rf_env_merge(rf_tracer *, const rf_val *c, rf_env *a, rf_env *b);
rf_var *rf_alias_target(rf_tracer *, rf_var *var);
/* The memory that reference "var" names, or NULL. */
const rf_alias_of *rf_alias_memory(rf_tracer *, const rf_var *var);
rf_var *rf_member_var(rf_tracer *, rf_var *record, const char *field,
                      const rf_type *type);

/* eval.c */
const rf_val *rf_eval(rf_tracer *, const rf_expr *e);
void rf_set_record(rf_tracer *, rf_var *var, const rf_val *value);
const rf_val *rf_truth_of(rf_tracer *, const rf_val *v);
bool rf_bind_reference(rf_tracer *, rf_var *var, const rf_expr *e);
void rf_bind_name(rf_tracer *, rf_var *var, const rf_val *value, rf_range at);
const rf_val *rf_usual_cast(rf_tracer *, const rf_val *v, const rf_type *t);
const rf_type *rf_common_type(const rf_type *a, const rf_type *b);

/* object.c */
/* True if "e" is a lambda whose captures are known. */
bool rf_is_closure(const rf_expr *e);
/* The object that a method called for "e" has as *this; refuses what is not
 * just named. */
const rf_expr *rf_object_of(rf_tracer *, const rf_expr *e);
/* "var" holds lambda "closure" from now on. */
void rf_make_closure(rf_tracer *, rf_var *var, const rf_expr *closure);
/* Let the body of the lambda that "call" calls see what it captured; false
 * after a refusal. The aliases made are to be dropped after the call. */
bool rf_bind_closure(rf_tracer *, const rf_expr *call);

/* offset.c */
/* a + b or a - b, two offsets of one pointer: each is extended by itself. */
const rf_val *rf_offset_sum(rf_tracer *, rf_op op, const rf_val *a,
                            const rf_val *b);
bool rf_val_may_be_negative(const rf_val *v);

/* memory.c */
const rf_val *rf_load_cell(rf_tracer *, const rf_val *base, const rf_val *index,
                           const rf_type *type, rf_range at);
void rf_store_cell(rf_tracer *, const rf_val *base, const rf_val *index,
                   const rf_type *type, const rf_val *value, rf_range at);
void rf_fill_array(rf_tracer *, const rf_val *base, const rf_type *type,
                   rf_range at);
/* Split a pointer value into base and element offset. */
void rf_split_pointer(rf_tracer *, const rf_val *pointer, const rf_val **base,
                      const rf_val **index);
/* Check and close the memory effects of the loop that ends. */
void rf_close_cells(rf_tracer *, rf_frame *frame);
rf_var *rf_root_var(rf_tracer *, const rf_val *base);

/* loop.c */
void rf_run_loop(rf_tracer *, const rf_stmt *s);
/* Note what a loop carries from one iteration to the next. */
void rf_note_update(rf_tracer *, const rf_red *red, const rf_val *result);
/* The first assignment to "var" in "s", or NULL. */
const rf_expr *rf_find_assignment(const rf_stmt *s, const rf_var *var);
/* True while the body of "loop" is traced. */
bool rf_loop_is_open(const rf_tracer *tr, const rf_loop *loop);
/* True if "v" mentions what an earlier iteration of "loop" left. */
bool rf_is_carried(const rf_val *v, const rf_loop *loop);
/* True if "v" can differ between two iterations of "loop". */
bool rf_varies(const rf_val *v, const rf_loop *loop);

/* scan.c */
/* The declaration of "var" somewhere in "st", or NULL. */
/* The object that the address or place "e" lies in, through the declarations of
 * pointers in "func"; NULL: not known. */
rf_var *rf_expr_root(const rf_func *func, const rf_expr *e);
const rf_stmt *rf_find_decl(const rf_stmt *st, const rf_var *var);
typedef struct {
    rf_var *var;
    const rf_expr *step; /* the expression that advances it */
    int64_t by;          /* +1, -1 for ++ and --, 0: see amount */
    const rf_expr *amount;
    bool is_negative;
} rf_induction;
typedef RF_ARRAY(rf_induction) rf_inductions;
/* List the scalars and the pointer roots that "loop" assigns. */
void rf_scan_assigned(rf_tracer *, const rf_stmt *loop, rf_frame *frame);
/* List the variables that "loop" advances once in every iteration. */
void rf_scan_inductions(rf_tracer *, const rf_stmt *loop, const rf_frame *frame,
                        rf_inductions *out);

/* image.c: what a test compares, as offset + factor * counter. */
typedef struct {
    const rf_val *offset, *factor;
} rf_image;

/* True if "side" is such an image of "phi", other than "phi" itself, with a
 * factor that is positive in every loop that ends. */
bool rf_split_image(rf_tracer *, const rf_val *side, const rf_val *phi,
                    rf_image *out);

/* match.c */
typedef struct {
    rf_reduce_op op;
    const rf_val *term, *guard;
} rf_match;
/* "v" without conversions between float and double at its top: a round trip
 * about the accumulator. */
const rf_val *rf_strip_float_casts(const rf_val *v);
/* Recognise next = phi (+) term; false if it is no reduction. */
bool rf_match_update(rf_tracer *, const rf_val *next, const rf_val *phi,
                     rf_match *out);

/* reduce.c */
/* Make (or find) the reduction and return its RESULT here. */
const rf_val *rf_make_red(rf_tracer *, rf_frame *frame, const rf_red *proto);
const rf_val *rf_identity_of(rf_tracer *, rf_reduce_op op, const rf_type *type);

#endif
