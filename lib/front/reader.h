/* What the files of front/ share: one parse in progress.
 *
 * A reader walks the functions of one translation unit. Cursors that declare
 * something are interned, so that two uses give one rf_var or rf_func. Bytes
 * and tokens of each file are kept in an rf_source: libclang leaves out what
 * only the tokens tell (the slots of a for, `->`, pragmas, trailing `;`). */
#ifndef RF_FRONT_READER_H
#define RF_FRONT_READER_H

#include "front/front.h"

#include <clang-c/Index.h>

/* ---- a file's bytes and tokens (source.c) ---- */

typedef struct {
    uint32_t begin, end;
    uint32_t line;
    enum CXTokenKind kind;
    bool is_directive; /* part of a preprocessor line */
    bool is_skipped;   /* in an untaken branch of an #if */
} rf_token;

/* The place where a macro is expanded. */
typedef struct {
    rf_range at;
    bool is_object; /* without arguments */
    bool is_quiet;  /* a qualifier such as __shared__: changes no structure */
    const char *name;
    rf_place definition; /* of a macro of the author's; no line: not known */
} rf_expansion;

typedef struct rf_source {
    CXFile file;
    const char *bytes;
    size_t size;
    bool is_main;
    RF_ARRAY(rf_token) tokens;
    RF_ARRAY(rf_expansion) expansions;
} rf_source;

typedef struct {
    CXCursor *data;
    size_t len, cap;
} rf_cursors;

typedef struct {
    CXCursor key;
    void *value;
} rf_slot;

/* A hash map from cursors to what was made for them (map.c). */
typedef struct {
    rf_slot *slots;
    size_t used, cap;
} rf_map;

/* An error that the compiler reports. */
typedef struct {
    CXFile file;
    unsigned offset;
    const char *text;
    bool is_missing_header, is_reported;
} rf_error;

typedef struct {
    CXTranslationUnit tu;
    rf_arena *arena;
    rf_unit *unit;
    rf_diags *diags;
    const rf_front_options *options;
    rf_source *source; /* of the function that is being read */
    RF_ARRAY(rf_source *) sources;
    rf_map vars, funcs;
    RF_ARRAY(rf_var *) builtins; /* threadIdx, ..., this: interned by name */
    RF_ARRAY(rf_type *) types;   /* interned by spelling and canonical kind */
    RF_ARRAY(rf_func *) stack;   /* functions being read, outermost first */
    RF_ARRAY(rf_func *) funcs_found;
    RF_ARRAY(rf_kernel_launch) launches;
    RF_ARRAY(rf_region) regions;
    RF_ARRAY(rf_lost_mark) lost;
    RF_ARRAY(rf_error) errors;
    unsigned n_broken;    /* regions that an error refuses */
    unsigned depth;       /* of nested expressions and statements */
    rf_range outer_macro; /* the expansion that is already named */
    unsigned next_id;
} rf_reader;

/* A copy of "from" in the arena, in "to". */
#define RF_PUBLISH(arena, to, from)                                            \
    do {                                                                       \
        (to).len = (to).cap = (from).len;                                      \
        (to).data = rf_arena_alloc(arena, (from).len * sizeof *(from).data);   \
        if ((from).len)                                                        \
            memcpy((to).data, (from).data, (from).len * sizeof *(from).data);  \
    } while (0)

/* ---- source.c ---- */
rf_source *rf_source_of(rf_reader *r, CXFile file);
void rf_sources_free(rf_reader *r);
/* The first token at or after "offset"; tokens.len if none. */
size_t rf_token_from(const rf_source *s, uint32_t offset);
/* The next token after index "i" that the compiler sees, or tokens.len. */
size_t rf_cx_token_next(const rf_source *s, size_t i);
/* The last such token before index "i", or tokens.len. */
size_t rf_token_prev(const rf_source *s, size_t i);
/* True if token "i" exists and reads "text". */
bool rf_token_is(const rf_source *s, size_t i, const char *text);
char *rf_source_text(rf_reader *r, const rf_source *s, rf_range at);
/* True if a macro that may change structure is expanded inside "at". */
bool rf_source_in_macro(const rf_source *s, rf_range at);
/* The expansion whose extent is exactly "at", or NULL. */
const rf_expansion *rf_source_expansion(const rf_source *s, rf_range at);

