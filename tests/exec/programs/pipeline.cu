// A producer and consumers in one block: bulk copies fill a ring of shared
// buffers, full and empty mbarriers pass them back and forth, and a bulk copy
// writes each result back. The same with cuda::pipeline and memcpy_async, and
// with st.async between two blocks.
//
// run:
// expect: all pipelines agree
#pragma nv_diag_suppress 20054
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t e = (call);                                                \
        if (e != cudaSuccess) {                                                \
            std::printf("%s: %s\n", #call, cudaGetErrorString(e));             \
            std::exit(2);                                                      \
        }                                                                      \
    } while (0)

enum { STAGES = 3, TILE = 256, CONSUMERS = 96 };

__device__ unsigned address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ void init(uint64_t *b, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(b)),
                 "r"(count)
                 : "memory");
}

__device__ void arrive(uint64_t *b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(b))
                 : "memory");
}

__device__ void expect(uint64_t *b, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     address(b)),
                 "r"(bytes)
                 : "memory");
}

__device__ void wait(uint64_t *b, int parity)
{
    asm volatile("{ .reg .pred done;\n"
                 "AGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra AGAIN; }" ::"r"(address(b)),
                 "r"(parity)
                 : "memory");
}

__device__ void bulk_load(void *to, const void *from, int bytes, uint64_t *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
                 "::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
                 "l"(from), "r"(bytes), "r"(address(b))
                 : "memory");
}

__device__ void bulk_store(void *to, const void *from, int bytes)
{
    asm volatile("fence.proxy.async.shared::cta;\n"
                 "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                 "cp.async.bulk.commit_group;" ::"l"(to),
                 "r"(address(from)), "r"(bytes)
                 : "memory");
}

// y = 2 x + 1, TILE floats at a time; warp 3 loads, the others compute.
__global__ void __launch_bounds__(CONSUMERS + 32)
    ring(const float *x, float *y, int tiles)
{
    __shared__ __align__(128) float in[STAGES][TILE], out[TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            init(&full[s], 1);
            init(&empty[s], CONSUMERS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == CONSUMERS) {
        for (int t = 0; t < tiles; t++) {
            int s = t % STAGES;
            if (t >= STAGES)
                wait(&empty[s], (t / STAGES - 1) & 1);
            expect(&full[s], sizeof in[s]);
            bulk_load(in[s], x + (size_t)t * TILE, sizeof in[s], &full[s]);
        }
    } else if (threadIdx.x < CONSUMERS) {
        for (int t = 0; t < tiles; t++) {
            int s = t % STAGES;
            wait(&full[s], t / STAGES & 1);
            for (int i = threadIdx.x; i < TILE; i += CONSUMERS)
                out[i] = 2 * in[s][i] + 1;
            arrive(&empty[s]);
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            asm volatile("bar.sync 1, 96;" ::: "memory");
            if (threadIdx.x == 0) {
                bulk_store(y + (size_t)t * TILE, out, sizeof out);
                asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            }
            asm volatile("bar.sync 1, 96;" ::: "memory");
        }
        if (threadIdx.x == 0)
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// The same with the library's pipeline.
__global__ void library(const float *x, float *y, int tiles)
{
    __shared__ __align__(16) float in[2][TILE];
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(block, &state);
    for (int t = 0, loaded = 0; t < tiles; t++) {
        for (; loaded < tiles && loaded < t + 2; loaded++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, in[loaded % 2],
                               x + (size_t)loaded * TILE, sizeof in[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        for (int i = threadIdx.x; i < TILE; i += blockDim.x)
            y[(size_t)t * TILE + i] = 2 * in[t % 2][i] + 1;
        pipe.consumer_release();
    }
}

// cuda::barrier and cooperative_groups::memcpy_async.
__global__ void groups(const float *x, float *y, int tiles)
{
    __shared__ __align__(16) float in[TILE];
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0)
        init(&ready, blockDim.x);
    __syncthreads();
    for (int t = 0; t < tiles; t++) {
        const float *from = x + (size_t)t * TILE;
        if (t % 2) {
            cg::memcpy_async(block, in, from, sizeof in);
            cg::wait(block);
        } else {
            cuda::memcpy_async(block, in, from, sizeof in, ready);
            ready.arrive_and_wait();
        }
        for (int i = threadIdx.x; i < TILE; i += blockDim.x)
            y[(size_t)t * TILE + i] = 2 * in[i] + 1;
        block.sync();
    }
}

// Each block of a pair sends its values to the other one with st.async.
__global__ void __cluster_dims__(2, 1, 1) exchange(const float *x, float *y)
{
    __shared__ __align__(16) float mail[TILE];
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        init(&full, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        expect(&full, sizeof mail);
    }
    cluster.sync();
    unsigned other = cluster.block_rank() ^ 1, to, barrier;
    unsigned mine = address(&mail[threadIdx.x]);
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(to)
                 : "r"(mine), "r"(other));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(barrier)
                 : "r"(address(&full)), "r"(other));
    float v = 2 * x[blockIdx.x * TILE + threadIdx.x] + 1;
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 "
                 "[%0], %1, [%2];" ::"r"(to),
                 "r"(__float_as_uint(v)), "r"(barrier)
                 : "memory");
    wait(&full, 0);
    y[(blockIdx.x ^ 1) * TILE + threadIdx.x] = mail[threadIdx.x];
    cluster.sync();
}

// Block 0 sends a whole buffer to every block: bulk copies between blocks.
__global__ void __cluster_dims__(4, 1, 1) broadcast(const float *x, float *y)
{
    __shared__ __align__(128) float source[TILE], mail[TILE];
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        init(&full, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        expect(&full, sizeof mail);
    }
    if (cluster.block_rank() == 0)
        source[threadIdx.x] = 2 * x[threadIdx.x] + 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x < 4) {
        unsigned to, barrier;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                     : "=r"(to)
                     : "r"(address(mail)), "r"(threadIdx.x));
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                     : "=r"(barrier)
                     : "r"(address(&full)), "r"(threadIdx.x));
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier"
                     "::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                     "r"(address(source)), "r"((int)sizeof mail),
                     "r"(barrier)
                     : "memory");
    }
    wait(&full, 0);
    y[blockIdx.x * TILE + threadIdx.x] = mail[threadIdx.x];
    cluster.sync();
}

