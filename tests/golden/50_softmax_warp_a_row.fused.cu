// Softmax over rows, one thread per row as it is first written; `level(warp)`
// gives every row a warp: the lanes take elements next to each other, fold
// their parts and merge them by shuffles. The launch gets 32 times the threads.
#include "check.h"

#pragma rf cascade level(warp) assume(noalias)
#ifdef RF_REFERENCE
__global__ void softmax(const float *x, float *y, int rows, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;

    float m = -INFINITY;
    for (int i = 0; i < width; i++)
        m = fmaxf(m, x[row * width + i]);
    float sum = 0.0f;
    for (int i = 0; i < width; i++)
        sum += expf(x[row * width + i] - m);
    for (int i = 0; i < width; i++)
        y[row * width + i] = expf(x[row * width + i] - m) / sum;
}
#else  // rf: fused, 3 passes -> 2, rescaled, proof 18/18, HASH; do not edit
__global__ void softmax(const float *x, float *y, int rows, int width)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows)
        return;

    const int lane = threadIdx.x % 32;
    float m = -INFINITY;
    float sum = 0.0f;
    // sum: relative to the m so far, rescaled when it moves
    for (int i = lane; i < width; i += 32) {
        const float m_old = m;
        const float x_i = x[row * width + i];
        m = fmaxf(m, x_i);
        if (m != m_old)
            sum *= expf(m_old - m);
        sum += x_i == -INFINITY ? 0.0f : expf(x_i - m);
    }
    // one combine for the lanes that share a row
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
    // nothing finite: -inf - -inf, as the reference computes
    if (width > 0 && m == -INFINITY)
        sum = NAN;
    for (int i = lane; i < width; i += 32)
        y[row * width + i] = expf(x[row * width + i] - m) / sum;
}
#endif // rf

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 37; // no multiple of the rows a block has
    for (int C : { 1000, 33, 32, 31, 2, 1, 0 }) {
        check::Array<float> x(N * C), y(N * C);
        check::fill(x, C, o);
        const int threads = 64;
#ifdef RF_REFERENCE
        softmax<<<(N + threads - 1) / threads, threads>>>(x.upload(),
#else  // rf: a team for each row, e90ed252d08b-7c7b4659; do not edit
        softmax<<<((N + threads - 1) / threads) * 32, threads>>>(x.upload(),
#endif // rf
                                                          y.upload(), N, C);
        y.download();
        check::expect("y", y, check::softmax_rows(x, N, C));
    }
    return check::pass();
}
