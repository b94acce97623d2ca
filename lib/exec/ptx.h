/* Reading PTX text: tokens (lex.c), statements (parse.c) and what turns them
 * into code (decode*.c). */
#ifndef RF_EXEC_PTX_H
#define RF_EXEC_PTX_H

#include "exec/module.h"

typedef enum {
    RF_TOK_END,
    RF_TOK_WORD,   /* add.s32  %r1  .reg  $L__BB0_1 */
    RF_TOK_NUMBER, /* "value"; "literal" tells how it was written */
    RF_TOK_STRING,
    RF_TOK_PUNCT
} rf_token_kind;

/* How a number was written: an integer, 0f.., 0d.. or with a point. */
typedef enum { RF_LIT_INT, RF_LIT_F32, RF_LIT_F64 } rf_literal;

typedef struct {
    rf_token_kind kind;
    const char *at; /* in the text */
    size_t length;
    char punct;
    uint64_t value;
    rf_literal literal;
    uint32_t line;
} rf_token;

/* A cursor in a NUL-terminated text; "token" is the next one. */
typedef struct {
    const char *at;
    uint32_t line;
    rf_token token;
} rf_lexer;

void rf_lex_start(rf_lexer *lexer, const char *text);
/* Step to the next token. */
void rf_lex_next(rf_lexer *lexer);
/* Whether the token is that word, or that character. */
bool rf_lex_is(const rf_lexer *lexer, const char *word);
bool rf_lex_at(const rf_lexer *lexer, char punct);

/* ---- statements ---- */
typedef enum {
    RF_ARG_NAME,    /* register or symbol, perhaps + offset */
    RF_ARG_NUMBER,  /* literal */
    RF_ARG_ADDRESS, /* [at[0] + offset], [at[0], at[1]] */
    RF_ARG_VECTOR,  /* {at[0], ...} */
    RF_ARG_LIST     /* (at[0], ...) */
} rf_arg_kind;

typedef struct rf_arg {
    rf_arg_kind kind;
    const char *name, *pair; /* pair: the q of p|q */
    bool negated;            /* !p, or a negative number */
    uint64_t value;
    rf_literal literal;
    int64_t offset;
    struct rf_arg *at;
    uint32_t n;
} rf_arg;

enum { RF_MAX_PARTS = 24, RF_MAX_ARGS = 16 };

typedef struct {
    const char *part[RF_MAX_PARTS]; /* add rn f32 */
    uint32_t n_parts;
    rf_arg arg[RF_MAX_ARGS];
    uint32_t n;
    const char *guard; /* NULL: none */
    bool guard_negated;
    uint32_t ptx_line, file; /* file: number of the .loc until the end */
    const char *text;
} rf_statement;

/* A name inside a function. */
typedef enum {
    RF_SYM_REGISTER,
    RF_SYM_FRAME,  /* local memory or a parameter of a call, by lane */
    RF_SYM_PARAM,  /* parameter of the kernel */
    RF_SYM_SHARED, /* "offset" is a variable index */
    RF_SYM_LOCAL
} rf_symbol_class;

typedef struct {
    const char *name;
    size_t length;
    rf_symbol_class class;
    rf_type type;
    uint32_t offset; /* word of a register, byte of memory */
    uint32_t count;  /* %r<count>: registers; 0 for a plain name */
    uint32_t size;
} rf_symbol;

typedef struct {
    const char *name;
    uint32_t scope, code;
} rf_label;

typedef struct {
    const char *name;
    uint32_t scope, code;
    uint32_t *slot; /* NULL: the target of instruction "code" */
} rf_fixup;

typedef struct {
    const char *name;
    RF_ARRAY(const char *) labels;
    uint32_t scope;
} rf_table;

typedef struct rf_step_index rf_step_index;

/* What is known while one module is read. */
typedef struct {
    rf_lexer lexer;
    rf_module *module;
    rf_function *f;
    rf_arena *arena; /* of the module */
    RF_ARRAY(rf_symbol) symbols;
    RF_ARRAY(uint32_t) scope_parent;
    uint32_t scope;
    RF_ARRAY(rf_label) labels;
    RF_ARRAY(rf_fixup) fixups;
    RF_ARRAY(rf_table) tables;
    RF_ARRAY(rf_arg) stack;    /* elements of lists being read */
    RF_ARRAY(rf_param) params; /* of the function being read */
    uint32_t nesting;
    uint32_t loc;        /* number of the last .loc, from 1 */
    uint32_t first_file; /* number of this text's .file 0 in the module */
    bool linked;         /* of several texts, each known by its .version */
    bool variables_only; /* first pass over linked texts */
    rf_step_index *steps;
    rf_round nearest;       /* what stands for rounding to nearest */
    RF_ARRAY(uint8_t) flow; /* flow.c: the type a register holds */
    jmp_buf error;
    char *message; /* owned; set before the jump */
} rf_reader;

