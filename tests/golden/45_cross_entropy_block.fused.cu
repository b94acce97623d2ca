// Cross entropy with one block a token: tokens with the padding label return
// at once, all threads together; thread 0 looks up the label's logit.
#include "check.h"

#include <cub/cub.cuh>
#include <cuda/functional>

#pragma rf cascade assume(noalias)
#ifdef RF_REFERENCE
__global__ void cross_entropy(const float *logits, const int *labels,
                              float *losses, int vocabulary, int padding)
{
    using Reduce = cub::BlockReduce<float, 128>;
    __shared__ typename Reduce::TempStorage room;
    __shared__ float top;
    const int token = blockIdx.x, label = labels[token];
    if (label == padding) {
        if (threadIdx.x == 0)
            losses[token] = 0.0f;
        return;
    }
    const float *row = logits + token * vocabulary;

    float m = -1e20f;
    for (int v = threadIdx.x; v < vocabulary; v += blockDim.x)
        if (row[v] > m)
            m = row[v];
    m = Reduce(room).Reduce(m, cuda::maximum<>());
    if (threadIdx.x == 0)
        top = m;
    __syncthreads();

    float s = 0.0f;
    for (int v = threadIdx.x; v < vocabulary; v += blockDim.x)
        s += expf(row[v] - top);
    s = Reduce(room).Sum(s);
    if (threadIdx.x == 0)
        losses[token] = logf(s) + top - row[label];
}
#else  // rf: fused, 2 passes -> 1, 3 barriers -> 2, rescaled, proof 15/15, HASH; do not edit
__global__ void cross_entropy(const float *logits, const int *labels,
                              float *losses, int vocabulary, int padding)
{
    using Reduce = cub::BlockReduce<float, 128>;
    __shared__ typename Reduce::TempStorage room;
    const int token = blockIdx.x, label = labels[token];
    if (label == padding) {
        if (threadIdx.x == 0)
            losses[token] = 0.0f;
        return;
    }
    const float *row = logits + token * vocabulary;

    // only the reference uses this
    (void)&room;
    float m = -1e20f;
    float s = 0.0f;
    // s: relative to the m so far, rescaled when it moves
    for (int v = threadIdx.x; v < vocabulary; v += (int)blockDim.x) {
        const float row_v = row[v];
        if (row_v > m) {
            s *= expf(m - row_v);
            m = row_v;
        }
        s += expf(row_v - m);
    }
    // one combine for the block: the lanes of a warp, then the warps
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        const float m_other = __shfl_xor_sync(0xffffffff, m, offset);
        float s_other = __shfl_xor_sync(0xffffffff, s, offset);
        const float m_old = m;
        m = fmaxf(m, m_other);
        if (m != m_old)
            s *= expf(m_old - m);
        if (m != m_other)
            s_other *= expf(m_other - m);
        s += s_other;
    }
    __shared__ float m_warp[4];
    __shared__ float s_warp[4];
    if (threadIdx.x % 32 == 0) {
        m_warp[threadIdx.x / 32] = m;
        s_warp[threadIdx.x / 32] = s;
    }
    __syncthreads();
    m = m_warp[0];
    s = s_warp[0];
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
        const float m_other = m_warp[warp];
        float s_other = s_warp[warp];
        const float m_old = m;
        m = fmaxf(m, m_other);
        if (m != m_old)
            s *= expf(m_old - m);
        if (m != m_other)
            s_other *= expf(m_other - m);
        s += s_other;
    }
    if (threadIdx.x == 0u)
        losses[token] = logf(s) + m - row[label];
    // before the shared states are used again
    __syncthreads();
}
#endif // rf

static std::vector<double> reference(const check::Array<float> &x,
                                     const check::Array<int> &labels, int N,
                                     int C, int padding)
{
    std::vector<double> losses;
    for (int i = 0; i < N; i++) {
        double top = -1e20f;
        for (int v = 0; v < C; v++)
            top = x[i * C + v] > top ? x[i * C + v] : top;
        check::Real s = 0;
        for (int v = 0; v < C; v++)
            s += exp(check::Real(x[i * C + v] - top));
        const int label = labels.host[i];
        losses.push_back(label == padding
                             ? 0.0
                             : log((double)s) + top - x[i * C + label]);
    }
    return losses;
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 38, padding = -1;
    for (int C : check::lengths(o, 500, 1)) {
        check::Array<float> x(N * C), y(N);
        check::Array<int> labels(N);
        check::fill(x, C, o, check::SCORES);
        for (int i = 0; i < N; i++)
            labels.host[i] = i % 7 == 3 ? padding : i % C;
        cross_entropy<<<N, 128>>>(x.upload(), labels.upload(), y.upload(), C,
                                  padding);
        y.download();
        check::expect("loss", y, reference(x, labels, N, C, padding));
    }
    return check::pass();
}
