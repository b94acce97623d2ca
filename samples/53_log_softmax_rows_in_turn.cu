// Log-softmax in place with a loop over rows, as many rows in turn as the
// grid has threads: a warp for each row takes strides of warps.
#include "check.h"

__global__ void log_softmax(float *x, int rows, int width)
{
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows;
         row += gridDim.x * blockDim.x) {
        float *const p = x + (size_t)row * width;
        #pragma rf cascade level(warp)
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
        log_softmax<<<2, 10>>>(x.upload(), N, C);
        x.download();
        check::expect("x", x, want, 2e-5, 1);
    }
    return check::pass();
}
