// The mean absolute deviation: |x - mean| has no running form, no merge of
// partial results exists. A cluster keeps the row in the registers of its
// blocks: both passes of the source are made there, the row is read once.
#include "check.h"

#pragma rf cascade level(cluster) cluster(2) threads(64) assume(width <= 1000)
#ifdef RF_REFERENCE
__global__ void deviation(const float *x, float *y, int rows, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float mean = 0.0f;
        for (int i = 0; i < width; i++)
            mean += x[row * width + i];
        mean /= width;
        float sum = 0.0f;
        for (int i = 0; i < width; i++)
            sum += fabsf(x[row * width + i] - mean);
        y[row] = sum / width;
    }
}
#else  // rf: fused, 2 passes -> 1, the row in registers, reassociated, proof 2/2 of a thread's steps, merge of 128 threads tested only, HASH; do not edit
// Clusters that a kernel must be launched with: from sm_90 on.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define RF_TEAM(blocks)
#define RF_TEAM_BLOCKS(blocks) 1
#else
#define RF_TEAM(blocks) __cluster_dims__(blocks, 1, 1)
#define RF_TEAM_BLOCKS(blocks) blocks
#endif

// Blocks that fold a row together: a cluster, from sm_90 on. Elsewhere
// the first of them works alone.
static __device__ inline unsigned rf_team_blocks()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    return __clusterSizeInBlocks();
#else
    return 1;
#endif
}

// What the threads of the team wrote before is seen after.
static __device__ inline void rf_team_sync()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
#else
    __syncthreads();
#endif
}

// This block's value, in its slot of every block: pushed, not pulled.
template <class T>
static __device__ void rf_team_push(T *slots, T value)
{
    const unsigned blocks = rf_team_blocks();
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    const unsigned rank = threadIdx.x % blocks; // there is such a block
    T *to = (T *)__cluster_map_shared_rank(slots, rank);
    if (threadIdx.x < blocks)
        to[__clusterRelativeBlockRank()] = value;
#else
    if (threadIdx.x < blocks)
        slots[0] = value;
#endif
}

__global__ RF_TEAM(2) void deviation(const float *x, float *y, int rows, int width)
{
    if (rf_team_blocks() == 1 && blockIdx.x % 2 != 0)
        return;
    int row = blockIdx.x / 2;
    if (row < rows) {
        const int lane = blockIdx.x % 2 * 64 + threadIdx.x;
        const int lanes = rf_team_blocks() * 64;
        // longer than was assumed: the row would not fit
        if (width > 1024)
            __trap();
        const int slots = 1024 / (RF_TEAM_BLOCKS(2) * 64);
        // the row is read once and stays in registers
        float x_row[slots];
        #pragma unroll
        for (int k = 0; k < slots; ++k) {
            const int i = lane + k * lanes;
            if (i < width)
                x_row[k] = x[row * width + i];
        }
        float mean = 0.0f;
        #pragma unroll
        for (int k = 0; k < slots; ++k) {
            const int i = lane + k * lanes;
            if (i < width)
                mean += x_row[k];
        }
        // one combine for the block: the lanes of a warp, then the warps
        for (unsigned offset = 16; offset > 0; offset /= 2) {
            const float mean_other = __shfl_xor_sync(0xffffffff, mean, offset);
            mean += mean_other;
        }
        __shared__ float mean_warp[2];
        if (threadIdx.x % 32 == 0)
            mean_warp[threadIdx.x / 32] = mean;
        __syncthreads();
        mean = mean_warp[0];
        for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
            const float mean_other = mean_warp[warp];
            mean += mean_other;
        }
        __shared__ float mean_block[2];
        // all blocks of the row run, and their slots are free
        rf_team_sync();
        rf_team_push(mean_block, mean);
        rf_team_sync();
        mean = mean_block[0];
        for (unsigned block = 1; block < rf_team_blocks(); ++block) {
            const float mean_other = mean_block[block];
            mean += mean_other;
        }
        mean = mean / width;
        float sum = 0.0f;
        #pragma unroll
        for (int k = 0; k < slots; ++k) {
            const int i = lane + k * lanes;
            if (i < width)
                sum += fabsf(x_row[k] - mean);
        }
        // one combine for the block: the lanes of a warp, then the warps
        for (unsigned offset = 16; offset > 0; offset /= 2) {
            const float sum_other = __shfl_xor_sync(0xffffffff, sum, offset);
            sum += sum_other;
        }
        __shared__ float sum_warp[2];
        if (threadIdx.x % 32 == 0)
            sum_warp[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = sum_warp[0];
        for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
            const float sum_other = sum_warp[warp];
            sum += sum_other;
        }
        __shared__ float sum_block[2];
        rf_team_push(sum_block, sum);
        rf_team_sync();
        sum = sum_block[0];
        for (unsigned block = 1; block < rf_team_blocks(); ++block) {
            const float sum_other = sum_block[block];
            sum += sum_other;
        }
        if (threadIdx.x == 0 && blockIdx.x % 2 == 0) y[row] = sum / width;
    }
}
#endif // rf

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int N = 13;
    for (int C : { 1000, 129, 33, 31, 1 }) {
        check::Array<float> x(N * C), y(N);
        check::fill(x, C, o, check::SUMS);
        std::vector<double> want;
        for (int i = 0; i < N; i++) {
            Real m = 0, d = 0;
            for (int c = 0; c < C; c++)
                m += x[i * C + c];
            m /= C;
            for (int c = 0; c < C; c++)
                d += fabs(Real(x[i * C + c] - m));
            want.push_back(d / C);
        }
#ifdef RF_REFERENCE
        deviation<<<(N + 3) / 4, 4>>>(x.upload(), y.upload(), N, C);
#else  // rf: a team for each row, c7d20497022d-8ee82e9c; do not edit
        deviation<<<((N + 3) / 4) * 4 * 2, 64>>>(x.upload(), y.upload(), N, C);
#endif // rf
        y.download();
        check::expect("y", y, want, 1e-4);
    }
    return check::pass();
}
