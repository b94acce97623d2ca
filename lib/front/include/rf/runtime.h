/* The runtime API, as far as programs that launch kernels name it.
 *
 * A function whose exact parameters do not matter for reading a kernel takes
 * anything: its calls stand in host code. */
#pragma once
#pragma GCC system_header

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct cudaArray *cudaArray_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

/* Called by `kernel<<<...>>>`. */
extern "C" int cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0,
                                                void * = 0);

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorNotReady = 600,
    cudaErrorCooperativeLaunchTooLarge = 720,
    cudaErrorNotSupported = 801,
    cudaErrorUnknown = 999
};
typedef cudaError cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeClusterDimMustBeSet = 10,
    cudaFuncAttributeRequiredClusterWidth = 11,
    cudaFuncAttributeRequiredClusterHeight = 12,
    cudaFuncAttributeRequiredClusterDepth = 13,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14
};

enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrClusterLaunch = 120
};

enum {
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2,
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaMemAttachGlobal = 1,
    cudaMemAttachHost = 2
};

enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributePriority = 8
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    union {
        struct {
            unsigned int x, y, z;
        } clusterDim;
        int cooperative;
        int programmaticStreamSerializationAllowed;
        int priority;
    } val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned int numAttrs;
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion;
    int maxDynamicSharedSizeBytes;
};

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, totalConstMem, memPitch;
    size_t sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
    int regsPerBlock, regsPerMultiprocessor, warpSize;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int major, minor, multiProcessorCount, maxThreadsPerMultiProcessor;
    int maxBlocksPerMultiProcessor, memoryBusWidth, l2CacheSize;
    int concurrentKernels, ECCEnabled, integrated, canMapHostMemory;
    int unifiedAddressing, managedMemory, concurrentManagedAccess;
    int cooperativeLaunch, pciBusID, pciDeviceID, asyncEngineCount;
};

#define RF_API(name) template <class... Args> cudaError_t name(Args...);

RF_API(cudaMalloc)
RF_API(cudaMallocHost)
RF_API(cudaMallocManaged)
RF_API(cudaMallocAsync)
RF_API(cudaMallocPitch)
RF_API(cudaHostAlloc)
RF_API(cudaHostGetDevicePointer)
RF_API(cudaHostRegister)
RF_API(cudaHostUnregister)
RF_API(cudaFree)
RF_API(cudaFreeHost)
RF_API(cudaFreeAsync)
RF_API(cudaMemcpy)
RF_API(cudaMemcpyAsync)
RF_API(cudaMemcpy2D)
RF_API(cudaMemcpy2DAsync)
RF_API(cudaMemset)
RF_API(cudaMemsetAsync)
RF_API(cudaMemGetInfo)
RF_API(cudaMemPrefetchAsync)
RF_API(cudaMemAdvise)
RF_API(cudaGetSymbolAddress)
#define RF_API_SYMBOL(name)                                                    \
    template <class S, class... Args> cudaError_t name(S &&, Args...);
RF_API_SYMBOL(cudaMemcpyToSymbol)
RF_API_SYMBOL(cudaMemcpyToSymbolAsync)
RF_API_SYMBOL(cudaMemcpyFromSymbol)
RF_API_SYMBOL(cudaMemcpyFromSymbolAsync)
#undef RF_API_SYMBOL

RF_API(cudaDeviceReset)
RF_API(cudaGetDevice)
RF_API(cudaSetDevice)
RF_API(cudaGetDeviceCount)
RF_API(cudaGetDeviceProperties)
RF_API(cudaDeviceGetAttribute)
RF_API(cudaDeviceSetCacheConfig)
RF_API(cudaDeviceSetLimit)
RF_API(cudaDeviceSetSharedMemConfig)
RF_API(cudaDeviceCanAccessPeer)
RF_API(cudaDeviceEnablePeerAccess)
RF_API(cudaRuntimeGetVersion)
RF_API(cudaDriverGetVersion)

RF_API(cudaStreamCreate)
RF_API(cudaStreamCreateWithFlags)
RF_API(cudaStreamCreateWithPriority)
RF_API(cudaStreamDestroy)
RF_API(cudaStreamSynchronize)
RF_API(cudaStreamWaitEvent)
RF_API(cudaStreamQuery)
RF_API(cudaStreamBeginCapture)
RF_API(cudaStreamEndCapture)
RF_API(cudaGraphInstantiate)
RF_API(cudaGraphLaunch)
RF_API(cudaGraphDestroy)
RF_API(cudaGraphExecDestroy)
RF_API(cudaEventCreate)
RF_API(cudaEventCreateWithFlags)
RF_API(cudaEventDestroy)
RF_API(cudaEventRecord)
RF_API(cudaEventSynchronize)
RF_API(cudaEventQuery)
RF_API(cudaEventElapsedTime)

cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorString(cudaError_t);
const char *cudaGetErrorName(cudaError_t);

/* These take a kernel, which may be a template with its arguments. */
template <class F, class... Args>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *, F *, Args &&...);
template <class F, class... Args>
cudaError_t cudaFuncSetAttribute(F *, Args...);
template <class F, class... Args>
cudaError_t cudaFuncSetCacheConfig(F *, Args...);
template <class F>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, F *);
template <class F, class... Args>
cudaError_t cudaLaunchKernel(F *, Args...);
template <class F, class... Args>
cudaError_t cudaLaunchCooperativeKernel(F *, Args...);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *,
                                void **);
template <class F, class... Args>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, F *, Args...);
template <class F, class... Args>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *, int *, F *, Args...);
template <class F>
cudaError_t cudaOccupancyMaxActiveClusters(int *, F *,
                                           const cudaLaunchConfig_t *);
template <class F>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *, F *,
                                                 const cudaLaunchConfig_t *);
#undef RF_API
void cudaGridDependencySynchronize();
void cudaTriggerProgrammaticLaunchCompletion();

/* ---- textures and surfaces ---- */

#define RF_TEXTURE(name)                                                       \
    template <class T, class... At> T name(cudaTextureObject_t, At...);
RF_TEXTURE(tex1Dfetch)
RF_TEXTURE(tex1D)
RF_TEXTURE(tex2D)
RF_TEXTURE(tex3D)
RF_TEXTURE(tex1DLod)
RF_TEXTURE(tex2DLod)
RF_TEXTURE(tex3DLod)
RF_TEXTURE(tex1DGrad)
RF_TEXTURE(tex2DGrad)
RF_TEXTURE(tex3DGrad)
RF_TEXTURE(tex1DLayered)
RF_TEXTURE(tex2DLayered)
RF_TEXTURE(texCubemap)
RF_TEXTURE(tex2Dgather)
#undef RF_TEXTURE
#define RF_SURFACE(n)                                                          \
    template <class T, class... At>                                            \
    T surf##n##Dread(cudaSurfaceObject_t, At...);                              \
    template <class T, class... At>                                            \
    void surf##n##Dwrite(T, cudaSurfaceObject_t, At...);
RF_SURFACE(1)
RF_SURFACE(2)
RF_SURFACE(3)
#undef RF_SURFACE
