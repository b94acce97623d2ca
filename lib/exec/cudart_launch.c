/* Launches, and what programs ask about kernels. */
#include "exec/cudart.h"
#ifdef RF_HAVE_CUDA

#include <string.h>

enum { DEFAULT_SHARED = 48 * 1024, MAX_SHARED = 227 * 1024, PENDING = 8 };

static _Thread_local rf_cudart_config pending[PENDING];
static _Thread_local int n_pending;

/* ---- <<<>>> ---- */

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     struct CUstream_st *stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     struct CUstream_st *stream)
{
    if (n_pending == PENDING)
        return 1;
    pending[n_pending++] = (rf_cudart_config){ grid, block, shared, stream };
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       void *stream)
{
    if (!n_pending)
        return cudaErrorMissingConfiguration;
    const rf_cudart_config *c = &pending[--n_pending];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    memcpy(stream, &c->stream, sizeof c->stream);
    return cudaSuccess;
}

static rf_dim3 dim(dim3 d)
{
    return (rf_dim3){ d.x, d.y, d.z };
}

static cudaError_t check_cluster(const rf_cudart_function *f, rf_dim3 *cluster)
{
    rf_dim3 own = rf_kernel_get_info(f->kernel).cluster, c = *cluster;
    if (own.x && c.x && (own.x != c.x || own.y != c.y || own.z != c.z))
        return cudaErrorInvalidClusterSize;
    if (own.x)
        *cluster = own;
    uint64_t blocks = (uint64_t)cluster->x * cluster->y * cluster->z;
    if ((blocks > 8 && !f->any_cluster) || blocks > rf_cudart_get()->room)
        return cudaErrorInvalidClusterSize;
    return cudaSuccess;
}

/* A launch as it is asked for. */
typedef struct {
    const void *stub;
    dim3 grid, block;
    size_t shared;
    rf_dim3 cluster;
    bool cooperative;
} call;

/* Threads and shared memory limit the blocks of an SM. */
static int blocks_per_sm(const rf_cudart_function *f, int threads,
                         size_t dynamic)
{
    size_t shared =
        rf_kernel_get_info(f->kernel).static_shared + dynamic + 1024;
    size_t by_shared = 228 * 1024 / shared;
    size_t by_threads = threads > 0 ? 2048 / (size_t)threads : 0;
    size_t n = by_shared < by_threads ? by_shared : by_threads;
    return (int)(n > 32 ? 32 : n);
}

/* All blocks of a cooperative launch have to be resident. */
static cudaError_t check_cooperative(const rf_cudart_function *f, const call *c)
{
    const dim3 b = c->block, g = c->grid;
    int per = blocks_per_sm(f, (int)(b.x * b.y * b.z), c->shared);
    uint64_t blocks = (uint64_t)g.x * g.y * g.z;
    return c->cooperative && blocks > 132 * (uint64_t)per
               ? cudaErrorCooperativeLaunchTooLarge
               : cudaSuccess;
}

