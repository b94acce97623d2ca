/* The device as programs see it: an H100. Errors, streams, events. */
#include "exec/cudart.h"
#ifdef RF_HAVE_CUDA

#include <cuda_profiler_api.h>
#include <string.h>
#include <time.h>

/* ---- errors ---- */

/* identifier after "cudaError", text */
#define ERRORS(X)                                                              \
    X(cudaSuccess, "no error")                                                 \
    X(cudaErrorInvalidValue, "invalid argument")                               \
    X(cudaErrorMemoryAllocation, "out of memory")                              \
    X(cudaErrorInitializationError, "initialization error")                    \
    X(cudaErrorInvalidConfiguration, "invalid configuration argument")         \
    X(cudaErrorInvalidSymbol, "invalid device symbol")                         \
    X(cudaErrorMissingConfiguration,                                           \
      "__global__ function call is not configured")                            \
    X(cudaErrorInvalidDeviceFunction, "invalid device function")               \
    X(cudaErrorInvalidDevice, "invalid device ordinal")                        \
    X(cudaErrorInvalidResourceHandle, "invalid resource handle")               \
    X(cudaErrorNotReady, "device not ready")                                   \
    X(cudaErrorIllegalAddress, "an illegal memory access was encountered")     \
    X(cudaErrorLaunchOutOfResources,                                           \
      "too many resources requested for launch")                               \
    X(cudaErrorLaunchTimeout, "the launch timed out and was terminated")       \
    X(cudaErrorAssert, "device-side assert triggered")                         \
    X(cudaErrorIllegalInstruction, "an illegal instruction was encountered")   \
    X(cudaErrorMisalignedAddress, "misaligned address")                        \
    X(cudaErrorLaunchFailure, "unspecified launch failure")                    \
    X(cudaErrorCooperativeLaunchTooLarge,                                      \
      "too many blocks in cooperative launch")                                 \
    X(cudaErrorNotSupported, "operation not supported")                        \
    X(cudaErrorInvalidClusterSize, "cluster misconfiguration")                 \
    X(cudaErrorUnknown, "unknown error")

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
#define X(id, text)                                                            \
    case id:                                                                   \
        return text;
        ERRORS(X)
#undef X
    default:
        return "unrecognized error code";
    }
}

const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
#define X(id, text)                                                            \
    case id:                                                                   \
        return #id;
        ERRORS(X)
#undef X
    default:
        return "unrecognized error code";
    }
}

cudaError_t cudaGetLastError(void)
{
    rf_cudart *d = rf_cudart_get();
    cudaError_t error = d->last ? d->last : d->sticky;
    d->last = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    rf_cudart *d = rf_cudart_get();
    return d->last ? d->last : d->sticky;
}

/* ---- the device ---- */

