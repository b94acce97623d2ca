/* The program text as plain data: what front/ reads from libclang and what
 * emit/ prints. One tree for the author's code and for generated code, so that
 * proof/ can read the emitted text back and compare like with like.
 *
 * Everything lives in the arena of the rf_unit; pointers identify variables and
 * functions (two uses of one variable share one rf_var). Ranges are byte
 * offsets in the main file, as on disk; a generated node has RF_NOWHERE. */
#ifndef RF_IR_AST_H
#define RF_IR_AST_H

#include "support/arena.h"
#include "support/array.h"
#include "support/buf.h"
#include "support/diag.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t begin, end; /* [begin, end) */
} rf_range;
#define RF_NOWHERE ((rf_range){ UINT32_MAX, UINT32_MAX })

/* ---- types ---- */

typedef enum {
    RF_TYPE_VOID,
    RF_TYPE_BOOL,
    RF_TYPE_INT,       /* bits, is_unsigned; also char, enum, size_t */
    RF_TYPE_FLOAT,     /* format */
    RF_TYPE_POINTER,   /* elem; C++ references too, with is_reference */
    RF_TYPE_ARRAY,     /* elem, count (-1: unknown or dependent) */
    RF_TYPE_RECORD,    /* struct, class: float4, user types; fields by name */
    RF_TYPE_DEPENDENT, /* a template parameter or depends on one */
    RF_TYPE_OTHER
} rf_type_kind;

typedef enum {
    RF_F32,
    RF_F64,
    RF_F16,
    RF_BF16,
    RF_E4M3,
    RF_E5M2
} rf_float_format;

typedef struct rf_type {
    rf_type_kind kind;
    rf_float_format format;
    unsigned bits;
    int64_t count;
    const struct rf_type *elem;
    bool is_unsigned, is_const, is_volatile, is_restrict, is_reference;
    bool knows_fields; /* RECORD: has these members and no others */
    unsigned n_fields; /* RECORD: members in order */
    const char *const *fields;
    const struct rf_type *const *field_types;
    const char *spelling;  /* as written in C++, without top-level const */
    const char *canonical; /* RECORD, OTHER: without typedefs; NULL if made by
                            * hand: the spelling is it */
} rf_type;

/* ---- expressions ---- */

/* id, C spelling (NULL: printed specially), number of operands (-1: any) */
#define RF_OPS(X)                                                              \
    X(INT, NULL, 0)    /* integer, bool or char literal: value.i */            \
    X(FLOAT, NULL, 0)  /* floating literal: value.f, spelling */               \
    X(STRING, NULL, 0) /* string literal: spelling */                          \
    X(VAR, NULL, 0)    /* use of a variable: var */                            \
    X(INDEX, NULL, 2)  /* a[i] */                                              \
    X(DEREF, "*", 1)                                                           \
    X(ADDRESS, "&", 1) /* is_implicit: passed by non-const reference */        \
    X(FIELD, NULL, 1)  /* a.name, a->name (is_arrow); threadIdx.x too */       \
    X(CALL, NULL, -1)  /* name(args); callee when its body is visible */       \
    X(CAST, NULL, 1)   /* explicit or implicit (is_implicit) conversion */     \
    X(INIT_LIST, NULL, -1)                                                     \
    X(NEG, "-", 1)                                                             \
    X(PLUS, "+", 1)                                                            \
    X(BIT_NOT, "~", 1)                                                         \
    X(NOT, "!", 1)                                                             \
    X(ADD, "+", 2)                                                             \
    X(SUB, "-", 2)                                                             \
    X(MUL, "*", 2)                                                             \
    X(DIV, "/", 2)                                                             \
    X(REM, "%", 2)                                                             \
    X(SHL, "<<", 2)                                                            \
    X(SHR, ">>", 2)                                                            \
    X(BIT_AND, "&", 2)                                                         \
    X(BIT_OR, "|", 2)                                                          \
    X(BIT_XOR, "^", 2)                                                         \
    X(LT, "<", 2)                                                              \
    X(LE, "<=", 2)                                                             \
    X(GT, ">", 2)                                                              \
    X(GE, ">=", 2)                                                             \
    X(EQ, "==", 2)                                                             \
    X(NE, "!=", 2)                                                             \
    X(AND, "&&", 2)                                                            \
    X(OR, "||", 2)                                                             \
    X(SELECT, NULL, 3) /* a ? b : c */                                         \
    X(COMMA, ",", 2)                                                           \
    X(ASSIGN, "=", 2)                                                          \
    X(ASSIGN_OP, NULL, 2) /* a OP= b: value.assign is ADD, SUB, ... */         \
    X(PRE_INC, "++", 1)                                                        \
    X(PRE_DEC, "--", 1)                                                        \
    X(POST_INC, "++", 1)                                                       \
    X(POST_DEC, "--", 1)                                                       \
    X(OPAQUE, NULL, -1) /* something the reader cannot model: spelling */

