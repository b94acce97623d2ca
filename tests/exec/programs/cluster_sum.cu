// Sums over clusters of 1, 2, 4, 8 and 16 blocks through the shared memory of
// the other blocks: read by everyone, pushed to rank 0 with atomics, exchanged
// in a butterfly, and scanned along the ranks.
//
// run:
// expect: all sums agree
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstdlib>
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

enum { THREADS = 128 };

// The sum of one block's share, in every thread.
__device__ int block_sum(const int *x, int n)
{
    __shared__ int parts[THREADS / 32], total;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += THREADS)
        sum += x[i];
    sum = cg::reduce(warp, sum, cg::plus<int>());
    if (warp.thread_rank() == 0)
        parts[warp.meta_group_rank()] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        total = 0;
        for (int i = 0; i < THREADS / 32; i++)
            total += parts[i];
    }
    __syncthreads();
    return total;
}

__global__ void read_all(const int *x, int n, int *out)
{
    __shared__ int part;
    auto cluster = cg::this_cluster();
    int sum = block_sum(x + (size_t)blockIdx.x * n, n), all = 0;
    if (threadIdx.x == 0)
        part = sum;
    cluster.sync();
    for (unsigned r = 0; r < cluster.num_blocks(); r++)
        all += *cluster.map_shared_rank(&part, r);
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = all;
}

__global__ void push(const int *x, int n, int *out)
{
    __shared__ int total;
    auto cluster = cg::this_cluster();
    int sum = block_sum(x + (size_t)blockIdx.x * n, n);
    if (threadIdx.x == 0)
        total = 0;
    cluster.sync();
    if (threadIdx.x == 0)
        atomicAdd(cluster.map_shared_rank(&total, 0), sum);
    cluster.sync();
    int all = *cluster.map_shared_rank(&total, 0);
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = all;
}

__global__ void butterfly(const int *x, int n, int *out)
{
    extern __shared__ int slots[]; // one a step
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    int sum = block_sum(x + (size_t)blockIdx.x * n, n);
    cluster.sync(); // all have started
    for (unsigned step = 1, k = 0; step < cluster.num_blocks();
         step *= 2, k++) {
        if (threadIdx.x == 0)
            *cluster.map_shared_rank(&slots[k], rank ^ step) = sum;
        cluster.sync();
        sum += slots[k];
    }
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

// The sum over this rank and those before it; arrive and wait apart.
__global__ void scan(const int *x, int n, int *out)
{
    __shared__ int part;
    auto cluster = cg::this_cluster();
    int sum = block_sum(x + (size_t)blockIdx.x * n, n);
    if (threadIdx.x == 0)
        part = sum;
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    int all = 0;
    for (unsigned r = 0; r <= cluster.block_rank(); r++)
        all += *cluster.map_shared_rank(&part, r);
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = all;
}

using kernel = void (*)(const int *, int, int *);

static void launch(kernel k, int blocks, int size, const int *x, int n,
                   int *out)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    config.gridDim = blocks;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = 64;
    config.attrs = &attribute;
    config.numAttrs = 1;
    if (size > 8)
        CHECK(cudaFuncSetAttribute(
            (const void *)k, cudaFuncAttributeNonPortableClusterSizeAllowed,
            1));
    CHECK(cudaLaunchKernelEx(&config, k, x, n, out));
    CHECK(cudaDeviceSynchronize());
}

int main()
{
    const int blocks = 32, n = 777;
    const struct {
        const char *name;
        kernel k;
        bool prefix;
    } kernels[] = { { "read_all", read_all, false },
                    { "push", push, false },
                    { "butterfly", butterfly, false },
                    { "scan", scan, true } };
    std::vector<int> x(blocks * n), part(blocks), out(blocks);
    for (int i = 0; i < blocks * n; i++)
        part[i / n] += x[i] = i * 7919 % 1000 - 500;
    int *dx, *dout, failures = 0;
    CHECK(cudaMalloc(&dx, x.size() * sizeof(int)));
    CHECK(cudaMalloc(&dout, blocks * sizeof(int)));
    CHECK(cudaMemcpy(dx, x.data(), x.size() * sizeof(int),
                     cudaMemcpyHostToDevice));
    for (auto &k : kernels)
        for (int size = 1; size <= 16; size *= 2) {
            CHECK(cudaMemset(dout, 0xff, blocks * sizeof(int)));
            launch(k.k, blocks, size, dx, n, dout);
            CHECK(cudaMemcpy(out.data(), dout, blocks * sizeof(int),
                             cudaMemcpyDeviceToHost));
            bool good = true;
            for (int b = 0; b < blocks; b++) {
                int want = 0, first = b / size * size;
                int last = k.prefix ? b : first + size - 1;
                for (int i = first; i <= last; i++)
                    want += part[i];
                good &= out[b] == want;
            }
            std::printf("%-10s cluster of %2d: %s\n", k.name, size,
                        good ? "ok" : "WRONG");
            failures += !good;
        }
    if (failures)
        return 1;
    std::printf("all sums agree\n");
    return 0;
}
