// Several warps a block, a row each.
#include "team.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + (blockIdx.x * blockDim.x + threadIdx.x) / 32 * n;
    float m = -INFINITY;
    for (int j = threadIdx.x % 32; j < n; j += 32)
        m = fmaxf(m, row[j]);
    for (int o = 16; o > 0; o /= 2)
        m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    float s = 0;
    for (int j = threadIdx.x % 32; j < n; j += 32)
        s += expf(row[j] - m);
    for (int o = 16; o > 0; o /= 2)
        s += __shfl_xor_sync(0xffffffff, s, o);
    if (threadIdx.x % 32 == 0)
        y[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = m + logf(s);
}

DRIVE(k<<<R / 4, 128>>>(in(R * L), out(R), L))
// fused: 32 lanes 2 -> 1, barriers 0 -> 0