/* Give up on the text: "format" says why. Does not return. */
_Noreturn void rf_reader_fail(rf_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* parse.c: the statement at the cursor, up to its ';'. The parts and
 * arguments live in the arena. */
void rf_parse_statement(rf_reader *r, rf_statement *s);
/* One bracket deeper; fails beyond any use. */
void rf_parse_enter(rf_reader *r);
bool rf_parse_accept(rf_reader *r, char punct);
void rf_parse_expect(rf_reader *r, char punct);
const char *rf_parse_word(rf_reader *r);
int64_t rf_parse_number(rf_reader *r);
void rf_parse_skip_past(rf_reader *r, char punct);

/* A declaration: [.align N] .type name[dims]. */
typedef struct {
    const char *name;
    rf_type type;
    uint32_t size, align;
    bool open; /* name[] */
} rf_declaration;

rf_declaration rf_parse_declaration(rf_reader *r);

/* body.c: a function's { ... } */
void rf_parse_body(rf_reader *r);
/* symbols.c */
uint32_t rf_frame_words(rf_reader *r, uint32_t words);
uint32_t rf_frame_local(rf_reader *r, uint32_t size, uint32_t align);
void rf_symbol_add(rf_reader *r, rf_symbol symbol);
const rf_symbol *rf_symbol_find(rf_reader *r, const char *name,
                                uint32_t *index);
rf_operand rf_operand_literal(rf_reader *r, uint64_t value);
/* The word of a special register, or UINT32_MAX. */
uint32_t rf_special_find(const char *name, bool *predicate);

/* ---- decoding ---- */

/* One row of a table of steps: "add.s32", its function, its class. */
typedef struct {
    const char *key;
    rf_step *step;
    uint8_t class;
} rf_step_row;

extern const rf_step_row rf_steps_int[], rf_steps_float[], rf_steps_move[],
    rf_steps_packed[], rf_steps_half[], rf_steps_ftz[];

rf_step_index *rf_steps_index(rf_arena *arena);
const rf_step_row *rf_steps_find(const rf_step_index *index, const char *key);

/* Decode a statement into one or more instructions of r->f. */
void rf_decode(rf_reader *r, const rf_statement *s);
/* Append an empty instruction for "s". Valid until the next append. */
rf_instr *rf_emit(rf_reader *r, const rf_statement *s, rf_step *step,
                  rf_kind kind, rf_class class);
/* The operand that an argument stands for; emits code for addresses. */
rf_operand rf_operand_of(rf_reader *r, const rf_statement *s, const rf_arg *arg,
                         rf_type type);
/* The base of an address argument; "*offset" its displacement. */
rf_operand rf_operand_base(rf_reader *r, const rf_statement *s,
                           const rf_arg *arg, int64_t *offset);
rf_operands rf_operands_of(rf_reader *r, const rf_statement *s,
                           const rf_arg *arg, rf_type type);
static inline rf_operand rf_operand_none(void)
{
    return (rf_operand){ .bank = RF_BANK_NONE };
}

bool rf_has(const rf_statement *s, const char *part);
/* The n-th part that names a type. */
rf_type rf_nth_type(const rf_statement *s, uint32_t n);
rf_type rf_last_type(const rf_statement *s);
rf_round rf_round_of(const rf_statement *s);
/* The same for the result of arithmetic, which the machine may round in
 * another way than to nearest. */
rf_round rf_result_round_of(const rf_reader *r, const rf_statement *s);
rf_space rf_space_of(const rf_statement *s);
/* The n-th state space named. */
rf_space rf_nth_space(const rf_statement *s, uint32_t n);
/* The first part that names an atomic operation, or RF_ATOM_COUNT. */
rf_atomic rf_atomic_of(const rf_statement *s);

/* flow.c: note the types of what "in" writes, guess that of what it stores. */
void rf_flow_note(rf_reader *r, rf_instr *in);

/* A decoder of one mnemonic; false: not an instruction it knows. */
typedef bool rf_decoder(rf_reader *r, const rf_statement *s);

#endif
