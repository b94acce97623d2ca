// Softmax over rows, one thread per row as it is first written; `level(warp)`
// gives every row a warp: the lanes take elements next to each other, fold
// their parts and merge them by shuffles. The launch gets 32 times the threads.
#include "check.h"

#pragma rf cascade level(warp) assume(noalias)
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

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 37; // no multiple of the rows a block has
    for (int C : { 1000, 33, 32, 31, 2, 1, 0 }) {
        check::Array<float> x(N * C), y(N * C);
        check::fill(x, C, o);
        const int threads = 64;
        softmax<<<(N + threads - 1) / threads, threads>>>(x.upload(),
                                                          y.upload(), N, C);
        y.download();
        check::expect("y", y, check::softmax_rows(x, N, C));
    }
    return check::pass();
}
