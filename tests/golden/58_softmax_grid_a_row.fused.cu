// Few rows, and very long ones: `level(grid)` shares a row among blocks that
// need not run together. They leave their states in memory, and a second launch
// of the same kernel merges these and writes the row.
#include "check.h"

#pragma rf cascade level(grid) blocks(6) threads(64)
#ifdef RF_REFERENCE
__global__ void softmax(const float *__restrict__ x, float *__restrict__ y,
                        int rows, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float m = -INFINITY;
        for (int i = 0; i < width; i++)
            m = fmaxf(m, x[row * width + i]);
        float sum = 0.0f;
        for (int i = 0; i < width; i++)
            sum += expf(x[row * width + i] - m);
        for (int i = 0; i < width; i++)
            y[row * width + i] = expf(x[row * width + i] - m) / sum;
    }
}
#else  // rf: fused, 3 passes -> 2, rescaled, proof 6/6 of a thread's steps, merge of 384 threads tested only, HASH; do not edit
// The type of an argument that is not to be guessed.
template <class T> struct rf_as_it_is {
    typedef T type;
};

// Rows that several blocks of a grid share. A turn is a launch: in it the
// blocks fold their parts of the row and leave their states; in the next
// all of them merge these and go on. No block waits for another.
template <class State> struct rf_grid_team {
    State *states; // one for each block of the grid
    unsigned turn;

    // Those of the blocks that share the row of this one.
    __device__ State *of_row(unsigned blocks) const
    {
        const size_t y = (size_t)blockIdx.z * gridDim.y + blockIdx.y;
        const unsigned first = blockIdx.x - blockIdx.x % blocks;
        return states + (y * gridDim.x + first);
    }
};

template <class State, class... P>
static void rf_grid_launch(void (*kernel)(rf_grid_team<State>, P...),
                           unsigned turns, dim3 grid, dim3 block,
                           size_t shared, cudaStream_t stream,
                           typename rf_as_it_is<P>::type... args)
{
    rf_grid_team<State> team = { nullptr, 0 };
    const size_t blocks = (size_t)grid.x * grid.y * grid.z;
    void *states = nullptr;
    if (cudaMallocAsync(&states, blocks * sizeof(State), stream) !=
        cudaSuccess)
        return; // cudaGetLastError says so, as after a failed launch
    team.states = static_cast<State *>(states);
    for (; team.turn < turns; team.turn++)
        kernel<<<grid, block, shared, stream>>>(team, args...);
    cudaFreeAsync(states, stream);
}

// What a block of softmax leaves for the next launch.
struct softmax_state {
    float m;
    float sum;
};

__global__ void softmax(rf_grid_team<softmax_state> team, const float *__restrict__ x, float *__restrict__ y,
                        int rows, int width)
{
    int row = blockIdx.x / 6;
    if (row < rows) {
        const int lane = blockIdx.x % 6 * 64 + threadIdx.x;
        float m = -INFINITY;
        float sum = 0.0f;
        if (team.turn == 0) {
            // sum: relative to the m so far, rescaled when it moves
            for (int i = lane; i < width; i += 384) {
                const float m_old = m;
                const float x_i = x[row * width + i];
                m = fmaxf(m, x_i);
                if (m != m_old)
                    sum *= expf(m_old - m);
                sum += x_i == -INFINITY ? 0.0f : expf(x_i - m);
            }
        } else {
            // what the blocks of the row left
            for (unsigned block = threadIdx.x; block < 6; block += blockDim.x) {
                const float m_other = team.of_row(6)[block].m;
                float sum_other = team.of_row(6)[block].sum;
                const float m_old = m;
                m = fmaxf(m, m_other);
                if (m != m_old)
                    sum *= expf(m_old - m);
                if (m != m_other)
                    sum_other *= expf(m_other - m);
                sum += sum_other;
            }
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
        __shared__ float m_warp[2];
        __shared__ float sum_warp[2];
        if (threadIdx.x % 32 == 0) {
            m_warp[threadIdx.x / 32] = m;
            sum_warp[threadIdx.x / 32] = sum;
        }
        __syncthreads();
        m = m_warp[0];
        sum = sum_warp[0];
        for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
            const float m_other = m_warp[warp];
            float sum_other = sum_warp[warp];
            const float m_old = m;
            m = fmaxf(m, m_other);
            if (m != m_old)
                sum *= expf(m_old - m);
            if (m != m_other)
                sum_other *= expf(m_other - m);
            sum += sum_other;
        }
        // the next launch goes on
        if (team.turn == 0) {
            if (threadIdx.x == 0) {
                team.of_row(6)[blockIdx.x % 6].m = m;
                team.of_row(6)[blockIdx.x % 6].sum = sum;
            }
            return;
        }
        // nothing finite: -inf - -inf, as the reference computes
        if (width > 0 && m == -INFINITY)
            sum = NAN;
        for (int i = lane; i < width; i += 384)
            y[row * width + i] = expf(x[row * width + i] - m) / sum;
    }
}
#endif // rf

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 5;
    for (int C : { 5000, 257, 33, 32, 31, 1, 0 }) {
        check::Array<float> x(N * C), y(N * C);
        check::fill(x, C, o);
#ifdef RF_REFERENCE
        softmax<<<(N + 4) / 5, 5>>>(x.upload(), y.upload(), N, C);
#else  // rf: a team for each row, 60c7c94a6f68-696d9889; do not edit
        rf_grid_launch(softmax, 2, ((N + 4) / 5) * 5 * 6, 64, 0, 0, x.upload(), y.upload(), N, C);
#endif // rf
        y.download();
        check::expect("y", y, check::softmax_rows(x, N, C));
    }
    return check::pass();
}
