// Softmax over the rows of a matrix, one thread per row, the way it is first
// written: a loop for the maximum, a loop that stores the exponentials and
// sums them in double, a loop that divides. `in` and `out` are plain
// pointers, so the author has to promise that they do not overlap.
#include "check.h"

#pragma rf cascade assume(noalias)
#ifdef RF_REFERENCE
__global__ void softmax_rows(const float *in, float *out, int rows, int width)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        const float *src = in + r * width;
        float *dst = out + r * width;

        float top = -INFINITY;
        for (int c = 0; c < width; c++) {
            if (src[c] > top)
                top = src[c];
        }

        double total = 0.0;
        for (int c = 0; c < width; c++) {
            dst[c] = expf(src[c] - top);
            total += dst[c];
        }

        for (int c = 0; c < width; c++)
            dst[c] /= (float)total;
    }
}
#else  // rf: fused, 3 passes -> 2, rescaled, proof 6/6, HASH; do not edit
__global__ void softmax_rows(const float *in, float *out, int rows, int width)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        const float *src = in + r * width;
        float *dst = out + r * width;

        float top = -INFINITY;
        double total = 0.0;
        // total: relative to the top so far, rescaled when it moves
        for (int c = 0; c < width; c++) {
            const float src_c = src[c];
            if (src_c > top) {
                total *= expf(top - src_c);
                top = src_c;
            }
            total += src_c == -INFINITY ? 0.0f : expf(src_c - top);
        }
        // nothing finite: -inf - -inf, as the reference computes
        if (width > 0 && top == -INFINITY)
            total = NAN;
        for (int c = 0; c < width; c++)
            dst[c] = expf(src[c] - top) / (float)total;
    }
}
#endif // rf

static std::vector<double> reference(const check::Array<float> &x, int N, int C)
{
    std::vector<double> y;
    for (int i = 0; i < N; i++) {
        std::vector<double> row(&x.host[i * C], &x.host[i * C] + C);
        row = check::softmax(row);
        y.insert(y.end(), row.begin(), row.end());
    }
    return y;
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 72;
    for (int C : check::lengths(o, 45)) {
        check::Array<float> x(N * C), y(N * C);
        check::fill(x, C, o);
        softmax_rows<<<(N + 31) / 32, 32>>>(x.upload(), y.upload(), N, C);
        y.download();
        check::expect("out", y, reference(x, N, C));
    }
    return check::pass();
}