typedef enum {
#define X(id, spelling, arity) RF_OP_##id,
    RF_OPS(X)
#undef X
        RF_OP_COUNT
} rf_op;

typedef struct rf_var rf_var;
typedef struct rf_func rf_func;
typedef struct rf_stmt rf_stmt;
typedef struct rf_expr rf_expr;

struct rf_expr {
    rf_op op;
    bool is_arrow;    /* FIELD: written with -> */
    bool is_implicit; /* CAST that is not written */
    bool is_method;   /* CALL: arg[0] is the object */
    bool in_macro;    /* any of its tokens comes from a macro expansion */
    rf_range at;
    const rf_type *type;
    /* The author's words for this node where they say more than the value:
     * a macro or constexpr name, a literal as written, a sizeof, a qualified
     * callee, an opaque piece of text. NULL otherwise. */
    const char *spelling;
    const char *name; /* FIELD: the field; CALL: the function, unqualified;
                       * ASSIGN: the intrinsic that stores (__stcs), or NULL;
                       * OPAQUE: the construct ("lambda") */
    union {
        int64_t i;    /* INT; also the folded value of a constant spelling */
        double f;     /* FLOAT */
        rf_op assign; /* ASSIGN_OP */
    } value;
    rf_var *var;     /* VAR; INT, FLOAT: the constant it names, or NULL */
    rf_func *callee; /* CALL: user function with a visible body, else NULL */
    unsigned n;      /* operands */
    rf_expr **arg;
    unsigned n_template; /* CALL: arguments for the callee's template_params; */
    rf_expr **template_arg; /* fewer than those: not written down */
};

typedef enum {
    RF_VAR_LOCAL,
    RF_VAR_PARAM,
    RF_VAR_GLOBAL,   /* __device__ and host globals */
    RF_VAR_CONSTANT, /* __constant__, constexpr, const with constant value */
    RF_VAR_SHARED,   /* __shared__, static or extern */
    RF_VAR_BUILTIN,  /* threadIdx, blockIdx, blockDim, gridDim, warpSize */
    RF_VAR_TEMPLATE  /* a non-type template parameter */
} rf_storage;

struct rf_var {
    const char *name;
    const rf_type *type;
    rf_storage storage;
    bool is_const;      /* never assigned after its declaration */
    bool is_static;     /* static storage inside a function */
    unsigned alignment; /* SHARED, generated: bytes; 0: that of its type */
    rf_range at;        /* its declaration */
    unsigned id;        /* unique in the unit, in order of appearance */
};

/* ---- statements ---- */

typedef enum {
    RF_STMT_EMPTY,
    RF_STMT_DECL, /* var = expr (expr NULL: uninitialised); one variable */
    RF_STMT_EXPR, /* expr; also assignments */
    RF_STMT_IF,   /* if (expr) body else orelse */
    RF_STMT_FOR,  /* for (init; expr; step) body; each may be NULL */
    RF_STMT_WHILE,
    RF_STMT_DO,
    RF_STMT_BLOCK, /* list; is_scope false for `int a, b;` */
    RF_STMT_BREAK,
    RF_STMT_CONTINUE,
    RF_STMT_RETURN, /* expr or NULL */
    RF_STMT_ALIAS,  /* typedef, using T = ...: text is the name */
    RF_STMT_OPAQUE  /* asm, goto, switch, try, lambda ...: text says what */
} rf_stmt_kind;

