// Tensor copies (TMA) of one to five dimensions as the programming guide
// writes them, through cuda::ptx and cuda::barrier: loads and stores with
// edges, a tile for every block of a cluster at once, gathers of pixels for a
// convolution, a map that the kernel changes, prefetches.
//
// run:
// expect: tma: all copies right
#pragma nv_diag_suppress 20054
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <vector>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t e_ = (call);                                               \
        if (e_ != cudaSuccess) {                                               \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__,                     \
                        cudaGetErrorString(e_));                               \
            std::exit(2);                                                      \
        }                                                                      \
    } while (0)

static int wrong;

static void verdict(const char *name, bool good)
{
    std::printf("%-10s %s\n", name, good ? "right" : "WRONG");
    wrong += !good;
}

template <class F> static F driver(const char *name)
{
    void *f = nullptr;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion(name, &f, 12000, cudaEnableDefault,
                                           &found));
    return (F)f;
}

template <int D>
static CUtensorMap tiled(int *p, const int (&extent)[D], const int (&box)[D])
{
    CUtensorMap map;
    cuuint64_t dims[D], strides[D];
    cuuint32_t boxes[D], steps[D];
    cuuint64_t stride = sizeof(int);
    for (int i = 0; i < D; i++) {
        dims[i] = extent[i];
        boxes[i] = box[i];
        steps[i] = 1;
        strides[i] = stride *= extent[i];
    }
    static auto encode = driver<decltype(&cuTensorMapEncodeTiled)>(
        "cuTensorMapEncodeTiled");
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, D, p, dims, strides, boxes,
               steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        std::exit(3);
    return map;
}

// ---- D dimensions: load a box, negate it, store it ----

template <int D> struct corner {
    int at[D];
};

enum { BOX = 512 };

template <int D>
__global__ void negate(const __grid_constant__ CUtensorMap from,
                       const __grid_constant__ CUtensorMap to,
                       corner<D> where, int size)
{
    __shared__ alignas(128) int box[BOX];
    __shared__ barrier full;
    if (threadIdx.x == 0) {
        init(&full, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box,
                                  &from, where.at,
                                  cuda::device::barrier_native_handle(full));
        token = cuda::device::barrier_arrive_tx(full, 1, size * sizeof(int));
    } else {
        token = full.arrive();
    }
    full.wait(std::move(token));
    for (int i = threadIdx.x; i < size; i += blockDim.x)
        box[i] = -box[i];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to,
                                  where.at, box);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

template <int D>
static void test(const int (&extent)[D], const int (&box)[D],
                 const std::vector<corner<D>> &corners)
{
    int n = 1, size = 1;
    for (int i = 0; i < D; i++) {
        n *= extent[i];
        size *= box[i];
    }
    std::vector<int> x(n), y(n), want(n);
    for (int i = 0; i < n; i++)
        x[i] = i + 1;
    int *dx, *dy;
    CHECK(cudaMalloc(&dx, n * sizeof(int)));
    CHECK(cudaMalloc(&dy, n * sizeof(int)));
    CHECK(cudaMemcpy(dx, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dy, 0, n * sizeof(int)));
    CUtensorMap from = tiled(dx, extent, box), to = tiled(dy, extent, box);
    for (auto &c : corners) {
        negate<D><<<1, 64>>>(from, to, c, size);
        CHECK(cudaGetLastError());
        for (int e = 0; e < n; e++) {
            bool inside = true;
            for (int i = 0, rest = e; i < D; rest /= extent[i++]) {
                int at = rest % extent[i] - c.at[i];
                inside &= at >= 0 && at < box[i];
            }
            if (inside)
                want[e] = -x[e];
        }
    }
    CHECK(cudaMemcpy(y.data(), dy, n * sizeof(int), cudaMemcpyDeviceToHost));
    char name[16];
    std::snprintf(name, sizeof name, "%dd", D);
    verdict(name, y == want);
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
}

// ---- one load for the blocks of a cluster ----

