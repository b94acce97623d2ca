/* The machine's inside: what lib/exec's files share.
 *
 * Values. A warp is 32 lanes; a register is a column, 32 words of 64 bits, lane
 * i's value in word i, zero-extended (f32 1.0 is 0x3f800000). A predicate is
 * one word whose bit i belongs to lane i. A step (one decoded instruction) is a
 * C function over the columns of a warp under a mask of active lanes.
 *
 * Addresses. Global memory is host memory in the machine's heap. A generic
 * address whose top byte is 0x5a lies in shared memory: bits 24..31 are the
 * rank of the block in its cluster, bits 0..23 the offset (from 1024, as on the
 * hardware). Top byte 0x5b: the lane's own local memory, bits 0..31 the offset.
 *
 * Ownership. A module owns its functions and instructions (arena); a worker (a
 * host thread) owns the clusters it runs; a cluster owns its blocks, a block
 * its warps and shared memory. Workers share only the module (read), the heap
 * and its shadow. */
#ifndef RF_EXEC_MACHINE_H
#define RF_EXEC_MACHINE_H

#include "exec/exec.h"
#include "exec/floats.h"
#include "support/arena.h"
#include "support/array.h"
#include "support/buf.h"

#include <setjmp.h>

enum { RF_LANES = 32 };
typedef uint64_t rf_column[RF_LANES];

#define RF_FULL_MASK 0xffffffffu
/* For each lane i of "mask". */
#define RF_EACH_LANE(i, mask)                                                  \
    for (int i = 0; i < RF_LANES; i++)                                         \
        if ((mask) >> i & 1)

/* ---- types: identifier, spelling, bytes, class (u s b f x p) ---- */
#define RF_TYPES(X)                                                            \
    X(NONE, "", 0, 'n')                                                        \
    X(U8, "u8", 1, 'u')                                                        \
    X(S8, "s8", 1, 's')                                                        \
    X(B8, "b8", 1, 'b')                                                        \
    X(U16, "u16", 2, 'u')                                                      \
    X(S16, "s16", 2, 's')                                                      \
    X(B16, "b16", 2, 'b')                                                      \
    X(U32, "u32", 4, 'u')                                                      \
    X(S32, "s32", 4, 's')                                                      \
    X(B32, "b32", 4, 'b')                                                      \
    X(U64, "u64", 8, 'u')                                                      \
    X(S64, "s64", 8, 's')                                                      \
    X(B64, "b64", 8, 'b')                                                      \
    X(B128, "b128", 16, 'b')                                                   \
    X(F16, "f16", 2, 'f')                                                      \
    X(BF16, "bf16", 2, 'f')                                                    \
    X(F16X2, "f16x2", 4, 'x')                                                  \
    X(BF16X2, "bf16x2", 4, 'x')                                                \
    X(F32, "f32", 4, 'f')                                                      \
    X(F64, "f64", 8, 'f')                                                      \
    X(TF32, "tf32", 4, 'f')                                                    \
    X(E4M3, "e4m3", 1, 'f')                                                    \
    X(E5M2, "e5m2", 1, 'f')                                                    \
    X(E4M3X2, "e4m3x2", 2, 'x')                                                \
    X(E5M2X2, "e5m2x2", 2, 'x')                                                \
    X(U4, "u4", 1, 'u')                                                        \
    X(S4, "s4", 1, 's')                                                        \
    X(B1, "b1", 1, 'b')                                                        \
    X(F32X2, "f32x2", 8, 'x')                                                  \
    X(PRED, "pred", 0, 'p')

typedef enum {
#define X(id, spelling, bytes, class) RF_T_##id,
    RF_TYPES(X)
#undef X
        RF_T_COUNT
} rf_type;

uint32_t rf_type_bytes(rf_type type);
const char *rf_type_spelling(rf_type type);
char rf_type_class(rf_type type);
/* The type spelled "text" (without the dot), or RF_T_NONE. */
rf_type rf_type_find(const char *text);

typedef enum {
    RF_SPACE_GENERIC,
    RF_SPACE_GLOBAL,
    RF_SPACE_SHARED,  /* .shared, .shared::cta */
    RF_SPACE_CLUSTER, /* .shared::cluster */
    RF_SPACE_LOCAL,
    RF_SPACE_PARAM,
    RF_SPACE_CONST
} rf_space;

enum { RF_SHARED_START = 1024, RF_SHARED_MAX = 227 * 1024 };
#define RF_WINDOW_MASK   0xff00000000000000ull
#define RF_WINDOW_SHARED 0x5a00000000000000ull
#define RF_WINDOW_LOCAL  0x5b00000000000000ull

/* ---- operations on memory that combine old and new value ---- */
#define RF_ATOMICS(X)                                                          \
    X(ADD, "add")                                                              \
    X(AND, "and")                                                              \
    X(OR, "or")                                                                \
    X(XOR, "xor")                                                              \
    X(EXCH, "exch")                                                            \
    X(CAS, "cas")                                                              \
    X(MIN, "min")                                                              \
    X(MAX, "max")                                                              \
    X(INC, "inc")                                                              \
    X(DEC, "dec")

typedef enum {
#define X(id, spelling) RF_ATOM_##id,
    RF_ATOMICS(X)
#undef X
        RF_ATOM_COUNT
} rf_atomic;