struct rf_stmt {
    rf_stmt_kind kind;
    bool in_macro;     /* the statement itself, not just a part, is expanded */
    bool is_scope;     /* BLOCK: written with braces */
    bool is_constexpr; /* IF: written with constexpr */
    rf_range at;       /* with its ';' and its attribute */
    rf_var *var;       /* DECL; EMPTY: declared here, set later */
    rf_expr *expr;     /* condition, value, initialiser */
    rf_stmt *init;     /* FOR */
    rf_expr *step;     /* FOR */
    rf_stmt *body;     /* IF then, FOR, WHILE, DO */
    rf_stmt *orelse;
    const char *text;      /* OPAQUE: the construct ("goto", "asm", "switch");
                            * ALIAS: the name of the type;
                            * any: generated comment printed above it */
    const char *attribute; /* `#pragma unroll` etc. before it, or NULL */
    unsigned n;
    rf_stmt **list; /* BLOCK */
};

/* ---- functions, marks, units ---- */

/* A type that a template leaves open. */
typedef struct {
    const char *name;
    const char *other; /* an instance that is no floating-point type, or NULL */
    rf_range other_at;
    unsigned narrowest; /* of the floating-point instances, in bits, or 0 */
    const char *narrow;
    rf_range narrow_at;
} rf_type_param;

struct rf_func {
    const char *name;
    const char *scope; /* the named namespaces around it: "a::b::" */
    const rf_type *result;
    bool is_kernel, is_device, is_host, is_template;
    bool is_recursive;
    bool is_const_method; /* leaves its object as it is */
    bool has_error; /* the compiler reports an error inside: do not trust it */
    unsigned n_params;
    rf_var **params;
    unsigned n_template; /* template parameters that are values */
    rf_var **template_params;
    bool has_template_types; /* and others that are not */
    unsigned n_types;        /* template parameters that are types */
    rf_type_param *types;
    rf_stmt *body; /* a BLOCK; NULL: only declared */
    rf_range at;   /* the whole definition, with template head and attributes */
    const char *launch_bounds; /* text of the arguments, or NULL */
};

typedef enum { RF_MARK_CASCADE, RF_MARK_GEMM_CHAIN, RF_MARK_OFF } rf_mark_kind;

typedef enum {
    RF_LEVEL_AUTO,
    RF_LEVEL_THREAD,
    RF_LEVEL_WARP,
    RF_LEVEL_BLOCK,
    RF_LEVEL_CLUSTER,
    RF_LEVEL_GRID
} rf_level;

typedef struct {
    const char *name;
    int64_t size;
} rf_tile;

/* One `#pragma rf ...` with its clauses (DESIGN, The pragma). */
typedef struct {
    rf_mark_kind kind;
    rf_place place; /* of the '#' or of `_Pragma` */
    rf_range at;    /* the whole directive, without its line end */
    rf_level level;
    bool picks_level; /* level(auto) is written: the planner picks */
    int cluster, blocks, threads; /* 0: the planner chooses */
    int cluster_of[4];            /* cluster(m, n, k, l); 0: not given */
    unsigned n_tiles;
    rf_tile *tiles;
    const char *axis, *rows;                 /* NULL: found by the tool */
    bool noalias, finite, rounding, atomics; /* assume(...) */
    unsigned n_predicates;
    const char **predicates;      /* assume(C <= 4096) as text */
    const uint32_t *predicate_at; /* their offsets in the file */
    bool strict, masked_zero, scale_running, replace;
    const char *text; /* the clauses as written, blanks normalised */
} rf_mark;

/* A mark bound to what it marks. */
typedef struct {
    rf_mark mark;
    rf_func *func; /* the function that holds it, or that is marked */
    rf_stmt *stmt; /* the marked statement; the body when func is marked */
    bool whole_function;
    bool has_directive; /* an #if, #else, #define ... stands inside "stmt" */
    rf_place directive; /* the first of them */
} rf_region;

/* A mark without a region: what it says or stands at is wrong (an error), or
 * is not read; "reason" names what was reported. */
typedef struct {
    rf_mark mark;
    uint32_t end; /* of what is marked, or of the mark */
    rf_diag_name reason;
    bool is_error;
} rf_lost_mark;