static cudaError_t check_shared(const rf_cudart_function *f, size_t shared)
{
    uint32_t fixed = rf_kernel_get_info(f->kernel).static_shared;
    uint32_t most =
        f->dynamic_max > DEFAULT_SHARED ? f->dynamic_max : DEFAULT_SHARED;
    if (shared + (f->dynamic_max > DEFAULT_SHARED ? 0 : fixed) > most)
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static cudaError_t run(const call *c, void **args)
{
    rf_cudart *d = rf_cudart_get();
    rf_cudart_function *f = rf_cudart_find(c->stub);
    rf_dim3 cluster = c->cluster;
    if (d->sticky)
        return d->sticky;
    if (!f)
        return rf_cudart_return(cudaErrorInvalidDeviceFunction);
    cudaError_t error = check_shared(f, c->shared);
    if (!error)
        error = check_cluster(f, &cluster);
    if (!error)
        error = check_cooperative(f, c);
    if (error)
        return rf_cudart_return(error);
    d->launched = f->name;
    rf_launch l = { .kernel = f->kernel,
                    .grid = dim(c->grid),
                    .block = dim(c->block),
                    .cluster = cluster,
                    .dynamic_shared = (uint32_t)c->shared,
                    .cooperative = c->cooperative,
                    .args = args };
    error = (cudaError_t)rf_machine_launch(d->machine, &l);
    if (error >= cudaErrorIllegalAddress &&
        error != cudaErrorInvalidClusterSize) {
        d->sticky = d->last = error;
        return cudaSuccess;
    }
    return rf_cudart_return(error);
}

/* A launch in a graph: the call, then the bytes of its parameters. */
enum { MAX_PARAMS = 1024 };

static cudaError_t run_kept(void *data)
{
    call c;
    void *args[MAX_PARAMS];
    memcpy(&c, data, sizeof c);
    const rf_cudart_function *f = rf_cudart_find(c.stub);
    uint32_t n = rf_kernel_get_info(f->kernel).n_params;
    for (uint32_t i = 0; i < n; i++)
        args[i] =
            (char *)data + sizeof c + rf_kernel_param_offset(f->kernel, i);
    return run(&c, args);
}

static bool keep(const call *c, void **args)
{
    const rf_cudart_function *f = rf_cudart_find(c->stub);
    if (!rf_cudart_get()->capture || !f)
        return false;
    rf_kernel_info info = rf_kernel_get_info(f->kernel);
    size_t size = sizeof *c + info.param_bytes;
    char *data = rf_malloc(size);
    memcpy(data, c, sizeof *c);
    for (uint32_t i = 0; i < info.n_params; i++)
        memcpy(data + sizeof *c + rf_kernel_param_offset(f->kernel, i), args[i],
               rf_kernel_param_size(f->kernel, i));
    rf_cudart_record(run_kept, data, size);
    free(data);
    return true;
}

static cudaError_t launch(const void *stub, dim3 grid, dim3 block,
                          size_t shared, void **args, rf_dim3 cluster,
                          bool cooperative)
{
    call c = { stub, grid, block, shared, cluster, cooperative };
    return keep(&c, args) ? rf_cudart_return(cudaSuccess) : run(&c, args);
}

#define NO_CLUSTER ((rf_dim3){ 0, 0, 0 })

cudaError_t cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args,
                             size_t shared, cudaStream_t stream)
{
    (void)stream;
    return launch(f, grid, block, shared, args, NO_CLUSTER, false);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t f, dim3 grid, dim3 block,
                               void **args, size_t shared, cudaStream_t s);
