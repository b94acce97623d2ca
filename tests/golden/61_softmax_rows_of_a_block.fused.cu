// Log-softmax with blocks of 32 by 8 threads: threadIdx.y is the row of the
// block, a warp for each, and the grid takes rows in turn.
#include "check.h"

#pragma rf cascade assume(noalias)
#ifdef RF_REFERENCE
__global__ void log_softmax_rows(const float *in, float *out, int rows,
                                 int width)
{
    for (int row = blockIdx.x * blockDim.y + threadIdx.y; row < rows;
         row += gridDim.x * blockDim.y) {
        const float *x = in + row * width;
        float top = -INFINITY;
        for (int c = threadIdx.x; c < width; c += 32)
            top = fmaxf(top, x[c]);
        for (int o = 16; o > 0; o /= 2)
            top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, o));

        float sum = 0.0f;
        for (int c = threadIdx.x; c < width; c += 32)
            sum += expf(x[c] - top);
        for (int o = 16; o > 0; o /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, o);

        const float shift = top + logf(sum);
        for (int c = threadIdx.x; c < width; c += 32)
            out[row * width + c] = x[c] - shift;
    }
}
#else  // rf: fused, 3 passes -> 2, rescaled, proof 14/14, HASH; do not edit
__global__ void log_softmax_rows(const float *in, float *out, int rows,
                                 int width)
{
    for (int row = blockIdx.x * blockDim.y + threadIdx.y; row < rows;
         row += gridDim.x * blockDim.y) {
        const float *x = in + row * width;
        float top = -INFINITY;
        float sum = 0.0f;
        // sum: relative to the top so far, rescaled when it moves
        for (int c = threadIdx.x; c < width; c += 32) {
            const float top_old = top;
            const float x_c = x[c];
            top = fmaxf(top, x_c);
            if (top != top_old)
                sum *= expf(top_old - top);
            sum += x_c == -INFINITY ? 0.0f : expf(x_c - top);
        }
        // one combine for the lanes that share a row
        for (unsigned offset = 16; offset > 0; offset /= 2) {
            const float top_other = __shfl_xor_sync(0xffffffff, top, offset);
            float sum_other = __shfl_xor_sync(0xffffffff, sum, offset);
            const float top_old = top;
            top = fmaxf(top, top_other);
            if (top != top_old)
                sum *= expf(top_old - top);
            if (top != top_other)
                sum_other *= expf(top_other - top);
            sum += sum_other;
        }
        // nothing finite: -inf - -inf, as the reference computes
        if (width > 0 && top == -INFINITY)
            sum = NAN;
        const float shift = top + logf(sum);
        for (int c = threadIdx.x; c < width; c += 32)
            out[row * width + c] = x[c] - shift;
    }
}
#endif // rf

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int N = 38;
    for (int C : check::lengths(o, 100)) {
        check::Array<float> x(N * C), y(N * C);
        check::fill(x, C, o, check::SCORES);
        std::vector<double> want;
        for (int i = 0; i < N; i++) {
            double top = -INFINITY;
            Real sum = 0;
            for (int c = 0; c < C; c++)
                top = fmax(top, x[i * C + c]);
            for (int c = 0; c < C; c++)
                sum += exp(Real(x[i * C + c] - top));
            for (int c = 0; c < C; c++)
                want.push_back(Real(x[i * C + c] - Real(log(sum) + top)));
        }
        log_softmax_rows<<<2, dim3(32, 8)>>>(x.upload(), y.upload(), N, C);
        y.download();
        check::expect("out", y, want, 1e-4, 1);
    }
    return check::pass();
}