/* ---- map.c ---- */
void *rf_map_get(const rf_map *map, CXCursor key);
void rf_map_put(rf_map *map, CXCursor key, void *value);
void rf_map_free(rf_map *map);

/* ---- cursor.c ---- */
rf_cursors rf_children(CXCursor cursor);
/* The children that are expressions, without type and name references. */
rf_cursors rf_operands(CXCursor cursor);
rf_range rf_cursor_range(const rf_reader *r, CXCursor cursor);
/* "range" as stored in a node: RF_NOWHERE outside the main file. */
rf_range rf_public_range(const rf_reader *r, rf_range range);
const char *rf_string(rf_reader *r, CXString string);
const char *rf_cursor_name(rf_reader *r, CXCursor cursor);
const char *rf_cursor_text(rf_reader *r, CXCursor cursor);
bool rf_cursor_has_child(CXCursor cursor, enum CXCursorKind kind);
bool rf_cursor_is_system(CXCursor cursor);
/* True if the cursor's first token is expanded from a macro. */
bool rf_cursor_begins_in_macro(CXCursor cursor);

/* ---- type.c, var.c, expr.c, call.c, stmt.c, func.c ---- */
const rf_type *rf_read_type(rf_reader *r, CXType type);
bool rf_type_is_arithmetic(const rf_type *type);

rf_var *rf_read_var(rf_reader *r, CXCursor decl);
rf_var *rf_builtin_var(rf_reader *r, const char *name, const rf_type *type);
bool rf_is_builtin_name(const char *name);
/* Let every variable that is named below "cursor" count as assigned: the tree
 * does not show what happens there. */
void rf_forget_inside(rf_reader *r, CXCursor cursor);

/* What is nested deeper than this is opaque: it would overflow the stack. */
enum { RF_DEEPEST = 1000 };
rf_expr *rf_read_expr(rf_reader *r, CXCursor cursor);
/* The operands of "cursor" as an initialiser list. */
rf_expr *rf_read_init_list(rf_reader *r, CXCursor cursor);
rf_expr *rf_read_call(rf_reader *r, CXCursor cursor);
/* lambda.c: a lambda, held by "holder" unless that is NULL; opaque without
 * operands if its captures cannot be told. */
rf_expr *rf_read_lambda(rf_reader *r, CXCursor cursor, rf_var *holder);
/* The lambda that the object of a call is, or NULL. */
rf_expr *rf_read_closure(rf_reader *r, CXCursor object);
rf_expr *rf_read_literal(rf_reader *r, CXCursor cursor);
/* Set "e" to the constant that libclang computes for "cursor"; false if it is
 * not constant. */
bool rf_read_constant(rf_reader *r, CXCursor cursor, rf_expr *e);
/* Turn the call of __int_as_float and its like on a literal into the number
 * that has these bits. */
bool rf_fold_bits(rf_expr *call);
/* The name of a member, from the tokens in dependent code. */
const char *rf_member_name(rf_reader *r, CXCursor cursor);
/* Give "f" the body of a constructor that only sets members ("parts" are what
 * it is made of): it returns the record. False, and no body, if it does more.
 */
bool rf_read_constructor_body(rf_reader *r, rf_func *f, CXCursor constructor,
                              const rf_cursors *parts);
/* True if the default constructor leaves every field as it is. */
bool rf_is_plain_constructor(CXCursor constructor);
rf_expr *rf_expr_of(rf_reader *r, CXCursor cursor, rf_op op, unsigned n,
                    rf_expr *const *args);
rf_expr *rf_opaque(rf_reader *r, CXCursor cursor, const char *construct);
rf_expr *rf_convert(rf_reader *r, CXCursor cursor, const rf_type *type,
                    rf_expr *e, bool is_implicit);

