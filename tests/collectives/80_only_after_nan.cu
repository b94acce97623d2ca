// A second cascade runs only if the first gave NaN.
#include "block.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + blockIdx.x * n;
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j]);
    s = block_sum(s);
    if (isnan(s)) {
        float m = -INFINITY;
        for (int j = threadIdx.x; j < n; j += blockDim.x)
            m = fmaxf(m, row[j]);
        s = block_max(m);
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = s;
}

DRIVE(k<<<R, 128>>>(in(R * L), out(R), L))
// expect: 14:35 rf-control
