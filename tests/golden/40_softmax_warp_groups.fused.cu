// Softmax with one warp a row, in the words of cooperative groups: the lanes
// of a tile stride over the row and meet in cg::reduce.
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

#pragma rf cascade assume(noalias)
#ifdef RF_REFERENCE
__global__ void softmax_tiles(const float *in, float *out, int rows, int width)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;
    const float *x = in + row * width;
    float *y = out + row * width;

    float top = -INFINITY;
    for (int c = tile.thread_rank(); c < width; c += tile.size())
        top = fmaxf(top, x[c]);
    top = cg::reduce(tile, top, cg::greater<float>());

    float total = 0.0f;
    for (int c = tile.thread_rank(); c < width; c += tile.size())
        total += expf(x[c] - top);
    total = cg::reduce(tile, total, cg::plus<float>());

    for (int c = tile.thread_rank(); c < width; c += tile.size())
        y[c] = expf(x[c] - top) / total;
}
#else  // rf: fused, 3 passes -> 2, rescaled, proof 13/13, HASH; do not edit
__global__ void softmax_tiles(const float *in, float *out, int rows, int width)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;
    const float *x = in + row * width;
    float *y = out + row * width;

    // only the reference uses this
    (void)&tile;
    float top = -INFINITY;
    float total = 0.0f;
    // total: relative to the top so far, rescaled when it moves
    for (int c = threadIdx.x % 32u; c < width; c += 32) {
        const float top_old = top;
        const float x_c = x[c];
        top = fmaxf(top, x_c);
        if (top != top_old)
            total *= expf(top_old - top);
        total += x_c == -INFINITY ? 0.0f : expf(x_c - top);
    }
    // one combine for the lanes that share a row
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        const float top_other = __shfl_xor_sync(0xffffffff, top, offset);
        float total_other = __shfl_xor_sync(0xffffffff, total, offset);
        const float top_old = top;
        top = fmaxf(top, top_other);
        if (top != top_old)
            total *= expf(top_old - top);
        if (top != top_other)
            total_other *= expf(top_other - top);
        total += total_other;
    }
    // nothing finite: -inf - -inf, as the reference computes
    if (width > 0 && top == -INFINITY)
        total = NAN;
    for (int c = threadIdx.x % 32u; c < width; c += 32)
        y[c] = expf(x[c] - top) / total;
    // others read what was stored
    __syncwarp();
}
#endif // rf

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 38;
    for (int C : check::lengths(o, 75)) {
        check::Array<float> x(N * C), y(N * C);
        check::fill(x, C, o);
        softmax_tiles<<<(N + 3) / 4, 128>>>(x.upload(), y.upload(), N, C);
        y.download();
        check::expect("out", y, check::softmax_rows(x, N, C));
    }
    return check::pass();
}