__global__ void __cluster_dims__(4, 1, 1)
    broadcast(const __grid_constant__ CUtensorMap from, int *out)
{
    __shared__ alignas(128) int box[8][16];
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                       ptx::space_shared, &full, sizeof box);
    }
    cluster.sync();
    int at[] = { 4, 2 };
    if (cluster.block_rank() == 2 && threadIdx.x == 0)
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box,
                                  &from, at, &full, (uint16_t)0xb);
    else if (cluster.block_rank() == 2 && threadIdx.x == 1)
        asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile"
                     " [%0, {%1, %2}];" ::"l"(&from),
                     "r"(at[0]), "r"(at[1])
                     : "memory");
    if (cluster.block_rank() != 2)
        while (!ptx::mbarrier_try_wait_parity(&full, 0))
            ;
    for (int i = threadIdx.x; i < 128; i += blockDim.x)
        out[blockIdx.x * 128 + i] =
            cluster.block_rank() == 2 ? 0 : box[i / 16][i % 16];
    cluster.sync();
}

static void test_broadcast()
{
    const int extent[] = { 32, 16 }, size[] = { 16, 8 };
    std::vector<int> x(32 * 16), y(4 * 128), want(4 * 128);
    for (int i = 0; i < 32 * 16; i++)
        x[i] = i * 3;
    int *dx, *dy;
    CHECK(cudaMalloc(&dx, x.size() * sizeof(int)));
    CHECK(cudaMalloc(&dy, y.size() * sizeof(int)));
    CHECK(cudaMemcpy(dx, x.data(), x.size() * sizeof(int),
                     cudaMemcpyHostToDevice));
    broadcast<<<4, 32>>>(tiled(dx, extent, size), dy);
    CHECK(cudaMemcpy(y.data(), dy, y.size() * sizeof(int),
                     cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4 * 128; i++)
        want[i] = i / 128 == 2 ? 0
                               : x[(2 + i % 128 / 16) * 32 + 4 + i % 16];
    verdict("multicast", y == want);
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
}

// ---- a 3x3 convolution as nine products of gathered pixels ----

enum { C = 8, W = 7, H = 6, IMAGES = 2, PIXELS = 32 };

__global__ void convolve(const __grid_constant__ CUtensorMap image,
                         const int *weights, int *out)
{
    __shared__ alignas(128) int pixels[PIXELS][C];
    __shared__ uint64_t full;
    int first = blockIdx.x * PIXELS, sum = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();
    for (int tap = 0; tap < 9; tap++) {
        if (threadIdx.x == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                           ptx::space_shared, &full,
                                           sizeof pixels);
            asm volatile(
                "cp.async.bulk.tensor.4d.shared::cluster.global.im2col"
                ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}],"
                " [%6], {%7, %8};" ::"r"(
                    (unsigned)__cvta_generic_to_shared(pixels)),
                "l"(&image), "r"(0), "r"(first % W - 1),
                "r"(first / W % H - 1), "r"(first / W / H),
                "r"((unsigned)__cvta_generic_to_shared(&full)),
                "h"((short)(tap % 3)), "h"((short)(tap / 3))
                : "memory");
        }
        while (!ptx::mbarrier_try_wait_parity(&full, tap & 1))
            ;
        for (int c = 0; c < C; c++)
            sum += pixels[threadIdx.x][c] * weights[tap * C + c];
        __syncthreads();
    }
    if (first + threadIdx.x < W * H * IMAGES)
        out[first + threadIdx.x] = sum;
}