/* The value that "op" leaves in a cell of "type" that held "old"; sums of
 * floats are rounded by "round". */
uint64_t rf_atomic_apply(rf_atomic op, rf_type type, uint64_t old, uint64_t b,
                         uint64_t c, rf_round round);

/* Memory as one lane sees it, for steps written as pure functions (tensor
 * copies, wgmma): each call checks the access and copies bytes; the functions
 * do not return when a check finds a fault. */
typedef struct {
    void *context;
    void (*read)(void *context, rf_space space, uint64_t address, void *bytes,
                 uint32_t n);
    void (*write)(void *context, rf_space space, uint64_t address,
                  const void *bytes, uint32_t n);
    void (*reduce)(void *context, rf_space space, uint64_t address,
                   const void *bytes, uint32_t n, rf_atomic op, rf_type type);
} rf_access;

/* ---- decoded instructions ---- */
typedef struct rf_warp rf_warp;
typedef struct rf_block rf_block;
typedef struct rf_cluster rf_cluster;
typedef struct rf_worker rf_worker;
typedef struct rf_function rf_function;
typedef struct rf_instr rf_instr;
typedef struct rf_grid rf_grid;

/* Execute "in" for the lanes of "mask". */
typedef void rf_step(rf_warp *w, const rf_instr *in, uint32_t mask);

/* Where an operand lives. A word is an index of 64-bit words from the base of
 * its bank; a column takes 32 words, a predicate one. */
typedef enum {
    RF_BANK_FRAME,   /* registers of the function's frame */
    RF_BANK_CONST,   /* columns of literals */
    RF_BANK_SPECIAL, /* %tid.x, ... */
    RF_BANK_SCRATCH, /* columns for steps that wrap others */
    RF_BANK_COUNT,
    RF_BANK_NONE /* absent, or the sink "_" */
} rf_bank;

typedef struct {
    uint8_t bank;
    bool predicate, negated;
    bool literal;
    uint32_t word;
} rf_operand;

typedef struct {
    rf_operand *at;
    uint32_t n;
} rf_operands;

/* How the scheduler treats an instruction. */
typedef enum {
    RF_KIND_STEP,
    RF_KIND_BRANCH,
    RF_KIND_BRANCH_TABLE,
    RF_KIND_CALL,
    RF_KIND_RETURN,
    RF_KIND_EXIT,
    RF_KIND_WARP, /* waits for the lanes of its member mask */
    RF_KIND_BARRIER,
    RF_KIND_CLUSTER_ARRIVE,
    RF_KIND_CLUSTER_WAIT,
    RF_KIND_TRY_WAIT, /* gives its turn away when it fails */
    RF_KIND_WAIT,     /* blocks until its step says it is done */
    RF_KIND_YIELD,
    RF_KIND_TRAP
} rf_kind;

/* Classes of instructions in reports. */
#define RF_CLASSES(X)                                                          \
    X(INT, "integer")                                                          \
    X(FLOAT, "float")                                                          \
    X(DOUBLE, "double")                                                        \
    X(HALF, "half")                                                            \
    X(SPECIAL, "special function")                                             \
    X(CONVERT, "conversion")                                                   \
    X(MOVE, "move")                                                            \
    X(COMPARE, "compare and select")                                           \
    X(LOAD, "load")                                                            \
    X(STORE, "store")                                                          \
    X(ATOMIC, "atomic")                                                        \
    X(CONTROL, "control")                                                      \
    X(WARP, "warp")                                                            \
    X(BARRIER, "barrier")                                                      \
    X(TENSOR, "tensor core")                                                   \
    X(ASYNC, "asynchronous copy")                                              \
    X(OTHER, "other")

typedef enum {
#define X(id, spelling) RF_CLASS_##id,
    RF_CLASSES(X)
#undef X
        RF_CLASS_COUNT
} rf_class;

/* Flags of an instruction; the low bits are those of floats.h. */
enum {
    RF_FLAG_VOLATILE = 1 << 8,
    RF_FLAG_ACQUIRE = 1 << 9,
    RF_FLAG_RELEASE = 1 << 10,
    RF_FLAG_RESULT = 1 << 11 /* an atomic whose old value is used */
};

/* Calls, mma shapes, branch tables, ...: rarely read parts. */
typedef struct rf_extra rf_extra;

struct rf_instr {
    rf_step *step;
    uint8_t kind, class, type, type2;
    uint8_t space, space2, round, sub; /* sub: the variant of the operation */
    uint16_t flags;
    bool leader; /* a branch may land here: look at the other lanes */
    uint8_t n;
    uint32_t target; /* branch: index in the module's code */
    int64_t offset;  /* of the address operand */
    rf_operand guard;
    rf_operand o[6];    /* RF_KIND_WARP: the member mask is o[5] */
    rf_operands vec[4]; /* braces: 0 results, 1.. sources */
    rf_extra *extra;
    const rf_function *function;
    uint64_t imm[4];
    uint32_t index; /* of this instruction in the module's code */
    uint32_t file, line, ptx_line;
    const char *text; /* the PTX statement, ends at ';' */
};

#include "exec/warp.h"

#endif
