// Butterfly shuffles, unrolled by hand.
#include "team.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < n; j += 32)
        m = fmaxf(m, row[j]);
    m = max(m, __shfl_xor_sync(0xffffffff, m, 16));
    m = max(m, __shfl_xor_sync(0xffffffff, m, 8));
    m = max(m, __shfl_xor_sync(0xffffffff, m, 4));
    m = max(m, __shfl_xor_sync(0xffffffff, m, 2));
    m = max(m, __shfl_xor_sync(0xffffffff, m, 1));
    float s = 0;
    for (int j = threadIdx.x; j < n; j += 32)
        s += expf(row[j] - m);
    s += __shfl_xor_sync(0xffffffff, s, 16);
    s += __shfl_xor_sync(0xffffffff, s, 8);
    s += __shfl_xor_sync(0xffffffff, s, 4);
    s += __shfl_xor_sync(0xffffffff, s, 2);
    s += __shfl_xor_sync(0xffffffff, s, 1);
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, 32>>>(in(R * L), out(R), L))
// fused: 32 lanes 2 -> 1, barriers 0 -> 0
