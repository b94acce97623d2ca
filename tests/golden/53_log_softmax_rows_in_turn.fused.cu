// Log-softmax in place with a loop over rows, as many rows in turn as the
// grid has threads: a warp for each row takes strides of warps.
#include "check.h"

__global__ void log_softmax(float *x, int rows, int width)
{
#ifdef RF_REFERENCE
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows;
#else  // rf: a row for each team, 93bd971247f3-22104ddf; do not edit
    for (int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; row < rows;
#endif // rf
#ifdef RF_REFERENCE
         row += gridDim.x * blockDim.x) {
#else  // rf: a row for each team, 93bd971247f3-e2614b65; do not edit
         row += gridDim.x * (blockDim.x / 32)) {
#endif // rf
        float *const p = x + (size_t)row * width;
        #pragma rf cascade level(warp)
#ifdef RF_REFERENCE
        {
            float m = -INFINITY;
            for (int i = 0; i < width; i++)
                m = fmaxf(m, p[i]);
            float sum = 0.0f;
            for (int i = 0; i < width; i++)
                sum += expf(p[i] - m);
            const float shift = m + logf(sum);
            for (int i = 0; i < width; i++)
                p[i] -= shift;
        }
#else  // rf: fused, 3 passes -> 2, rescaled, proof 19/19, HASH; do not edit
        {
            const int lane = threadIdx.x % 32;
            float m = -INFINITY;
            float sum = 0.0f;
            // sum: relative to the m so far, rescaled when it moves
            for (int i = lane; i < width; i += 32) {
                const float m_old = m;
                const float p_i = p[i];
                m = fmaxf(m, p_i);
                if (m != m_old)
                    sum *= expf(m_old - m);
                sum += p_i == -INFINITY ? 0.0f : expf(p_i - m);
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
            const float shift = m + logf(sum);
            for (int i = lane; i < width; i += 32)
                p[i] = p[i] - shift;
            // others read what was stored
            __syncwarp();
        }
#endif // rf
    }
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 45;
    for (int C : { 300, 33, 32, 31, 1, 0 }) {
        check::Array<float> x(N * C);
        check::fill(x, C, o);
        std::vector<double> want;
        for (int i = 0; i < N; i++) {
            double m = -INFINITY;
            for (int c = 0; c < C; c++)
                m = fmax(m, x[i * C + c]);
            check::Real sum = 0;
            for (int c = 0; c < C; c++)
                sum += exp(check::Real(x[i * C + c] - m));
            for (int c = 0; c < C; c++)
                want.push_back(x[i * C + c] - check::Real(m + log(sum)));
        }
#ifdef RF_REFERENCE
        log_softmax<<<2, 10>>>(x.upload(), N, C);
#else  // rf: a team for each row, 93bd971247f3-6fc6d4ad; do not edit
        log_softmax<<<2 * 10, 32>>>(x.upload(), N, C);
#endif // rf
        x.download();
        check::expect("x", x, want, 2e-5, 1);
    }
    return check::pass();
}
