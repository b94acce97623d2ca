// Kernels with one planted bug each, and their repaired twins: "planted NAME
// bug" has to be reported by the check named here, "planted NAME fixed" has to
// run without any report and print "right".
//
// case: missing_syncthreads rf-run-race
// case: missing_syncwarp rf-run-race
// case: overwrite_before_read rf-run-race
// case: blocks_share_a_cell rf-run-race
// case: missing_cluster_sync rf-run-race
// case: uninitialised_shared rf-run-uninit
// case: uninitialised_global rf-run-uninit
// case: past_the_end rf-run-bounds
// case: past_the_end_shared rf-run-bounds
// case: use_after_free rf-run-freed
// case: misaligned_vector rf-run-misaligned
// case: early_exit rf-run-barrier
// case: divergent_barrier rf-run-barrier
// case: deadlock rf-run-deadlock
// case: lost_arrival rf-run-deadlock
// case: absent_lanes rf-run-warp
// case: remote_after_exit rf-run-exit
// case: before_the_start rf-run-started
// case: missing_final_sync rf-run-exit-order
// case: early_flag rf-run-race
// case: unknown_instruction rf-run-unknown
// case: missing_async_wait rf-run-
// case: bulk_not_waited rf-run-async
// case: reuse_before_copied rf-run-race
// case: barrier_not_initialised rf-run-mbarrier
// case: failed_assertion rf-run-assert
// case: reuse_before_product rf-run-race
// case: product_not_waited rf-run-async
#include <cassert>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cg = cooperative_groups;

enum { N = 128 };

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

__device__ void wait(uint64_t *b, int parity)
{
    asm volatile("{ .reg .pred done;\n"
                 "AGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra AGAIN; }" ::"r"(address(b)),
                 "r"(parity)
                 : "memory");
}

// Every kernel leaves out[i] = in[i] + 1 for i < N, if all goes well.

template <bool bug>
__global__ void missing_syncthreads(const float *in, float *out)
{
    __shared__ float s[N];
    s[threadIdx.x] = in[threadIdx.x];
    if (!bug)
        __syncthreads();
    out[N - 1 - threadIdx.x] = s[N - 1 - threadIdx.x] + 1;
}

template <bool bug>
__global__ void missing_syncwarp(const float *in, float *out)
{
    __shared__ float s[N];
    s[threadIdx.x] = in[threadIdx.x];
    if (!bug)
        __syncwarp();
    unsigned other = threadIdx.x ^ 31;
    out[other] = s[other] + 1;
}