rf_stmt *rf_read_stmt(rf_reader *r, CXCursor cursor);
rf_func *rf_read_func(rf_reader *r, CXCursor cursor);
/* Settle what is assigned where, when the body has been read. */
void rf_mark_assigned(rf_func *func);

/* ---- pragma.c, bind.c ---- */
/* Read every mark of the main file, in order; bad ones are diagnosed. */
void rf_read_marks(rf_reader *r, rf_mark **marks, size_t *n);
/* Find what "mark" marks and append the region. */
void rf_bind_mark(rf_reader *r, const rf_mark *mark);

/* launch.c: fill the unit's launches. */
void rf_read_launches(rf_reader *r);
/* instance.c: list the types that a template, or the one around it, leaves
 * open; note the types that use "c" of a template gives it. */
void rf_read_type_params(rf_reader *r, rf_func *f, CXCursor cursor);
void rf_read_instance(rf_reader *r, CXCursor c);

/* ---- text.c ---- */
/* Read "path", or copy "bytes", and check that it is text; NULL after a
 * diagnostic if it is not. */
rf_unit *rf_unit_make(rf_arena *arena, const char *path, const char *bytes,
                      size_t size, rf_diags *diags);

/* ---- errors.c ---- */
void rf_read_errors(rf_reader *r);
/* Report that an `#include "x.h"` of the main file was not found; a library's
 * header matters only where its names are used. */
bool rf_misses_own_header(rf_reader *r);
/* Report the errors of the main file inside "at"; true if there are any. */
bool rf_report_errors(rf_reader *r, rf_range at);
bool rf_has_error(const rf_reader *r, CXFile file, rf_range at);

/* ---- flags.c, pch.c ---- */
typedef struct {
    RF_ARRAY(const char *) list;
    RF_ARRAY(const char *) language; /* those a precompiled header depends on */
} rf_flags;
/* Make the compiler's arguments for one way of reading, in "arena". */
void rf_flags_make(rf_flags *flags, rf_arena *arena,
                   const rf_front_options *options, rf_headers headers,
                   const char *toolkit, const char *include);
void rf_flags_free(rf_flags *flags);
/* Append the declarations of CUDA: the header that "headers" means, or its
 * precompiled form from the cache when "precompiled" says so and it can be
 * had. Returns true if it is the precompiled form. */
bool rf_flags_add_header(rf_flags *flags, rf_arena *arena, rf_headers headers,
                         const char *include, bool precompiled);
/* Put the precompiled form of what "unit" includes first in the place of the
 * precompiled declarations of CUDA, which it holds. Returns how many bytes of
 * the file that stands for, 0 if it cannot be had. */
size_t rf_flags_add_own_headers(rf_flags *flags, rf_arena *arena,
                                const rf_unit *unit);
/* Forget the precompiled header of "flags": it is stale. */
void rf_pch_drop(const rf_flags *flags);

/* ---- preamble.c ---- */
/* The end of the last of the includes with which the text begins, 0 if there
 * is none. */
size_t rf_includes_end(const char *bytes);

/* ---- session.c ---- */
/* True if what a file includes is kept in the cache folder. */
bool rf_session_keeps_headers(const rf_session *session);
/* The unit of "session" that was made with "flags", now of the text of "unit";
 * NULL if there is none yet. */
CXTranslationUnit rf_session_again(rf_session *session, rf_headers headers,
                                   const rf_unit *unit, const rf_flags *flags);
/* Parse "unit"; "again": other texts of it will follow. "flags" are those of
 * rf_session_again and more; they stand for the first "known" bytes. Returns
 * NULL if libclang cannot. */
CXTranslationUnit rf_session_parse(rf_session *session, rf_headers headers,
                                   const rf_unit *unit, const rf_flags *flags,
                                   size_t known, bool again);

/* ---- outer.c ---- */
/* Collect the unit's outer names. */
void rf_read_outer_names(rf_reader *r);

#endif
