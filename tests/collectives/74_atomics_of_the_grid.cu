// The maximum of the whole grid is made by atomics and read at once.
#include "block.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, int *top, float *y, int n)
{
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    m = block_max(m);
    if (threadIdx.x == 0)
        atomicMax(top, (int)m);
    __syncthreads();
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - *top);
    s = block_sum(s);
    if (threadIdx.x == 0)
        y[blockIdx.x] = s;
}

DRIVE(k<<<R, 128>>>(mild(R * L), out(1), out(R), L))
// expect: 13:9 rf-side-effect
