// Very long rows: sixteen blocks share one. Clusters of more than eight need
// the kernel's consent, which the launch then asks for.
#include "check.h"

#pragma rf cascade level(cluster) cluster(16) threads(32)
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
        log_sum_exp<<<dim3(4), 5>>>(x.upload(), y.upload(), N, C);
        y.download();
        check::expect("y", y, want);
    }
    return check::pass();
}
