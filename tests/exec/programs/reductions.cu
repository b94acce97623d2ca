// Sums and maxima of a row by a block, in every way that people write them:
// trees in shared memory, shuffles up, down and across, helpers with one slot
// a warp, the libraries' reductions, redux, votes, atomics, vectors, the last
// block of a grid, register tiles, pairs of halves, an online pair.
//
// run:
// expect: reductions: all idioms agree
#include <cfloat>
#include <climits>
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cstdlib>
#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda_fp16.h>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t e_ = (call);                                               \
        if (e_ != cudaSuccess) {                                               \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,            \
                         cudaGetErrorString(e_));                              \
            std::exit(2);                                                      \
        }                                                                      \
    } while (0)

enum { THREADS = 128, WARPS = THREADS / 32 };

// Every idiom leaves the sum and the maximum of x[0..n-1] in thread 0.
struct result {
    float sum, max;
};

__device__ result serial(const float *x, int n)
{
    result r = { 0, -INFINITY };
    for (int i = 0; i < n; i++) {
        r.sum += x[i];
        if (x[i] > r.max)
            r.max = x[i];
    }
    return r;
}

// One thread's share, by strides.
__device__ result share(const float *x, int n)
{
    result r = { 0, -FLT_MAX };
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        r.sum += x[i];
        r.max = fmaxf(r.max, x[i]);
    }
    return r;
}

__device__ result halving_tree(const float *x, int n)
{
    __shared__ float sum[THREADS], max[THREADS];
    result r = share(x, n);
    sum[threadIdx.x] = r.sum;
    max[threadIdx.x] = r.max;
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        __syncthreads();
        if (threadIdx.x < half) {
            sum[threadIdx.x] += sum[threadIdx.x + half];
            max[threadIdx.x] = max[threadIdx.x] > max[threadIdx.x + half]
                                   ? max[threadIdx.x]
                                   : max[threadIdx.x + half];
        }
    }
    __syncthreads();
    return { sum[0], max[0] };
}

__device__ result interleaved_tree(const float *x, int n)
{
    extern __shared__ float slots[];
    result r = share(x, n);
    slots[threadIdx.x] = r.sum;
    slots[THREADS + threadIdx.x] = r.max;
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        unsigned at = 2 * step * threadIdx.x;
        if (at < blockDim.x) {
            slots[at] += slots[at + step];
            slots[THREADS + at] =
                fmaxf(slots[THREADS + at], slots[THREADS + at + step]);
        }
        __syncthreads();
    }
    return { slots[0], slots[THREADS] };
}

// A tree whose last six steps need no barrier of the block.
__device__ result unrolled_tail(const float *x, int n)
{
    __shared__ volatile float s[THREADS];
    result r = share(x, n);
    s[threadIdx.x] = r.sum;
    __syncthreads();
    if (threadIdx.x < 64)
        s[threadIdx.x] += s[threadIdx.x + 64];
    __syncthreads();
    if (threadIdx.x < 32) {
        float v = s[threadIdx.x] + s[threadIdx.x + 32];
        __syncwarp();
        for (int d = 16; d; d /= 2) {
            s[threadIdx.x] = v;
            __syncwarp();
            v += s[threadIdx.x ^ d];
            __syncwarp();
        }
        s[threadIdx.x] = v;
    }
    __syncthreads();
    result t = { s[0], 0 };
    __syncthreads();
    s[threadIdx.x] = r.max;
    __syncthreads();
    for (int d = THREADS / 2; d; d /= 2) {
        float other = threadIdx.x < d ? s[threadIdx.x + d] : -FLT_MAX;
        __syncthreads();
        if (threadIdx.x < d && other > s[threadIdx.x])
            s[threadIdx.x] = other;
        __syncthreads();
    }
    t.max = s[0];
    return t;
}

__device__ float warp_sum(float v)
{
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

__device__ float warp_max(float v)
{
    for (int mask = 1; mask < 32; mask <<= 1)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, mask));
    return v;
}

// A helper with one slot a warp; the first warp finishes.
template <class F>
__device__ float block_reduce(float v, float identity, F warp_reduce)
{
    static __shared__ float slots[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_reduce(v);
    __syncthreads();
    if (lane == 0)
        slots[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? slots[lane] : identity;
    return warp == 0 ? warp_reduce(v) : v;
}

__device__ result helper(const float *x, int n)
{
    result r = share(x, n);
    float sum = block_reduce(r.sum, 0, warp_sum);
    return { sum, block_reduce(r.max, -INFINITY, warp_max) };
}

// One slot a warp, thread 0 alone finishes, one storage for both.
__device__ result serial_finish(const float *x, int n)
{
    __shared__ float slots[WARPS];
    __shared__ float broadcast;
    result r = share(x, n);
    float m = warp_max(r.max);
    if (threadIdx.x % 32 == 0)
        slots[threadIdx.x / 32] = m;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < WARPS; w++)
            slots[0] = max(slots[0], slots[w]);
        broadcast = slots[0];
    }
    __syncthreads();
    r.max = broadcast;
    float s = warp_sum(r.sum);
    if (threadIdx.x % 32 == 0)
        slots[threadIdx.x / 32] = s;
    __syncthreads();
    r.sum = 0;
    if (threadIdx.x == 0)
        for (int w = 0; w < WARPS; w++)
            r.sum += slots[w];
    return r;
}

