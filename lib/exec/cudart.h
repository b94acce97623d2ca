/* The CUDA runtime's stand-in: what programs link to instead of libcudart.
 *
 * Its interface has one device for the whole process, so here, and only here,
 * the library has a global object: rf_cudart_get(). Everything is synchronous;
 * a fault in a kernel shows at the next call, as on a device. */
#ifndef RF_EXEC_CUDART_H
#define RF_EXEC_CUDART_H

#if __has_include(<cuda_runtime_api.h>)
#define RF_HAVE_CUDA 1

#define __CUDA_RUNTIME_API_H_NO_DEPRECATED
#include <cuda.h>
#include <cuda_runtime_api.h>

#include "exec/exec.h"
#include "support/array.h"

typedef struct {
    rf_module *module;
} rf_fatbin;

typedef struct {
    const void *host; /* the stub that stands for it in host code */
    const char *name;
    rf_fatbin *fatbin;
    rf_kernel *kernel; /* NULL until it is asked for */
    uint32_t dynamic_max;
    bool any_cluster; /* clusters over 8 blocks are allowed */
} rf_cudart_function;

typedef struct {
    const void *host;
    const char *name;
    rf_fatbin *fatbin;
} rf_cudart_variable;

typedef struct {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} rf_cudart_config;

/* Calls kept while a stream is captured. */
typedef struct rf_cudart_graph rf_cudart_graph;
typedef cudaError_t rf_cudart_action(void *data);

/* A buffer that the host can reach: pinned or managed. */
typedef struct {
    uint64_t start;
    enum cudaMemoryType type;
} rf_cudart_visible;

typedef struct {
    rf_machine *machine;
    uint32_t room; /* blocks of the largest cluster */
    RF_ARRAY(rf_cudart_visible) visible;
    rf_cudart_graph *capture; /* NULL: no stream is being captured */
    RF_ARRAY(rf_cudart_function *) functions;
    RF_ARRAY(rf_cudart_variable) variables;
    cudaError_t last, sticky;
    FILE *log;            /* payloads for --compare, or NULL */
    const char *launched; /* the kernel launched last */
    const char *report;   /* "text", "json" or NULL */
    const char *result;   /* file for the number of reports, or NULL */
} rf_cudart;

/* The process's device; made on the first call. */
rf_cudart *rf_cudart_get(void);
/* The PTX in what nvcc registers, NULL if there is none. The caller frees it.
 */
char *rf_cudart_ptx(const void *binary);
/* Note an error and return what the call has to return. */
cudaError_t rf_cudart_return(cudaError_t error);
/* The function behind a stub, or NULL. */
rf_cudart_function *rf_cudart_find(const void *stub);
/* The device address of a variable's stub, 0 if there is none. */
uint64_t rf_cudart_symbol(const void *stub, size_t *size);
/* While a stream is captured, keep a call of "run" on a copy of the "size"
 * bytes at "data" for the graph; otherwise return false. */
bool rf_cudart_record(rf_cudart_action *run, const void *data, size_t size);
/* Append a payload to the log. */
void rf_cudart_log(const char *kind, uint64_t address, size_t size,
                   const void *bytes);

#endif
#endif
