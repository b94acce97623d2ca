// Softmax with one warp a row: cub::WarpReduce leaves the result in the first
// lane, a shuffle tells the others.
#include "check.h"

#include <cub/cub.cuh>
#include <cuda/functional>

#pragma rf cascade assume(noalias)
#ifdef RF_REFERENCE
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
#else  // rf: fused, 3 passes -> 2, rescaled, proof 13/13, HASH; do not edit
__global__ void softmax_warps(const float *in, float *out, int rows, int width)
{
    using Reduce = cub::WarpReduce<float>;
    __shared__ typename Reduce::TempStorage room[4];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = blockIdx.x * 4 + warp;
    if (row >= rows)
        return;

    // only the reference uses this
    (void)&room;
    float top = -INFINITY;
    float total = 0.0f;
    // total: relative to the top so far, rescaled when it moves
    for (int c = lane; c < width; c += 32) {
        const float top_old = top;
        const float in_c = in[row * width + c];
        top = max(top, in_c);
        if (top != top_old)
            total *= __expf(top_old - top);
        total += in_c == -INFINITY ? 0.0f : __expf(in_c - top);
    }
    // one combine for the lanes that share a row
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        const float top_other = __shfl_xor_sync(0xffffffff, top, offset);
        float total_other = __shfl_xor_sync(0xffffffff, total, offset);
        const float top_old = top;
        top = max(top, top_other);
        if (top != top_old)
            total *= __expf(top_old - top);
        if (top != top_other)
            total_other *= __expf(top_other - top);
        total += total_other;
    }
    // nothing finite: -inf - -inf, as the reference computes
    if (width > 0 && top == -INFINITY)
        total = NAN;
    for (int c = lane; c < width; c += 32)
        out[row * width + c] = __expf(in[row * width + c] - top) / total;
}
#endif // rf

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
