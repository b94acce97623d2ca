// Each loop is in a function of its own.
#include "driver.h"

__device__ float row_max(const float *v, int n)
{
    float m = -INFINITY;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, v[i]);
    return m;
}

__device__ float row_sum_exp(const float *v, int n, float shift)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += expf(v[i] - shift);
    return s;
}

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    const float *v = x + threadIdx.x * n;
    float m = row_max(v, n);
    float s = row_sum_exp(v, n, m);
    y[threadIdx.x] = m + logf(s);
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
