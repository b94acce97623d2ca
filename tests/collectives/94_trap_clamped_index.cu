// Threads beyond the end read the last element again: no harm for the maximum;
// the sum leaves them out.
#include "block.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int j = threadIdx.x; j < n + 127; j += blockDim.x)
        m = fmaxf(m, row[min(j, n - 1)]);
    m = block_max(m);
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    s = block_sum(s);
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE_FROM(1, k<<<R, 128>>>(in(R * L), out(R), L))
// expect: 13:5 rf-loop-mismatch
