// Few rows, and very long ones: `level(grid)` shares a row among blocks that
// need not run together. They leave their states in memory, and a second launch
// of the same kernel merges these and writes the row.
#include "check.h"

#pragma rf cascade level(grid) blocks(6) threads(64)
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

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 5;
    for (int C : { 5000, 257, 33, 32, 31, 1, 0 }) {
        check::Array<float> x(N * C), y(N * C);
        check::fill(x, C, o);
        softmax<<<(N + 4) / 5, 5>>>(x.upload(), y.upload(), N, C);
        y.download();
        check::expect("y", y, check::softmax_rows(x, N, C));
    }
    return check::pass();
}
