// cooperative_groups::reduce over a tile of 32.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
#include "team.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const float *row = x + (blockIdx.x * blockDim.x + threadIdx.x) / 32 * n;
    float m = -INFINITY;
    for (int j = warp.thread_rank(); j < n; j += warp.size())
        m = fmaxf(m, row[j]);
    m = cg::reduce(warp, m, cg::greater<float>());
    float s = 0;
    for (int j = warp.thread_rank(); j < n; j += warp.size())
        s += expf(row[j] - m);
    s = cg::reduce(warp, s, cg::plus<float>());
    if (warp.thread_rank() == 0)
        y[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = m + logf(s);
}

DRIVE(k<<<R / 4, 128>>>(in(R * L), out(R), L))
// fused: 32 lanes 2 -> 1, barriers 0 -> 0