/* Where a macro is used whose definition the author wrote. */
typedef struct {
    rf_range at;
    const char *name;
    rf_place definition;
} rf_macro_use;

/* A launch kernel<<<grid, block>>> in the host code of the file. */
typedef struct {
    const char *kernel;
    int64_t grid[3], block[3];            /* -1: not known */
    bool grid_is_number, block_is_number; /* not a dim3 */
    unsigned n_values; /* of template parameters that are integers, */
    int64_t values[8];
    unsigned place[8]; /* ... each the place[i]th of all parameters */
    rf_range at;
} rf_kernel_launch;

/* A parsed file. */
typedef struct rf_unit {
    rf_arena *arena;
    const char *path;  /* absolute */
    const char *bytes; /* the file as on disk; NUL-terminated */
    size_t size;
    /* In file order; in the arena, so never grown after parsing. */
    RF_ARRAY(rf_region) regions;
    RF_ARRAY(rf_lost_mark) lost;
    RF_ARRAY(rf_func *) funcs; /* all device functions of the file */
    RF_ARRAY(rf_kernel_launch) launches;
    RF_ARRAY(rf_macro_use) macros;
    RF_ARRAY(const char *) outer_names; /* declared outside functions */
    RF_ARRAY(const char *) macro_names; /* defined by the file */
} rf_unit;

/* The line and column of byte "offset" of "unit". */
rf_place rf_unit_place(const rf_unit *unit, uint32_t offset);

/* What is marked: a statement or a function. */
rf_range rf_region_range(const rf_region *region);

/* Constructors of generated nodes, in "arena". Types are shared. */
rf_expr *rf_expr_new(rf_arena *arena, rf_op op, const rf_type *type, unsigned n,
                     rf_expr *const *args);
rf_expr *rf_expr_var(rf_arena *arena, rf_var *var);
rf_expr *rf_expr_int(rf_arena *arena, int64_t value);
rf_stmt *rf_stmt_new(rf_arena *arena, rf_stmt_kind kind);

/* True for for, while and do. */
bool rf_stmt_is_loop(const rf_stmt *s);
/* True if "target" is "s" or stands in it. "s" may be NULL. */
bool rf_stmt_holds(const rf_stmt *s, const rf_stmt *target);

/* The first expression in "e", itself before its operands and those from left
 * to right, for which "test" is true, or NULL. "e" may be NULL. */
const rf_expr *rf_expr_find(const rf_expr *e,
                            bool (*test)(const rf_expr *, const void *),
                            const void *data);
/* The first statement in "s", itself before its parts, for which "test" is
 * true, or NULL. "s" may be NULL. */
const rf_stmt *rf_stmt_find(const rf_stmt *s,
                            bool (*test)(const rf_stmt *, const void *),
                            const void *data);
/* The same for the expressions in "s": the condition or value of a statement,
 * then its parts. */
const rf_expr *rf_stmt_find_expr(const rf_stmt *s,
                                 bool (*test)(const rf_expr *, const void *),
                                 const void *data);
/* Tests for the above: "e" uses, or assigns to, the rf_var "var"; an assignment
 * to any variable where "var" is NULL. */
bool rf_expr_is_use(const rf_expr *e, const void *var);
bool rf_expr_is_assignment(const rf_expr *e, const void *var);
/* True of a number that the author gives by name: INFINITY, not 3. */
bool rf_expr_is_named_number(const rf_expr *e);

/* True if "a" and "b" are the same expression: same operators, variables,
 * values and function names (ranges and spellings do not count). */
bool rf_expr_same(const rf_expr *a, const rf_expr *b);
/* True if "a" and "b" are the same type up to const, volatile, restrict. */
bool rf_type_same(const rf_type *a, const rf_type *b);

/* True for =, OP=, ++ and --: the first operand changes. */
bool rf_op_assigns(rf_op op);
const char *rf_op_spelling(rf_op op);
const char *rf_op_name(rf_op op);

/* Print as an S-expression (--dump=ast, goldens). */
void rf_expr_dump(rf_buf *out, const rf_expr *expr);
void rf_stmt_dump(rf_buf *out, const rf_stmt *stmt, int indent);
void rf_func_dump(rf_buf *out, const rf_func *func);

#endif
