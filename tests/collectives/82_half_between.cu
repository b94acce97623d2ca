// The exponentials are rounded to half before they are added.
#include "block.h"
#include <cuda_fp16.h>

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    m = block_max(m);
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += __half2float(__float2half(expf(row[j] - m)));
    s = block_sum(s);
    if (threadIdx.x == 0)
        y[blockIdx.x] = s;
}

DRIVE(k<<<R, 128>>>(in(R * L), out(R), L))
// expect: 14:27 rf-rounding
