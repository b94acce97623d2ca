// The runtime's interface beyond launches and copies: pools, graphs, mapped
// and registered host memory, three-dimensional copies, pointer attributes,
// occupancy, callbacks, event states, symbols, error names; on the device
// atomics of the standard library, scopes, semaphores and bit tricks.
//
// run:
// expect: api: everything as documented
#pragma nv_diag_suppress 20054
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/tuple>
#include <cuda_runtime.h>
#include <functional>
#include <vector>

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t e_ = (call);                                               \
        if (e_ != cudaSuccess) {                                               \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call,          \
                        cudaGetErrorString(e_));                               \
            throw 1;                                                           \
        }                                                                      \
    } while (0)

static int wrong;

static void expect(const char *what, bool good)
{
    if (!good)
        std::printf("%s: WRONG\n", what);
    wrong += !good;
}

__global__ void scale(int *x, int n, int by)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        x[i] *= by;
}

static std::vector<int> counting(int n)
{
    std::vector<int> v(n);
    for (int i = 0; i < n; i++)
        v[i] = i + 1;
    return v;
}

static void pools()
{
    const int n = 1000;
    auto v = counting(n), w = v;
    cudaStream_t s;
    int *p;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaMallocAsync(&p, n * sizeof(int), s));
    CHECK(cudaMemcpyAsync(p, v.data(), n * sizeof(int),
                          cudaMemcpyHostToDevice, s));
    scale<<<4, 64, 0, s>>>(p, n, 3);
    CHECK(cudaMemcpyAsync(w.data(), p, n * sizeof(int),
                          cudaMemcpyDeviceToHost, s));
    CHECK(cudaFreeAsync(p, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaStreamDestroy(s));
    expect("cudaMallocAsync", w[0] == 3 && w[n - 1] == 3 * n);
}

static void host_memory()
{
    const int n = 256;
    int *mapped, *device, *plain = (int *)malloc(n * sizeof(int));
    CHECK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&device, mapped, 0));
    for (int i = 0; i < n; i++)
        mapped[i] = plain[i] = i;
    scale<<<1, 64>>>(device, n, 2);
    CHECK(cudaDeviceSynchronize());
    expect("mapped memory", mapped[100] == 200);
    CHECK(cudaHostRegister(plain, n * sizeof(int), cudaHostRegisterDefault));
    CHECK(cudaMemcpy(mapped, plain, n * sizeof(int), cudaMemcpyDefault));
    expect("registered memory", mapped[100] == 100);
    CHECK(cudaHostUnregister(plain));
    cudaPointerAttributes a;
    CHECK(cudaPointerGetAttributes(&a, mapped));
    expect("host pointer", a.type == cudaMemoryTypeHost);
    CHECK(cudaMalloc(&device, 64));
    CHECK(cudaPointerGetAttributes(&a, device));
    expect("device pointer",
           a.type == cudaMemoryTypeDevice && a.devicePointer == device);
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(mapped));
    free(plain);
}

static void copies()
{
    const int w = 10, h = 6, d = 3;
    std::vector<int> v = counting(w * h * d), back(w * h * d);
    cudaExtent extent = make_cudaExtent(w * sizeof(int), h, d);
    cudaPitchedPtr p;
    CHECK(cudaMalloc3D(&p, extent));
    cudaMemcpy3DParms in = {};
    in.srcPtr = make_cudaPitchedPtr(v.data(), w * sizeof(int), w, h);
    in.dstPtr = p;
    in.extent = extent;
    in.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&in));
    cudaMemcpy3DParms out = {};
    out.srcPtr = p;
    out.dstPtr = make_cudaPitchedPtr(back.data(), w * sizeof(int), w, h);
    out.extent = extent;
    out.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&out));
    expect("cudaMemcpy3D", v == back);
    CHECK(cudaFree(p.ptr));
    int *a, value = 0;
    size_t pitch;
    CHECK(cudaMallocPitch(&a, &pitch, w * sizeof(int), h));
    CHECK(cudaMemset2D(a, pitch, 1, w * sizeof(int), h));
    CHECK(cudaMemcpy2D(back.data(), w * sizeof(int), a, pitch,
                       w * sizeof(int), h, cudaMemcpyDeviceToHost));
    expect("cudaMemset2D", back[w * h - 1] == 0x01010101);
    CHECK(cudaMemcpy(&value, a, sizeof value, cudaMemcpyDefault));
    expect("cudaMemcpyDefault", value == 0x01010101);
    CHECK(cudaFree(a));
}

