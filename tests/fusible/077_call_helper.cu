// Small device functions compute the terms.
#include "driver.h"

__device__ __forceinline__ float larger(float a, float b)
{
    return a > b ? a : b;
}

__device__ static inline float shifted_exp(float v, float by)
{
    return __expf(v - by);
}

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = larger(m, x[i]);
    for (int i = 0; i < n; i++)
        s += shifted_exp(x[i], m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
