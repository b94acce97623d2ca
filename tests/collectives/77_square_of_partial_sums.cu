// Looks like an RMS norm: the sums of the threads are squared, not the values.
#include "block.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + blockIdx.x * n;
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += row[j];
    const float q = block_sum(s * s);
    const float r = rsqrtf(q / n + 1e-5f);
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        y[blockIdx.x * n + j] = row[j] * r;
}

DRIVE(k<<<R, 128>>>(mild(R * L), out(R * L), L))
// expect: 14:9 rf-unsupported