cudaError_t __cudaLaunchKernel(cudaKernel_t f, dim3 grid, dim3 block,
                               void **args, size_t shared, cudaStream_t s)
{
    (void)s;
    return launch(f, grid, block, shared, args, NO_CLUSTER, false);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t f, dim3 grid, dim3 block,
                                    void **args, size_t shared, cudaStream_t s);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t f, dim3 grid, dim3 block,
                                    void **args, size_t shared, cudaStream_t s)
{
    return __cudaLaunchKernel(f, grid, block, args, shared, s);
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub)
{
    *kernel = (cudaKernel_t)rf_cudart_find(stub);
    return *kernel ? cudaSuccess
                   : rf_cudart_return(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaLaunchCooperativeKernel(const void *f, dim3 grid, dim3 block,
                                        void **args, size_t shared,
                                        cudaStream_t stream)
{
    (void)stream;
    return launch(f, grid, block, shared, args, NO_CLUSTER, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *f,
                                void **args)
{
    rf_dim3 cluster = NO_CLUSTER;
    bool cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        if (a->id == cudaLaunchAttributeClusterDimension)
            cluster = (rf_dim3){ a->val.clusterDim.x, a->val.clusterDim.y,
                                 a->val.clusterDim.z };
        if (a->id == cudaLaunchAttributeCooperative)
            cooperative = a->val.cooperative;
    }
    return launch(f, config->gridDim, config->blockDim,
                  config->dynamicSmemBytes, args, cluster, cooperative);
}

typedef struct {
    cudaHostFn_t function;
    void *data;
} host_call;

static cudaError_t run_host(void *data)
{
    const host_call *h = data;
    h->function(h->data);
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data)
{
    (void)stream;
    host_call h = { fn, data };
    return rf_cudart_record(run_host, &h, sizeof h) ? cudaSuccess
                                                    : run_host(&h);
}

/* ---- attributes ---- */

cudaError_t cudaFuncSetAttribute(const void *stub, enum cudaFuncAttribute a,
                                 int value)
{
    rf_cudart_function *f = rf_cudart_find(stub);
    if (!f)
        return rf_cudart_return(cudaErrorInvalidDeviceFunction);
    uint32_t fixed = rf_kernel_get_info(f->kernel).static_shared;
    if (a == cudaFuncAttributeMaxDynamicSharedMemorySize) {
        if (value < 0 || (uint32_t)value + fixed > MAX_SHARED)
            return rf_cudart_return(cudaErrorInvalidValue);
        f->dynamic_max = (uint32_t)value;
    }
    if (a == cudaFuncAttributeNonPortableClusterSizeAllowed)
        f->any_cluster = value;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a,
                                  const void *stub)
{
    const rf_cudart_function *f = rf_cudart_find(stub);
    if (!f)
        return rf_cudart_return(cudaErrorInvalidDeviceFunction);
    rf_kernel_info info = rf_kernel_get_info(f->kernel);
    memset(a, 0, sizeof *a);
    a->sharedSizeBytes = info.static_shared;
    a->localSizeBytes = info.local_bytes;
    a->maxThreadsPerBlock = info.max_threads ? (int)info.max_threads : 1024;
    a->numRegs = 32;
    a->ptxVersion = a->binaryVersion = 90;
    a->maxDynamicSharedSizeBytes =
        f->dynamic_max ? (int)f->dynamic_max
                       : (int)(DEFAULT_SHARED - info.static_shared);
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaFuncSetCacheConfig(const void *f, enum cudaFuncCache config)
{
    (void)f, (void)config;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaFuncGetName(const char **name, const void *stub)
{
    const rf_cudart_function *f = rf_cudart_find(stub);
    if (!f)
        return rf_cudart_return(cudaErrorInvalidDeviceFunction);
    *name = f->name;
    return rf_cudart_return(cudaSuccess);
}

/* ---- occupancy ---- */

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *n, const void *stub, int threads, size_t dynamic, unsigned flags)
{
    (void)flags;
    const rf_cudart_function *f = rf_cudart_find(stub);
    if (!f)
        return rf_cudart_return(cudaErrorInvalidDeviceFunction);
    *n = blocks_per_sm(f, threads, dynamic);
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n,
                                                          const void *stub,
                                                          int threads,
                                                          size_t dynamic)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        n, stub, threads, dynamic, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *size,
                                                      const void *f, int blocks,
                                                      int threads)
{
    (void)f, (void)threads;
    *size = blocks > 0 ? (size_t)(228 * 1024 / blocks - 1024) : 0;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *n, const void *stub,
                                                 const cudaLaunchConfig_t *c)
{
    (void)c;
    const rf_cudart_function *f = rf_cudart_find(stub);
    const uint32_t room = rf_cudart_get()->room;
    const uint32_t most = f && f->any_cluster ? 16 : 8;
    *n = (int)(room < most ? room : most);
    return rf_cudart_return(f ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *n, const void *stub,
                                           const cudaLaunchConfig_t *config)
{
    const rf_cudart_function *f = rf_cudart_find(stub);
    uint32_t blocks = 1;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            blocks = config->attrs[i].val.clusterDim.x *
                     config->attrs[i].val.clusterDim.y *
                     config->attrs[i].val.clusterDim.z;
    if (!f)
        return rf_cudart_return(cudaErrorInvalidDeviceFunction);
    const dim3 b = config->blockDim;
    int per =
        blocks_per_sm(f, (int)(b.x * b.y * b.z), config->dynamicSmemBytes);
    bool fits = blocks <= rf_cudart_get()->room;
    *n = fits ? (int)(132 * (uint32_t)per / (blocks ? blocks : 1)) : 0;
    return rf_cudart_return(cudaSuccess);
}

#endif
