// Softmax with one warp a row: cub::WarpReduce leaves the result in the first
// lane, a shuffle tells the others.
#include "check.h"

#include <cub/cub.cuh>
#include <cuda/functional>

#pragma rf cascade assume(noalias)
__global__ void softmax_warps(const float *in, float *out, int rows, int width)
{
    using Reduce = cub::WarpReduce<float>;
    __shared__ typename Reduce::TempStorage room[4];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = blockIdx.x * 4 + warp;
    if (row >= rows)
        return;

    float top = -INFINITY;
    for (int c = lane; c < width; c += 32)
        top = max(top, in[row * width + c]);
    top = Reduce(room[warp]).Reduce(top, cuda::maximum<>());
    top = __shfl_sync(0xffffffff, top, 0);
    __syncwarp();

    float total = 0.0f;
    for (int c = lane; c < width; c += 32)
        total += __expf(in[row * width + c] - top);
    total = Reduce(room[warp]).Sum(total);
    total = __shfl_sync(0xffffffff, total, 0);

    for (int c = lane; c < width; c += 32)
        out[row * width + c] = __expf(in[row * width + c] - top) / total;
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 38;
    for (int C : check::lengths(o, 75)) {
        check::Array<float> x(N * C), y(N * C);
        check::fill(x, C, o);
        softmax_warps<<<(N + 3) / 4, 128>>>(x.upload(), y.upload(), N, C);
        y.download();
        check::expect("out", y, check::softmax_rows(x, N, C));
    }
    return check::pass();
}