template <bool bug>
__global__ void overwrite_before_read(const float *in, float *out)
{
    __shared__ float s[N];
    for (int round = 0; round < 2; round++) {
        s[threadIdx.x] = in[threadIdx.x] + round;
        __syncthreads();
        out[threadIdx.x] = s[(threadIdx.x + 64) % N];
        if (!bug)
            __syncthreads();
    }
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

// 4 blocks; the last one should write, or all should add atomically.
template <bool bug>
__global__ void blocks_share_a_cell(const float *in, float *out)
{
    if (bug)
        out[threadIdx.x] = in[threadIdx.x] + 1 + (float)blockIdx.x * 0;
    else if (blockIdx.x == 3)
        out[threadIdx.x] = in[threadIdx.x] + 1;
    if (bug && threadIdx.x == 0)
        out[0] = (float)blockIdx.x;
}

template <bool bug>
__global__ void missing_cluster_sync(const float *in, float *out)
{
    __shared__ float s[N];
    auto cluster = cg::this_cluster();
    s[threadIdx.x] = in[threadIdx.x] + 1;
    if (!bug)
        cluster.sync();
    float v = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[threadIdx.x];
    cluster.sync();
    if (blockIdx.x == 0)
        out[threadIdx.x] = v;
}

template <bool bug>
__global__ void uninitialised_shared(const float *in, float *out)
{
    __shared__ float s[N];
    if (!bug || threadIdx.x < N - 1)
        s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[(threadIdx.x + 1) % N] = s[(threadIdx.x + 1) % N] + 1;
}

template <bool bug>
__global__ void uninitialised_global(const float *in, float *out)
{
    out[threadIdx.x] = (bug ? out[threadIdx.x] : in[threadIdx.x]) + 1;
}

template <bool bug> __global__ void past_the_end(const float *in, float *out)
{
    for (int i = threadIdx.x; bug ? i <= N : i < N; i += blockDim.x)
        out[i] = in[i] + 1;
}

template <bool bug>
__global__ void past_the_end_shared(const float *in, float *out)
{
    extern __shared__ float dynamic[];
    dynamic[threadIdx.x + bug] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = dynamic[threadIdx.x] + 1;
}

template <bool bug> __global__ void use_after_free(const float *in, float *out)
{
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

template <bool bug>
__global__ void misaligned_vector(const float *in, float *out)
{
    if (threadIdx.x >= N / 4)
        return;
    const float *p = in + threadIdx.x * 4 + bug;
    float4 v = threadIdx.x < N / 4 - 1 || !bug ? *(const float4 *)p
                                               : make_float4(0, 0, 0, 0);
    float *q = out + threadIdx.x * 4;
    q[0] = v.x + 1, q[1] = v.y + 1, q[2] = v.z + 1, q[3] = v.w + 1;
}

template <bool bug> __global__ void early_exit(const float *in, float *out)
{
    __shared__ float s[N];
    if (bug && threadIdx.x >= 96)
        return;
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + 1;
}

template <bool bug>
__global__ void divergent_barrier(const float *in, float *out)
{
    __shared__ float s[N];
    s[threadIdx.x] = in[threadIdx.x];
    if (bug && threadIdx.x % 2)
        __syncthreads();
    if (!bug)
        __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + 1;
}

template <bool bug> __global__ void deadlock(const float *in, float *out)
{
    if (bug && threadIdx.x < 64)
        asm volatile("bar.sync 1, 128;" ::: "memory");
    else
        asm volatile("bar.sync 2, 128;" ::: "memory");
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

template <bool bug> __global__ void lost_arrival(const float *in, float *out)
{
    __shared__ uint64_t b;
    if (threadIdx.x == 0)
        init(&b, N);
    __syncthreads();
    if (!bug || threadIdx.x != 5)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
                         address(&b))
                     : "memory");
    wait(&b, 0);
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

template <bool bug> __global__ void absent_lanes(const float *in, float *out)
{
    float v = in[threadIdx.x];
    if (!bug)
        v = __shfl_sync(~0u, v, threadIdx.x % 32);
    else if (threadIdx.x % 32 < 16)
        v = __shfl_sync(~0u, v, threadIdx.x % 32);
    out[threadIdx.x] = v + 1;
}

// Block 1 reads the memory of block 0, which is long gone.
template <bool bug>
__global__ void remote_after_exit(const float *in, float *out)
{
    __shared__ float s[N];
    auto cluster = cg::this_cluster();
    s[threadIdx.x] = in[threadIdx.x];
    cluster.sync();
    if (bug && cluster.block_rank() == 0)
        return;
    float v = 0;
    if (cluster.block_rank() == 1) {
        for (int i = 0; i < 2000; i++)
            v = v * 0.5f + in[(threadIdx.x + i) % N];
        v = v * 0 + cluster.map_shared_rank(s, 0)[threadIdx.x];
        out[threadIdx.x] = v + 1;
    }
    if (!bug)
        cluster.sync();
}

// Each block writes to the other one, which may not be there yet.
template <bool bug>
__global__ void before_the_start(const float *in, float *out)
{
    __shared__ float s[N];
    auto cluster = cg::this_cluster();
    if (!bug)
        cluster.sync();
    cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[threadIdx.x] =
        in[threadIdx.x];
    cluster.sync();
    if (blockIdx.x == 0)
        out[threadIdx.x] = s[threadIdx.x] + 1;
}

// Block 0 computes, block 1 copies: the flag may only be set when all warps of
// block 0 are done.
__device__ float passed_on[N];
__device__ volatile int flag;

template <bool bug> __global__ void early_flag(const float *in, float *out)
{
    if (blockIdx.x == 0) {
        passed_on[threadIdx.x] = in[threadIdx.x] + 1;
        if (!bug)
            __syncthreads();
        __threadfence();
        if (threadIdx.x == 0)
            flag = 1;
        return;
    }
    if (threadIdx.x == 0)
        while (!flag)
            ;
    __threadfence();
    __syncthreads();
    out[threadIdx.x] = passed_on[threadIdx.x];
}

template <bool bug>
__global__ void missing_final_sync(const float *in, float *out)
{
    __shared__ float s[N];
    auto cluster = cg::this_cluster();
    s[threadIdx.x] = in[threadIdx.x];
    cluster.sync();
    float v = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[threadIdx.x];
    if (!bug)
        cluster.sync();
    if (blockIdx.x == 0)
        out[threadIdx.x] = v + 1;
}

template <bool bug>
__global__ void missing_async_wait(const float *in, float *out)
{
    __shared__ __align__(16) float s[N];
    if (threadIdx.x < N / 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;\n"
                     "cp.async.commit_group;" ::"r"(
                         address(s + threadIdx.x * 4)),
                     "l"(in + threadIdx.x * 4)
                     : "memory");
    if (!bug)
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + 1;
    if (bug)
        asm volatile("cp.async.wait_group 0;" ::: "memory");
}

template <bool bug> __global__ void bulk_not_waited(const float *in, float *out)
{
    __shared__ __align__(16) float s[N];
    s[threadIdx.x] = in[threadIdx.x] + 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x)
        return;
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                 "cp.async.bulk.commit_group;" ::"l"(out),
                 "r"(address(s)), "r"((int)sizeof s)
                 : "memory");
    if (!bug)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// A buffer is written while a bulk copy may still read it.
template <bool bug>
__global__ void reuse_before_copied(const float *in, float *out)
{
    __shared__ __align__(16) float s[N];
    s[threadIdx.x] = in[threadIdx.x] + 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1],"
                     " %2;\ncp.async.bulk.commit_group;" ::"l"(out),
                     "r"(address(s)), "r"((int)sizeof s)
                     : "memory");
        if (!bug)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
    s[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

template <bool bug>
__global__ void barrier_not_initialised(const float *in, float *out)
{
    __shared__ uint64_t b;
    if (!bug && threadIdx.x == 0)
        init(&b, N);
    __syncthreads();
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(&b))
                 : "memory");
    wait(&b, 0);
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

