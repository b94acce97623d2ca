// A clip stands between the two sums of a block.
#include "block.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + blockIdx.x * n;
    float s = 0, q = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += row[j];
    const float mean = block_sum(s) / n;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        q += fminf(row[j] - mean, 1.0f);
    q = block_sum(q);
    if (threadIdx.x == 0)
        y[blockIdx.x] = q;
}

DRIVE(k<<<R, 128>>>(in(R * L), out(R), L))
// expect: 13:14 rf-not-decomposable