cudaError_t cudaGetDeviceCount(int *n)
{
    *n = 1;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaSetDevice(int n)
{
    return rf_cudart_return(n ? cudaErrorInvalidDevice : cudaSuccess);
}

cudaError_t cudaGetDevice(int *n)
{
    *n = 0;
    return rf_cudart_return(cudaSuccess);
}

/* attribute, value */
#define ATTRIBUTES(X)                                                          \
    X(MaxThreadsPerBlock, 1024)                                                \
    X(MaxBlockDimX, 1024)                                                      \
    X(MaxBlockDimY, 1024)                                                      \
    X(MaxBlockDimZ, 64)                                                        \
    X(MaxGridDimX, 0x7fffffff)                                                 \
    X(MaxGridDimY, 65535)                                                      \
    X(MaxGridDimZ, 65535)                                                      \
    X(MaxSharedMemoryPerBlock, 49152)                                          \
    X(MaxSharedMemoryPerBlockOptin, 232448)                                    \
    X(MaxSharedMemoryPerMultiprocessor, 233472)                                \
    X(ReservedSharedMemoryPerBlock, 1024)                                      \
    X(TotalConstantMemory, 65536)                                              \
    X(WarpSize, 32)                                                            \
    X(MaxRegistersPerBlock, 65536)                                             \
    X(MaxRegistersPerMultiprocessor, 65536)                                    \
    X(ClockRate, 1980000)                                                      \
    X(MemoryClockRate, 2619000)                                                \
    X(GlobalMemoryBusWidth, 5120)                                              \
    X(L2CacheSize, 52428800)                                                   \
    X(MultiProcessorCount, 132)                                                \
    X(MaxThreadsPerMultiProcessor, 2048)                                       \
    X(MaxBlocksPerMultiprocessor, 32)                                          \
    X(ComputeCapabilityMajor, 9)                                               \
    X(ComputeCapabilityMinor, 0)                                               \
    X(ConcurrentKernels, 1)                                                    \
    X(UnifiedAddressing, 1)                                                    \
    X(ManagedMemory, 1)                                                        \
    X(ConcurrentManagedAccess, 1)                                              \
    X(CooperativeLaunch, 1)                                                    \
    X(ClusterLaunch, 1)                                                        \
    X(MemoryPoolsSupported, 1)                                                 \
    X(CanMapHostMemory, 1)

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute,
                                   int n)
{
    (void)n;
    switch (attribute) {
#define X(name, v)                                                             \
    case cudaDevAttr##name:                                                    \
        *value = v;                                                            \
        break;
        ATTRIBUTES(X)
#undef X
    default:
        *value = 0;
    }
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int n)
{
    if (n)
        return rf_cudart_return(cudaErrorInvalidDevice);
    memset(p, 0, sizeof *p);
    strcpy(p->name, "rf-run model of an H100 (executed on the CPU)");
    p->major = 9;
    p->totalGlobalMem = (size_t)80 << 30;
    p->totalConstMem = 65536;
    p->sharedMemPerBlock = 49152;
    p->sharedMemPerBlockOptin = 232448;
    p->sharedMemPerMultiprocessor = 233472;
    p->reservedSharedMemPerBlock = 1024;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->warpSize = 32;
    p->maxThreadsPerBlock = 1024;
    p->maxThreadsPerMultiProcessor = 2048;
    p->maxBlocksPerMultiProcessor = 32;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 0x7fffffff;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->multiProcessorCount = 132;
    p->l2CacheSize = 52428800;
    p->memoryBusWidth = 5120;
    p->memPitch = 0x7fffffff;
    p->textureAlignment = 512;
    p->concurrentKernels = p->unifiedAddressing = p->managedMemory = 1;
    p->cooperativeLaunch = p->clusterLaunch = p->canMapHostMemory = 1;
    return rf_cudart_return(cudaSuccess);
}

#define SUCCEEDS(declaration)                                                  \
    cudaError_t declaration                                                    \
    {                                                                          \
        return rf_cudart_return(cudaSuccess);                                  \
    }

#pragma GCC diagnostic ignored "-Wunused-parameter"
SUCCEEDS(cudaDeviceSynchronize(void))
SUCCEEDS(cudaDeviceReset(void))
SUCCEEDS(cudaInitDevice(int n, unsigned f, unsigned flags))
SUCCEEDS(cudaSetDeviceFlags(unsigned flags))
SUCCEEDS(cudaDeviceSetLimit(enum cudaLimit l, size_t v))
SUCCEEDS(cudaDeviceSetCacheConfig(enum cudaFuncCache c))
SUCCEEDS(cudaProfilerStart(void))
SUCCEEDS(cudaProfilerStop(void))
SUCCEEDS(cudaStreamSynchronize(cudaStream_t s))
SUCCEEDS(cudaStreamQuery(cudaStream_t s))
SUCCEEDS(cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned f))
SUCCEEDS(cudaEventSynchronize(cudaEvent_t e))
SUCCEEDS(cudaEventQuery(cudaEvent_t e))
SUCCEEDS(cudaCtxResetPersistingL2Cache(void))

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    (void)limit;
    *value = 1 << 20;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return rf_cudart_return(cudaSuccess);
}

/* ---- streams: everything has happened when a call returns ---- */

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    *stream = rf_malloc(1);
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    (void)flags;
    return cudaStreamCreate(stream);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags,
                                         int priority)
{
    (void)flags, (void)priority;
    return cudaStreamCreate(stream);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    free(stream);
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t callback, void *data,
                                  unsigned flags)
{
    (void)flags;
    callback(stream, rf_cudart_get()->sticky, data);
    return rf_cudart_return(cudaSuccess);
}

/* ---- events hold a time ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    struct timespec *t = rf_malloc(sizeof *t);
    memset(t, 0, sizeof *t);
    *event = (cudaEvent_t)t;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    clock_gettime(CLOCK_MONOTONIC, (struct timespec *)event);
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned flags)
{
    (void)flags;
    return cudaEventRecord(event, stream);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    const struct timespec *a = (void *)from, *b = (void *)to;
    *ms = (float)((double)(b->tv_sec - a->tv_sec) * 1e3 +
                  (double)(b->tv_nsec - a->tv_nsec) * 1e-6);
    return rf_cudart_return(cudaSuccess);
}

#endif