template <bool bug>
__global__ void failed_assertion(const float *in, float *out)
{
    assert(!bug || threadIdx.x != 77);
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

// The tensor core reads the tile until the product is waited for.
__device__ void multiply(const uint16_t *tile)
{
    uint64_t a = (address(tile) & 0x3ffff) >> 4 | 8ull << 16 | 16ull << 32;
    float d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;\n"
                 "{ .reg .pred p; setp.ne.b32 p, 0, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                 "{%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }\n"
                 "wgmma.commit_group.sync.aligned;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(a)
                 : "memory");
}

template <bool bug>
__global__ void reuse_before_product(const float *in, float *out)
{
    __shared__ __align__(128) uint16_t tile[64 * 16];
    for (int i = threadIdx.x; i < 64 * 16; i += N)
        tile[i] = 0;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    multiply(tile);
    if (!bug)
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
    tile[(threadIdx.x + 32) % N] = 1;
    if (bug)
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

template <bool bug>
__global__ void product_not_waited(const float *in, float *out)
{
    __shared__ __align__(128) uint16_t tile[64 * 16];
    for (int i = threadIdx.x; i < 64 * 16; i += N)
        tile[i] = 0;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    multiply(tile);
    if (!bug)
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

// A sparse product: rf-run stops there, with an error of the launch.
template <bool bug>
__global__ void unknown_instruction(const float *in, float *out)
{
    float d[4] = {};
    if (bug)
        asm volatile("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %4}, {%4, %4}, {%0, %1, %2, %3}, "
                     "%4, 0x0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(0));
    out[threadIdx.x] = in[threadIdx.x] + 1 + d[0];
}

// ---- host ----

using kernel = void (*)(const float *, float *);

struct plan {
    const char *name;
    kernel bug, fixed;
    int blocks, cluster;
};

#define PLAN(name, blocks, cluster)                                            \
    { #name, name<true>, name<false>, blocks, cluster }

static const plan plans[] = {
    PLAN(missing_syncthreads, 1, 1),     PLAN(missing_syncwarp, 1, 1),
    PLAN(overwrite_before_read, 1, 1),   PLAN(blocks_share_a_cell, 4, 1),
    PLAN(missing_cluster_sync, 2, 2),    PLAN(uninitialised_shared, 1, 1),
    PLAN(uninitialised_global, 1, 1),    PLAN(past_the_end, 1, 1),
    PLAN(past_the_end_shared, 1, 1),     PLAN(use_after_free, 1, 1),
    PLAN(misaligned_vector, 1, 1),       PLAN(early_exit, 1, 1),
    PLAN(divergent_barrier, 1, 1),       PLAN(deadlock, 1, 1),
    PLAN(lost_arrival, 1, 1),            PLAN(absent_lanes, 1, 1),
    PLAN(remote_after_exit, 2, 2),       PLAN(missing_final_sync, 2, 2),
    PLAN(missing_async_wait, 1, 1),      PLAN(bulk_not_waited, 1, 1),
    PLAN(reuse_before_copied, 1, 1),     PLAN(barrier_not_initialised, 1, 1),
    PLAN(failed_assertion, 1, 1),        PLAN(reuse_before_product, 1, 1),
    PLAN(product_not_waited, 1, 1),      PLAN(before_the_start, 2, 2),
    PLAN(early_flag, 2, 1),              PLAN(unknown_instruction, 1, 1),
};

static cudaError_t launch(const plan &p, bool bug, const float *in, float *out)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = p.cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = p.blocks;
    config.blockDim = N;
    config.dynamicSmemBytes = strstr(p.name, "_shared") ? N * 4 : 0;
    config.attrs = &attribute;
    config.numAttrs = p.cluster > 1;
    cudaError_t e = cudaLaunchKernelEx(&config, bug ? p.bug : p.fixed, in, out);
    return e ? e : cudaDeviceSynchronize();
}

static int run(const plan &p, bool bug)
{
    float in[N], got[N], *din, *dout, *gone;
    for (int i = 0; i < N; i++)
        in[i] = (float)(i * 3 % 50);
    cudaMalloc(&din, sizeof in);
    cudaMalloc(&dout, sizeof in);
    cudaMalloc(&gone, sizeof in);
    cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemcpy(gone, in, sizeof in, cudaMemcpyHostToDevice);
    bool freed = bug && !strcmp(p.name, "use_after_free");
    if (freed)
        cudaFree(gone);
    cudaError_t e = launch(p, bug, freed ? gone : din, dout);
    if (!e)
        e = cudaMemcpy(got, dout, sizeof got, cudaMemcpyDeviceToHost);
    if (e) {
        std::printf("%s: %s\n", p.name, cudaGetErrorString(e));
        return 1;
    }
    for (int i = 0; i < N; i++)
        if (got[i] != in[i] + 1) {
            std::printf("%s: wrong\n", p.name);
            return 1;
        }
    std::printf("%s: right\n", p.name);
    return 0;
}

int main(int argc, char **argv)
{
    for (auto &p : plans)
        if (argc == 3 && !strcmp(argv[1], p.name))
            return run(p, !strcmp(argv[2], "bug"));
    std::printf("usage: planted NAME bug|fixed\n");
    return 2;
}