__device__ result groups(const float *x, int n)
{
    __shared__ result parts[WARPS];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    result r = share(x, n);
    r.sum = cg::reduce(warp, r.sum, cg::plus<float>());
    r.max = cg::reduce(warp, r.max, cg::greater<float>());
    if (warp.thread_rank() == 0)
        parts[warp.meta_group_rank()] = r;
    block.sync();
    auto few = cg::tiled_partition<WARPS>(block);
    if (few.meta_group_rank() == 0) {
        r = parts[few.thread_rank()];
        r.sum = cg::reduce(few, r.sum, cg::plus<float>());
        r.max = cg::reduce(few, r.max, cg::greater<float>());
    }
    return r;
}

__device__ result library(const float *x, int n)
{
    using reduce = cub::BlockReduce<float, THREADS>;
    __shared__ typename reduce::TempStorage space;
    result r = share(x, n);
    float sum = reduce(space).Sum(r.sum);
    __syncthreads();
    auto larger = [](float a, float b) { return a < b ? b : a; };
    return { sum, reduce(space).Reduce(r.max, larger) };
}

__device__ result library_warps(const float *x, int n)
{
    using reduce = cub::WarpReduce<float>;
    __shared__ typename reduce::TempStorage space[WARPS];
    __shared__ float sums[WARPS], maxima[WARPS];
    int w = threadIdx.x / 32;
    result r = share(x, n);
    float sum = reduce(space[w]).Sum(r.sum);
    __syncwarp();
    auto larger = [](float a, float b) { return a < b ? b : a; };
    float max = reduce(space[w]).Reduce(r.max, larger);
    if (threadIdx.x % 32 == 0) {
        sums[w] = sum;
        maxima[w] = max;
    }
    __syncthreads();
    r = { 0, maxima[0] };
    for (int i = 0; i < WARPS; i++)
        r = { r.sum + sums[i], fmaxf(r.max, maxima[i]) };
    return r;
}

// Atomics on shared memory, the maximum through an ordered integer.
__device__ result atomics(const float *x, int n)
{
    __shared__ float sum;
    __shared__ int max;
    if (threadIdx.x == 0) {
        sum = 0;
        max = INT_MIN;
    }
    __syncthreads();
    result r = share(x, n);
    atomicAdd(&sum, r.sum);
    int ordered = __float_as_int(r.max);
    atomicMax(&max, ordered < 0 ? ordered ^ 0x7fffffff : ordered);
    __syncthreads();
    return { sum, __int_as_float(max < 0 ? max ^ 0x7fffffff : max) };
}

// redux on integers; the values are whole numbers.
__device__ result redux(const float *x, int n)
{
    __shared__ int sum[WARPS], max[WARPS];
    result r = share(x, n);
    int s = __reduce_add_sync(~0u, (int)r.sum);
    int m = __reduce_max_sync(~0u, (int)r.max);
    if (threadIdx.x % 32 == 0) {
        sum[threadIdx.x / 32] = s;
        max[threadIdx.x / 32] = m;
    }
    __syncthreads();
    r = { 0, -INFINITY };
    for (int w = 0; w < WARPS; w++)
        r = { r.sum + sum[w], fmaxf(r.max, max[w]) };
    return r;
}