// One copy lands in the shared memory of all four blocks.
__global__ void __cluster_dims__(4, 1, 1) multicast(const float *x, float *y)
{
    __shared__ __align__(128) float mail[TILE];
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        init(&full, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        expect(&full, sizeof mail);
    }
    cluster.sync();
    if (cluster.block_rank() == 1 && threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier"
                     "::complete_tx::bytes.multicast::cluster [%0], [%1], %2,"
                     " [%3], %4;" ::"r"(address(mail)),
                     "l"(x), "r"((int)sizeof mail), "r"(address(&full)),
                     "h"((short)0xf)
                     : "memory");
    wait(&full, 0);
    y[blockIdx.x * TILE + threadIdx.x] = 2 * mail[threadIdx.x] + 1;
    cluster.sync();
}

// Every block adds its tile to the same 256 sums in global memory.
__global__ void reduce(const float *x, float *sum)
{
    __shared__ __align__(128) float part[TILE];
    part[threadIdx.x] = x[blockIdx.x * TILE + threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add"
                     ".f32 [%0], [%1], %2;\n"
                     "cp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group 0;" ::"l"(sum),
                     "r"(address(part)), "r"((int)sizeof part)
                     : "memory");
}

static int failures;

static void verdict(const char *name, const std::vector<float> &want, float *d)
{
    CHECK(cudaDeviceSynchronize());
    std::vector<float> got(want.size());
    CHECK(cudaMemcpy(got.data(), d, got.size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
    bool good = got == want;
    std::printf("%-10s %s\n", name, good ? "ok" : "WRONG");
    failures += !good;
    CHECK(cudaMemset(d, 0, got.size() * sizeof(float)));
}

int main()
{
    const int tiles = 13, n = tiles * TILE;
    std::vector<float> x(n), want(n);
    for (int i = 0; i < n; i++) {
        x[i] = (float)(i * 37 % 1001);
        want[i] = 2 * x[i] + 1;
    }
    float *dx, *dy;
    CHECK(cudaMalloc(&dx, n * sizeof(float)));
    CHECK(cudaMalloc(&dy, n * sizeof(float)));
    CHECK(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dy, 0, n * sizeof(float)));
    ring<<<1, CONSUMERS + 32>>>(dx, dy, tiles);
    verdict("ring", want, dy);
    library<<<1, 64>>>(dx, dy, tiles);
    verdict("library", want, dy);
    groups<<<1, 64>>>(dx, dy, tiles);
    verdict("groups", want, dy);
    std::vector<float> pair(want.begin(), want.begin() + 2 * TILE);
    exchange<<<2, TILE>>>(dx, dy);
    verdict("exchange", pair, dy);
    std::vector<float> four(4 * TILE);
    for (int i = 0; i < 4 * TILE; i++)
        four[i] = want[i % TILE];
    broadcast<<<4, TILE>>>(dx, dy);
    verdict("broadcast", four, dy);
    multicast<<<4, TILE>>>(dx, dy);
    verdict("multicast", four, dy);
    std::vector<float> sums(TILE);
    for (int i = 0; i < n; i++)
        sums[i % TILE] += x[i];
    reduce<<<tiles, TILE>>>(dx, dy);
    verdict("reduce", sums, dy);
    if (failures)
        return 1;
    std::printf("all pipelines agree\n");
    return 0;
}