static void graphs()
{
    const int n = 128;
    auto v = counting(n), w = v;
    int *p;
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaMalloc(&p, n * sizeof(int)));
    CHECK(cudaMemcpy(p, v.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    scale<<<1, 64, 0, s>>>(p, n, 2);
    scale<<<1, 64, 0, s>>>(p, n, 3);
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++)
        CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpy(w.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost));
    expect("graph", w[0] == 36 && w[n - 1] == 36 * n);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(s));
    CHECK(cudaFree(p));
}

static void queries()
{
    int blocks = 0, grid = 0, block = 0, device = -1, version = 0;
    size_t available, total;
    cudaFuncAttributes a;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 128,
                                                        0));
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 0));
    CHECK(cudaGetDevice(&device));
    CHECK(cudaSetDevice(0));
    CHECK(cudaRuntimeGetVersion(&version));
    CHECK(cudaDriverGetVersion(&version));
    CHECK(cudaMemGetInfo(&available, &total));
    CHECK(cudaFuncGetAttributes(&a, scale));
    expect("occupancy", blocks > 0 && grid > 0 && block % 32 == 0);
    expect("device", device == 0 && version >= 12000);
    expect("memory", available > 0 && total >= available);
    expect("attributes", a.maxThreadsPerBlock > 0);
    expect("names", !strcmp(cudaGetErrorName(cudaErrorInvalidValue),
                            "cudaErrorInvalidValue"));
    expect("errors", cudaMemcpy(nullptr, nullptr, 8, cudaMemcpyHostToDevice) ==
                         cudaErrorInvalidValue);
    cudaGetLastError();
    CHECK(cudaFuncSetCacheConfig(scale, cudaFuncCachePreferShared));
    CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
}

static void host_call(void *data)
{
    (*static_cast<std::function<void()> *>(data))();
}

static void CUDART_CB stream_call(cudaStream_t, cudaError_t e, void *data)
{
    *(int *)data += e == cudaSuccess;
}

static void streams()
{
    cudaStream_t a, b;
    cudaEvent_t e;
    int calls = 0;
    std::function<void()> count = [&] { calls++; };
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&e));
    CHECK(cudaLaunchHostFunc(a, host_call, &count));
    CHECK(cudaStreamAddCallback(a, stream_call, &calls, 0));
    CHECK(cudaEventRecord(e, a));
    CHECK(cudaStreamWaitEvent(b, e, 0));
    CHECK(cudaStreamSynchronize(b));
    CHECK(cudaStreamSynchronize(a));
    expect("callbacks", calls == 2);
    expect("queries", cudaStreamQuery(a) == cudaSuccess &&
                          cudaEventQuery(e) == cudaSuccess);
    CHECK(cudaEventDestroy(e));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
}

__device__ int table[4] = { 1, 2, 3, 4 };
__constant__ float factors[2];
__managed__ int shared_by_all = 5;

__global__ void use_symbols()
{
    table[threadIdx.x] += (int)factors[threadIdx.x % 2] + shared_by_all;
    if (threadIdx.x == 0)
        shared_by_all = 77;
}

static void symbols()
{
    float f[] = { 10, 20 };
    int t[4];
    size_t size;
    void *address;
    CHECK(cudaMemcpyToSymbol(factors, f, sizeof f));
    use_symbols<<<1, 4>>>();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpyFromSymbol(t, table, sizeof t));
    expect("symbols", t[0] == 16 && t[1] == 27 && t[3] == 29);
    expect("managed", shared_by_all == 77);
    CHECK(cudaGetSymbolSize(&size, table));
    CHECK(cudaGetSymbolAddress(&address, table));
    CHECK(cudaMemcpyFromSymbol(t, table, sizeof(int), 2 * sizeof(int)));
    expect("symbol addresses", size == sizeof table && address && t[0] == 18);
}

