// Exponentials that are stored as half and summed as stored: with
// assume(rounding) the sum may be of others.
#include "driver.h"

#include <cuda_fp16.h>

#pragma rf cascade assume(noalias, rounding)
__global__ void k(const float *x, __half *e, float *y, int n)
{
    x += threadIdx.x * n;
    e += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        e[i] = __float2half(expf(x[i] - m));
        s += __half2float(e[i]);
    }
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R * L), out(R), L)
