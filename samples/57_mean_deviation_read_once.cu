// The mean absolute deviation: |x - mean| has no running form, no merge of
// partial results exists. A cluster keeps the row in the registers of its
// blocks: both passes of the source are made there, the row is read once.
#include "check.h"

#pragma rf cascade level(cluster) cluster(2) threads(64) assume(width <= 1000)
__global__ void deviation(const float *x, float *y, int rows, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float mean = 0.0f;
        for (int i = 0; i < width; i++)
            mean += x[row * width + i];
        mean /= width;
        float sum = 0.0f;
        for (int i = 0; i < width; i++)
            sum += fabsf(x[row * width + i] - mean);
        y[row] = sum / width;
    }
}

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int N = 13;
    for (int C : { 1000, 129, 33, 31, 1 }) {
        check::Array<float> x(N * C), y(N);
        check::fill(x, C, o, check::SUMS);
        std::vector<double> want;
        for (int i = 0; i < N; i++) {
            Real m = 0, d = 0;
            for (int c = 0; c < C; c++)
                m += x[i * C + c];
            m /= C;
            for (int c = 0; c < C; c++)
                d += fabs(Real(x[i * C + c] - m));
            want.push_back(d / C);
        }
        deviation<<<(N + 3) / 4, 4>>>(x.upload(), y.upload(), N, C);
        y.download();
        check::expect("y", y, want, 1e-4);
    }
    return check::pass();
}