// ---- the device's standard library ----

// A queue between two warps, with release and acquire.
__global__ void hand_over(int *out)
{
    __shared__ int slot;
    __shared__ cuda::atomic<int, cuda::thread_scope_block> ready;
    if (threadIdx.x == 0)
        new (&ready) cuda::atomic<int, cuda::thread_scope_block>(0);
    __syncthreads();
    if (threadIdx.x == 0) {
        slot = 42;
        ready.store(1, cuda::std::memory_order_release);
    }
    if (threadIdx.x == 32) {
        while (ready.load(cuda::std::memory_order_acquire) == 0)
            ;
        out[0] = slot;
    }
    cuda::atomic_ref<int, cuda::thread_scope_device> sum(out[1]);
    sum.fetch_add((int)threadIdx.x, cuda::std::memory_order_relaxed);
    cuda::std::complex<float> z(1, 2);
    z *= z;
    auto pair = cuda::std::make_tuple(z.real(), z.imag());
    cuda::std::array<int, 3> a = { 1, 2, 3 };
    if (threadIdx.x == 1)
        out[2] = (int)cuda::std::get<0>(pair) * 100 +
                 (int)cuda::std::get<1>(pair) + a[2];
}

__global__ void bits(unsigned *out, unsigned a, unsigned b)
{
    unsigned r[] = { (unsigned)__popc(a),
                     (unsigned)__clz(a),
                     (unsigned)__ffs(a),
                     __brev(a),
                     __byte_perm(a, b, 0x3715),
                     __funnelshift_l(a, b, 7),
                     __funnelshift_rc(a, b, 40),
                     (unsigned)__mulhi((int)a, (int)b),
                     __umul24(a, b),
                     __usad(a, b, 9),
                     __vadd4(a, b),
                     __vabsdiffu4(a, b),
                     __vmaxs2(a, b),
                     __vcmpgtu4(a, b),
                     __dp4a(a, b, 1u),
                     (unsigned)__float_as_int(__uint_as_float(a)),
                     (unsigned)__double2hiint(3.25),
                     __fns(a, 0, 3) };
    for (unsigned i = 0; i < sizeof r / sizeof *r; i++)
        out[i] = r[i];
}

static void device_library()
{
    int *d, h[3];
    CHECK(cudaMalloc(&d, 256));
    CHECK(cudaMemset(d, 0, 256));
    hand_over<<<1, 64>>>(d);
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    expect("atomics", h[0] == 42 && h[1] == 64 * 63 / 2);
    expect("complex", h[2] == -300 + 4 + 3);
    unsigned r[18];
    bits<<<1, 1>>>((unsigned *)d, 0x80f01234u, 0x07654321u);
    CHECK(cudaMemcpy(r, d, sizeof r, cudaMemcpyDeviceToHost));
    const unsigned want[] = {
        10,         0,          3,          0x2c480f01, 0x80071243,
        0xb2a190c0, 0x07654321, 0xfc544de5, 0x2239f4b4, 0x798acf1c,
        0x87555555, 0x798b3113, 0x07654321, 0xffff00ff, 0x00006d9b,
        0x80f01234, 0x400a0000, 5,
    };
    for (int i = 0; i < 18; i++)
        if (r[i] != want[i]) {
            std::printf("bits[%d]: %08x, not %08x\n", i, r[i], want[i]);
            wrong++;
        }
    CHECK(cudaFree(d));
}

int main()
{
    const struct {
        const char *name;
        void (*run)();
    } parts[] = { { "pools", pools },     { "host_memory", host_memory },
                  { "copies", copies },   { "graphs", graphs },
                  { "queries", queries }, { "streams", streams },
                  { "symbols", symbols }, { "device_library", device_library } };
    for (auto &p : parts) {
        try {
            p.run();
        } catch (int) {
            std::printf("%s stopped\n", p.name);
            wrong++;
        }
    }
    CHECK(cudaDeviceReset());
    std::printf("api: %s\n", wrong ? "FAILED" : "everything as documented");
    return wrong != 0;
}
