// The row is left alone if its variance is 0 exactly.
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
        q += (row[j] - mean) * (row[j] - mean);
    const float var = block_sum(q) / n;
    const float scale = var == 0.0f ? 1.0f : rsqrtf(var);
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        y[blockIdx.x * n + j] = (row[j] - mean) * scale;
}

DRIVE(k<<<R, 128>>>(plain(R * L), out(R * L), L))
// expect: 15:29 rf-rounding
