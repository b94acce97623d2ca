/* The few driver functions that programs reach through the runtime. */
#include "exec/cudart.h"
#ifdef RF_HAVE_CUDA

#include "exec/tma.h"

#include <string.h>

static CUresult result_of(rf_status status)
{
    return status == RF_OK              ? CUDA_SUCCESS
           : status == RF_INVALID_VALUE ? CUDA_ERROR_INVALID_VALUE
                                        : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *extent, const cuuint64_t *stride, const cuuint32_t *box,
    const cuuint32_t *element, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill)
{
    (void)promotion;
    return result_of(
        rf_tensor_map_encode(&(rf_tensor_args){ .type = (int)type,
                                                .rank = rank,
                                                .address = (uint64_t)address,
                                                .extent = extent,
                                                .stride = stride,
                                                .box = box,
                                                .element = element,
                                                .interleave = (int)interleave,
                                                .swizzle = (int)swizzle,
                                                .fill = (int)fill },
                             map));
}

CUresult cuTensorMapEncodeIm2col(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *extent, const cuuint64_t *stride, const int *lower,
    const int *upper, cuuint32_t channels, cuuint32_t pixels,
    const cuuint32_t *element, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill)
{
    (void)promotion;
    return result_of(
        rf_tensor_map_encode(&(rf_tensor_args){ .type = (int)type,
                                                .rank = rank,
                                                .address = (uint64_t)address,
                                                .extent = extent,
                                                .stride = stride,
                                                .lower = lower,
                                                .upper = upper,
                                                .channels = channels,
                                                .pixels = pixels,
                                                .element = element,
                                                .interleave = (int)interleave,
                                                .swizzle = (int)swizzle,
                                                .fill = (int)fill },
                             map));
}

CUresult cuInit(unsigned flags)
{
    (void)flags;
    return CUDA_SUCCESS;
}

static void *entry_point(const char *name)
{
    if (!strcmp(name, "cuTensorMapEncodeTiled"))
        return (void *)cuTensorMapEncodeTiled;
    if (!strcmp(name, "cuTensorMapEncodeIm2col"))
        return (void *)cuTensorMapEncodeIm2col;
    if (!strcmp(name, "cuInit"))
        return (void *)cuInit;
    return NULL;
}

cudaError_t
cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                 unsigned version, unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult *result)
{
    (void)version, (void)flags;
    *function = entry_point(name);
    if (result)
        *result = *function ? cudaDriverEntryPointSuccess
                            : cudaDriverEntryPointSymbolNotFound;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t
cudaGetDriverEntryPoint(const char *name, void **function,
                        unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *result);
cudaError_t
cudaGetDriverEntryPoint(const char *name, void **function,
                        unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *result)
{
    return cudaGetDriverEntryPointByVersion(name, function, 0, flags, result);
}

#endif
