// Shuffles up: the last lane holds the result.
#include "team.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < n; j += 32)
        m = fmaxf(m, row[j]);
    for (int o = 16; o > 0; o /= 2)
        m = fmaxf(m, __shfl_up_sync(0xffffffff, m, o));
    m = __shfl_sync(0xffffffff, m, 31);
    float s = 0;
    for (int j = threadIdx.x; j < n; j += 32)
        s += expf(row[j] - m);
    for (int o = 16; o > 0; o /= 2)
        s += __shfl_up_sync(0xffffffff, s, o);
    s = __shfl_sync(0xffffffff, s, 31);
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, 32>>>(in(R * L), out(R), L))
// fused: 32 lanes 2 -> 1, barriers 0 -> 0
