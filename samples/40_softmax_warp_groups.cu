// Softmax with one warp a row, in the words of cooperative groups: the lanes
// of a tile stride over the row and meet in cg::reduce.
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

#pragma rf cascade assume(noalias)
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
