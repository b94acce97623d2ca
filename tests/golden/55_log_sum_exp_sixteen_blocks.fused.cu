// Very long rows: sixteen blocks share one. Clusters of more than eight need
// the kernel's consent, which the launch then asks for.
#include "check.h"

#pragma rf cascade level(cluster) cluster(16) threads(32)
#ifdef RF_REFERENCE
__global__ void log_sum_exp(const float *x, float *y, int rows, int width)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float m = -INFINITY;
        for (int i = 0; i < width; i++)
            m = fmaxf(m, x[row * width + i]);
        float sum = 0.0f;
        for (int i = 0; i < width; i++)
            sum += expf(x[row * width + i] - m);
        y[row] = m + logf(sum);
    }
}
#else  // rf: fused, 2 passes -> 1, rescaled, proof 7/7 of a thread's steps, merge of 512 threads tested only, HASH; do not edit
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

// The type of an argument that is not to be guessed.
template <class T> struct rf_as_it_is {
    typedef T type;
};

// A launch with clusters of "blocks" blocks, where the device has room
// for one; elsewhere the first block of each works alone.
template <class... P>
static void rf_team_launch(void (*kernel)(P...), unsigned blocks,
                           dim3 grid, dim3 block, size_t shared,
                           cudaStream_t stream,
                           typename rf_as_it_is<P>::type... args)
{
    const cudaFuncAttribute large =
        cudaFuncAttributeNonPortableClusterSizeAllowed;
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
    int most = 0;
    if ((blocks > 8 &&
         cudaFuncSetAttribute(kernel, large, 1) != cudaSuccess) ||
        cudaOccupancyMaxActiveClusters(&most, kernel, &config) !=
            cudaSuccess ||
        most < 1) {
        cudaGetLastError(); // no clusters is no failure
        config.numAttrs = 0;
    }
    cudaLaunchKernelEx(&config, kernel, args...);
}

__global__ void log_sum_exp(const float *x, float *y, int rows, int width)
{
    if (rf_team_blocks() == 1 && blockIdx.x % 16 != 0)
        return;
    const int row = blockIdx.x / 16;
    if (row < rows) {
        const int lane = blockIdx.x % 16 * 32 + threadIdx.x;
        const int lanes = rf_team_blocks() * 32;
        float m = -INFINITY;
        float sum = 0.0f;
        // sum: relative to the m so far, rescaled when it moves
        for (int i = lane; i < width; i += lanes) {
            const float m_old = m;
            const float x_i = x[row * width + i];
            m = fmaxf(m, x_i);
            if (m != m_old)
                sum *= expf(m_old - m);
            sum += x_i == -INFINITY ? 0.0f : expf(x_i - m);
        }
        // one combine for the block: the lanes of a warp, then the warps
        for (unsigned offset = 16; offset > 0; offset /= 2) {
            const float m_other = __shfl_xor_sync(0xffffffff, m, offset);
            float sum_other = __shfl_xor_sync(0xffffffff, sum, offset);
            const float m_old = m;
            m = fmaxf(m, m_other);
            if (m != m_old)
                sum *= expf(m_old - m);
            if (m != m_other)
                sum_other *= expf(m_other - m);
            sum += sum_other;
        }
        __shared__ float m_block[16];
        __shared__ float sum_block[16];
        // all blocks of the row run, and their slots are free
        rf_team_sync();
        rf_team_push(m_block, m);
        rf_team_push(sum_block, sum);
        rf_team_sync();
        m = m_block[0];
        sum = sum_block[0];
        for (unsigned block = 1; block < rf_team_blocks(); ++block) {
            const float m_other = m_block[block];
            float sum_other = sum_block[block];
            const float m_old = m;
            m = fmaxf(m, m_other);
            if (m != m_old)
                sum *= expf(m_old - m);
            if (m != m_other)
                sum_other *= expf(m_other - m);
            sum += sum_other;
        }
        // nothing finite: -inf - -inf, as the reference computes
        if (width > 0 && m == -INFINITY)
            sum = NAN;
        if (threadIdx.x == 0 && blockIdx.x % 16 == 0) y[row] = m + logf(sum);
    }
}
#endif // rf

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 19;
    for (int C : { 1000, 33, 32, 31, 1, 0 }) {
        check::Array<float> x(N * C), y(N);
        check::fill(x, C, o);
        std::vector<double> want;
        for (int i = 0; i < N; i++) {
            double m = -INFINITY;
            for (int c = 0; c < C; c++)
                m = fmax(m, x[i * C + c]);
            check::Real sum = 0;
            for (int c = 0; c < C; c++)
                sum += exp(check::Real(x[i * C + c] - m));
            want.push_back(check::Real(m + log(sum)));
        }
#ifdef RF_REFERENCE
        log_sum_exp<<<dim3(4), 5>>>(x.upload(), y.upload(), N, C);
#else  // rf: a team for each row, 54b8c49a35fa-39e3d2c1; do not edit
        rf_team_launch(log_sum_exp, 16, dim3(4 * 5 * 16), 32, 0, 0, x.upload(), y.upload(), N, C);
#endif // rf
        y.download();
        check::expect("y", y, want);
    }
    return check::pass();
}
