// Eight lanes a row: shuffles with a width.
#include "team.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + (blockIdx.x * blockDim.x + threadIdx.x) / 8 * n;
    float m = -INFINITY;
    for (int j = threadIdx.x % 8; j < n; j += 8)
        m = fmaxf(m, row[j]);
    for (int o = 4; o > 0; o /= 2)
        m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o, 8));
    float s = 0;
    for (int j = threadIdx.x % 8; j < n; j += 8)
        s += expf(row[j] - m);
    for (int o = 4; o > 0; o /= 2)
        s += __shfl_down_sync(0xffffffff, s, o, 8);
    s = __shfl_sync(0xffffffff, s, 0, 8);
    if (threadIdx.x % 8 == 0)
        y[(blockIdx.x * blockDim.x + threadIdx.x) / 8] = m + logf(s);
}

DRIVE(k<<<R / 4, 32>>>(in(R * L), out(R), L))
// fused: 8 lanes 2 -> 1, barriers 0 -> 0