static void test_convolution()
{
    const int n = C * W * H * IMAGES, places = W * H * IMAGES;
    std::vector<int> x(n), k(9 * C), y(places), want(places);
    for (int i = 0; i < n; i++)
        x[i] = i * 7 % 23 - 11;
    for (int i = 0; i < 9 * C; i++)
        k[i] = i * 5 % 13 - 6;
    int *dx, *dk, *dy;
    CHECK(cudaMalloc(&dx, n * sizeof(int)));
    CHECK(cudaMalloc(&dk, k.size() * sizeof(int)));
    CHECK(cudaMalloc(&dy, places * sizeof(int)));
    CHECK(cudaMemcpy(dx, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dk, k.data(), k.size() * sizeof(int),
                     cudaMemcpyHostToDevice));
    CUtensorMap map;
    cuuint64_t dims[] = { C, W, H, IMAGES };
    cuuint64_t strides[] = { C * 4, C * W * 4, C * W * H * 4 };
    cuuint32_t steps[] = { 1, 1, 1, 1 };
    int lower[] = { -1, -1 }, upper[] = { -1, -1 };
    auto encode = driver<decltype(&cuTensorMapEncodeIm2col)>(
        "cuTensorMapEncodeIm2col");
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, dx, dims, strides, lower,
               upper, C, PIXELS, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        std::exit(3);
    convolve<<<(places + PIXELS - 1) / PIXELS, PIXELS>>>(map, dk, dy);
    CHECK(cudaMemcpy(y.data(), dy, places * sizeof(int),
                     cudaMemcpyDeviceToHost));
    for (int p = 0; p < places; p++)
        for (int tap = 0; tap < 9; tap++) {
            int u = p % W + tap % 3 - 1, v = p / W % H + tap / 3 - 1;
            for (int c = 0; c < C && u >= 0 && u < W && v >= 0 && v < H; c++)
                want[p] += x[((p / W / H * H + v) * W + u) * C + c] *
                           k[tap * C + c];
        }
    verdict("im2col", y == want);
    for (int *p : { dx, dk, dy })
        CHECK(cudaFree(p));
}

// ---- a map made by the kernel: another address, fewer rows ----

__global__ void change(const __grid_constant__ CUtensorMap model,
                       CUtensorMap *changed, int *address, int rows)
{
    __shared__ alignas(128) CUtensorMap map;
    if (threadIdx.x == 0)
        map = model;
    __syncwarp();
    if (threadIdx.x == 0) {
        ptx::tensormap_replace_global_address(ptx::space_shared, &map, address);
        ptx::tensormap_replace_global_dim(ptx::space_shared, &map,
                                          ptx::n32_t<1>(), rows);
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, changed,
                                 &map, ptx::n32_t<128>());
}

__global__ void use(const CUtensorMap *map, int *out)
{
    __shared__ alignas(128) int box[8][16];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu,
                                           map, ptx::n32_t<128>());
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                       ptx::space_shared, &full, sizeof box);
        int at[] = { 0, 0 };
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box,
                                  map, at, &full);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    for (int i = threadIdx.x; i < 128; i += blockDim.x)
        out[i] = box[i / 16][i % 16];
}

static void test_change()
{
    const int extent[] = { 16, 8 }, size[] = { 16, 8 };
    std::vector<int> x(256), y(128);
    for (int i = 0; i < 256; i++)
        x[i] = i + 1;
    int *dx, *dy;
    CUtensorMap *map;
    CHECK(cudaMalloc(&dx, 256 * sizeof(int)));
    CHECK(cudaMalloc(&dy, 128 * sizeof(int)));
    CHECK(cudaMalloc(&map, sizeof *map));
    CHECK(cudaMemcpy(dx, x.data(), 256 * sizeof(int), cudaMemcpyHostToDevice));
    change<<<1, 32>>>(tiled(dx, extent, size), map, dx + 128, 5);
    use<<<1, 32>>>(map, dy);
    CHECK(cudaMemcpy(y.data(), dy, 128 * sizeof(int), cudaMemcpyDeviceToHost));
    bool good = true;
    for (int i = 0; i < 128; i++)
        good &= y[i] == (i / 16 < 5 ? 129 + i : 0);
    verdict("replace", good);
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
    CHECK(cudaFree(map));
}

int main()
{
    test<1>({ 100 }, { 32 }, { { 0 }, { 84 }, { -8 }, { 40 } });
    test<2>({ 20, 15 }, { 8, 6 }, { { 0, 0 }, { 16, 12 }, { -4, 5 } });
    test<3>({ 12, 7, 5 }, { 4, 3, 2 }, { { 4, 3, 1 }, { 8, 6, 4 } });
    test<4>({ 8, 5, 4, 3 }, { 4, 2, 2, 2 },
            { { 0, 1, 1, 0 }, { 4, 4, 3, 2 }, { -2, 0, -1, 0 } });
    test<5>({ 8, 3, 4, 3, 2 }, { 8, 2, 2, 1, 2 },
            { { 0, 0, 1, 2, 0 }, { 0, 2, 3, 0, 1 } });
    test_broadcast();
    test_convolution();
    test_change();
    std::printf("tma: %s\n", wrong ? "FAILED" : "all copies right");
    return wrong != 0;
}
