// Cross entropy, one thread per sample; `level(block)` gives every sample a
// block of 128 threads. The loss is stored after the loops: by one of them.
#include "check.h"

__global__ void cross_entropy(const float *logits, const int *labels,
                              float *losses, int samples, int classes)
{
#ifdef RF_REFERENCE
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
#else  // rf: a row for each team, f831bcbdd0f1-62582856; do not edit
    const int s = blockIdx.x;
#endif // rf
    if (s < samples) {
        const float *row = logits + s * classes;
        const int label = labels[s];

        #pragma rf cascade level(block)
#ifdef RF_REFERENCE
        {
            float top = -INFINITY;
            for (int c = 0; c < classes; c++)
                if (row[c] > top)
                    top = row[c];
            float sum = 0.0f;
            for (int c = 0; c < classes; c++)
                sum += expf(row[c] - top);
            losses[s] = logf(sum) - (row[label] - top);
        }
#else  // rf: fused, 2 passes -> 1, rescaled, proof 17/17, HASH; do not edit
        {
            const int lane = threadIdx.x;
            float top = -INFINITY;
            float sum = 0.0f;
            // sum: relative to the top so far, rescaled when it moves
            for (int c = lane; c < classes; c += 128) {
                const float row_c = row[c];
                if (row_c > top) {
                    sum *= expf(top - row_c);
                    top = row_c;
                }
                sum += row_c == -INFINITY ? 0.0f : expf(row_c - top);
            }
            // one combine for the block: the lanes of a warp, then the warps
            for (unsigned offset = 16; offset > 0; offset /= 2) {
                const float top_other =
                    __shfl_xor_sync(0xffffffff, top, offset);
                float sum_other = __shfl_xor_sync(0xffffffff, sum, offset);
                const float top_old = top;
                top = fmaxf(top, top_other);
                if (top != top_old)
                    sum *= expf(top_old - top);
                if (top != top_other)
                    sum_other *= expf(top_other - top);
                sum += sum_other;
            }
            __shared__ float top_warp[4];
            __shared__ float sum_warp[4];
            if (threadIdx.x % 32 == 0) {
                top_warp[threadIdx.x / 32] = top;
                sum_warp[threadIdx.x / 32] = sum;
            }
            __syncthreads();
            top = top_warp[0];
            sum = sum_warp[0];
            for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
                const float top_other = top_warp[warp];
                float sum_other = sum_warp[warp];
                const float top_old = top;
                top = fmaxf(top, top_other);
                if (top != top_old)
                    sum *= expf(top_old - top);
                if (top != top_other)
                    sum_other *= expf(top_other - top);
                sum += sum_other;
            }
            // nothing finite: -inf - -inf, as the reference computes
            if (classes > 0 && top == -INFINITY)
                sum = NAN;
            if (threadIdx.x == 0) losses[s] = logf(sum) - (row[label] - top);
        }
#endif // rf
    }
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    check::Random r(o.seed);
    const int N = 21;
    for (int C : { 1000, 129, 33, 32, 31, 1 }) {
        check::Array<float> x(N * C), losses(N);
        check::Array<int> labels(N);
        check::fill(x, C, o);
        std::vector<double> want;
        for (int i = 0; i < N; i++) {
            labels.host[i] = r.below(C);
            double m = -INFINITY;
            for (int c = 0; c < C; c++)
                m = x[i * C + c] > m ? x[i * C + c] : m;
            check::Real sum = 0;
            for (int c = 0; c < C; c++)
                sum += exp(check::Real(x[i * C + c] - m));
            double shifted = check::Real(x[i * C + labels.host[i]] - m);
            want.push_back(log(sum) - shifted);
        }
#ifdef RF_REFERENCE
        cross_entropy<<<dim3(3), 8>>>(x.upload(), labels.upload(),
#else  // rf: a team for each row, f831bcbdd0f1-e39f5d1d; do not edit
        cross_entropy<<<dim3(3 * 8), 128>>>(x.upload(), labels.upload(),
#endif // rf
                                      losses.upload(), N, C);
        losses.download();
        check::expect("losses", losses, want, 1e-4);
    }
    return check::pass();
}
