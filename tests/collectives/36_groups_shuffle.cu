// Shuffles of a tile, barrier of the block group.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#include "team.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = warp.thread_rank(); j < n; j += 32)
        m = fmaxf(m, row[j]);
    for (int o = warp.size() / 2; o > 0; o /= 2)
        m = fmaxf(m, warp.shfl_xor(m, o));
    float s = 0;
    for (int j = warp.thread_rank(); j < n; j += 32)
        s += expf(row[j] - m);
    for (int o = warp.size() / 2; o > 0; o /= 2)
        s += warp.shfl_down(s, o);
    s = warp.shfl(s, 0);
    if (warp.thread_rank() == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, 32>>>(in(R * L), out(R), L))
// fused: 32 lanes 2 -> 1, barriers 0 -> 0