// float4 in the main loop, a scalar remainder, shuffles up.
__device__ result vectors(const float *x, int n)
{
    __shared__ result parts[WARPS];
    result r = { 0, x[0] };
    for (int i = threadIdx.x; i < n / 4; i += blockDim.x) {
        float4 v = reinterpret_cast<const float4 *>(x)[i];
        r.sum += v.x + v.y + v.z + v.w;
        r.max = fmaxf(r.max, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    for (int i = n / 4 * 4 + threadIdx.x; i < n; i += blockDim.x) {
        r.sum += __ldg(x + i);
        r.max = fmaxf(r.max, __ldg(x + i));
    }
    for (int d = 1; d < 32; d *= 2) {
        float s = __shfl_up_sync(~0u, r.sum, d);
        float m = __shfl_up_sync(~0u, r.max, d);
        if ((int)(threadIdx.x % 32) >= d)
            r = { r.sum + s, fmaxf(r.max, m) };
    }
    if (threadIdx.x % 32 == 31)
        parts[threadIdx.x / 32] = r;
    __syncthreads();
    r = parts[0];
    for (int w = 1; w < WARPS; w++)
        r = { r.sum + parts[w].sum, fmaxf(r.max, parts[w].max) };
    return r;
}

// A tile in registers, read once, reduced by a scan of the group.
template <int ITEMS> __device__ result tile(const float *x, int n)
{
    float v[ITEMS];
    result r = { 0, -INFINITY };
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        int at = i * THREADS + threadIdx.x;
        v[i] = at < n ? x[at] : 0;
        r.max = at < n ? fmaxf(r.max, v[i]) : r.max;
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        r.sum += v[i];
    __shared__ float last[WARPS];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    float scan = cg::inclusive_scan(warp, r.sum, cg::plus<float>());
    if (warp.thread_rank() == 31)
        last[warp.meta_group_rank()] = scan;
    float max = block_reduce(r.max, -INFINITY, warp_max);
    __syncthreads();
    return { last[0] + last[1] + last[2] + last[3], max };
}

// Lanes that hold a value vote; the leader of each group finishes.
__device__ result votes(const float *x, int n)
{
    __shared__ float sum, max;
    if (threadIdx.x == 0) {
        sum = 0;
        max = -INFINITY;
    }
    __syncthreads();
    for (int i0 = 0; i0 < n; i0 += blockDim.x) {
        int i = i0 + threadIdx.x;
        unsigned mask = __ballot_sync(~0u, i < n);
        float v = i < n ? x[i] : 0, total = 0, best = -INFINITY;
        for (unsigned left = mask; left; left &= left - 1) {
            float other = __shfl_sync(~0u, v, __ffs(left) - 1);
            total += other;
            best = fmaxf(best, other);
        }
        for (int w = 0; w < WARPS; w++) {
            if (mask && (int)threadIdx.x == w * 32) {
                sum += total;
                max = fmaxf(max, best);
            }
            __syncthreads();
        }
    }
    return { sum, max };
}

typedef result idiom(const float *, int);

template <idiom f>
__global__ void run(const float *x, result *out, int n, int stride)
{
    result r = f(x + (size_t)blockIdx.x * stride, n);
    if (threadIdx.x == 0)
        out[blockIdx.x] = r;
}

// The last block to arrive adds what all blocks left in global memory.
__device__ unsigned arrived;

__global__ void last_block(const float *x, result *parts, result *out, int n)
{
    __shared__ bool last;
    result r = helper(x + (size_t)blockIdx.x * n, n);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = r;
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x)
        return;
    __threadfence();
    r = parts[0];
    for (unsigned b = 1; b < gridDim.x; b++)
        r = { r.sum + parts[b].sum, fmaxf(r.max, parts[b].max) };
    *out = r;
}

// ---- host ----

static int wrong;

static void verdict(const char *name, bool good)
{
    if (!good)
        std::printf("%s: WRONG\n", name);
    wrong += !good;
}

struct plan {
    const char *name;
    void (*kernel)(const float *, result *, int, int);
};

#define PLAN(f) { #f, run<f> }

static const plan plans[] = {
    PLAN(serial),        PLAN(halving_tree), PLAN(interleaved_tree),
    PLAN(unrolled_tail), PLAN(helper),       PLAN(serial_finish),
    PLAN(groups),        PLAN(library),      PLAN(library_warps),
    PLAN(atomics),       PLAN(redux),        PLAN(vectors),
    PLAN(tile<5>),       PLAN(votes),
};

int main()
{
    const int rows = 6, stride = 640;
    const int sizes[] = { 1, 31, 32, 33, 127, 128, 129, 300, 637 };
    std::vector<float> x(rows * stride);
    for (size_t i = 0; i < x.size(); i++)
        x[i] = (float)((int)(i * 7919 % 1999) - 1500);
    float *dx;
    result *dr, r[rows];
    CHECK(cudaMalloc(&dx, x.size() * sizeof(float)));
    CHECK(cudaMalloc(&dr, (rows + 1) * sizeof(result)));
    CHECK(cudaMemcpy(dx, x.data(), x.size() * sizeof(float),
                     cudaMemcpyHostToDevice));
    for (auto &p : plans)
        for (int n : sizes) {
            int threads = p.kernel == run<serial> ? 1 : THREADS;
            p.kernel<<<rows, threads, 2 * THREADS * sizeof(float)>>>(
                dx, dr, n, stride);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpy(r, dr, sizeof r, cudaMemcpyDeviceToHost));
            bool good = true;
            for (int row = 0; row < rows; row++) {
                float sum = 0, max = -INFINITY;
                for (int i = 0; i < n; i++) {
                    sum += x[row * stride + i];
                    max = std::fmax(max, x[row * stride + i]);
                }
                good &= r[row].sum == sum && r[row].max == max;
            }
            verdict(p.name, good);
        }
    for (int round = 0; round < 2; round++) {
        last_block<<<rows, THREADS>>>(dx, dr, dr + rows, stride);
        CHECK(cudaMemcpy(r, dr + rows, sizeof *r, cudaMemcpyDeviceToHost));
        float sum = 0, max = -INFINITY;
        for (float v : x) {
            sum += v;
            max = std::fmax(max, v);
        }
        verdict("last_block", r->sum == sum && r->max == max);
    }
    std::printf("reductions: %s\n", wrong ? "FAILED" : "all idioms agree");
    return wrong != 0;
}
