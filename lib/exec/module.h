/* Loaded code: modules, functions, kernels, and the machine that holds them.
 * Code of all functions of a module lies in one array; a code index names an
 * instruction. */
#ifndef RF_EXEC_MODULE_H
#define RF_EXEC_MODULE_H

#include "exec/machine.h"

#include <pthread.h>

typedef struct {
    const char *name;
    uint32_t offset, size, align;
} rf_param;

struct rf_function {
    const char *name;
    rf_module *module;
    bool entry, defined, address_taken;
    uint32_t index; /* in the module */
    rf_param *params, *results;
    uint32_t n_params, n_results, param_bytes;
    uint32_t start, end; /* code indices */
    uint32_t frame_words, local_bytes;
    RF_ARRAY(rf_function *) callees;
    RF_ARRAY(uint32_t) shared; /* variables used, indices in the module */
    bool calls_indirectly;
    bool ordered; /* its result may depend on the order of blocks */
};

typedef struct {
    const char *name;
    rf_space space; /* GLOBAL, CONST or SHARED */
    uint32_t size, align;
    uint64_t address; /* global and constant */
    uint32_t column;  /* shared: its column in the special bank */
} rf_variable;

struct rf_kernel {
    rf_function *f;
    rf_module *module;
    uint32_t static_shared;
    uint32_t dynamic_start;  /* of dynamic shared memory, aligned */
    uint32_t *shared_offset; /* of each shared variable of the module */
    uint32_t max_threads;
    rf_dim3 cluster;
    bool explicit_cluster;
    bool ordered; /* f or something it calls is */
    uint32_t runs;
};

struct rf_extra {
    /* a call */
    rf_function *callee; /* NULL: o[0] holds its handle */
    uint32_t n_args, n_results;
    uint32_t *arg_offset, *arg_size, *result_offset, *result_size;
    /* a branch table */
    uint32_t *targets;
    uint32_t n_targets;
    /* an mma or wgmma: M, N, K and the types of D, A, B, C */
    uint32_t m, n, k;
    rf_type matrix_type[4];
    const void *data; /* of the step's own choice */
};

/* A .loc: a place, and the place it was inlined at (line 0: none). */
typedef struct {
    uint32_t file, line, from_file, from_line;
} rf_loc;

struct rf_module {
    rf_arena *arena;
    rf_machine *machine;
    const char *text;
    RF_ARRAY(rf_instr) code;
    uint64_t *literals; /* columns, aligned */
    RF_ARRAY(uint64_t) literal_values;
    RF_ARRAY(rf_function *) functions;
    RF_ARRAY(rf_variable) variables;
    RF_ARRAY(rf_kernel *) kernels;
    RF_ARRAY(const char *) files; /* by .file number */
    RF_ARRAY(rf_loc) locs;
    uint32_t n_shared;          /* shared variables */
    uint64_t *hits, *warp_hits; /* by code index, all launches */
};

/* Functions are called through handles: this and the function's index. */
#define RF_HANDLE 0x5f00000000000000ull

rf_function *rf_module_function(rf_module *module, const char *name);
rf_variable *rf_module_variable(rf_module *module, const char *name);

#endif
