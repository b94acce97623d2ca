/* What makes no difference on one device that does everything at once: hints,
 * pools, peers, priorities. */
#include "exec/cudart.h"
#ifdef RF_HAVE_CUDA

#define SUCCEEDS(declaration)                                                  \
    cudaError_t declaration                                                    \
    {                                                                          \
        return rf_cudart_return(cudaSuccess);                                  \
    }

#pragma GCC diagnostic ignored "-Wunused-parameter"
#if CUDART_VERSION >= 13000
typedef struct cudaMemLocation location;
SUCCEEDS(cudaMemPrefetchAsync(const void *p, size_t size, location where,
                              unsigned flags, cudaStream_t stream))
#else
typedef int location;
SUCCEEDS(cudaMemPrefetchAsync(const void *p, size_t size, location where,
                              cudaStream_t stream))
#endif
SUCCEEDS(cudaMemAdvise(const void *p, size_t size, enum cudaMemoryAdvise advice,
                       location where))
SUCCEEDS(cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr a,
                                 void *value))
SUCCEEDS(cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep))
SUCCEEDS(cudaMemPoolDestroy(cudaMemPool_t pool))

static cudaError_t the_pool(cudaMemPool_t *pool)
{
    *pool = (cudaMemPool_t)rf_cudart_get();
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int n)
{
    return the_pool(pool);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int n)
{
    return the_pool(pool);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool,
                              const struct cudaMemPoolProps *properties)
{
    return the_pool(pool);
}

cudaError_t cudaMallocFromPoolAsync(void **p, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    return cudaMalloc(p, size);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = 0;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    *priority = 0;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    *flags = 0;
    return rf_cudart_return(cudaSuccess);
}

#endif
