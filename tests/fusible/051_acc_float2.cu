// The two members of a float2, set by make_float2.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float2 *y, int n)
{
    x += threadIdx.x * n;
    float2 ms = make_float2(-INFINITY, 0.0f);
    for (int i = 0; i < n; i++)
        ms.x = fmaxf(ms.x, x[i]);
    for (int i = 0; i < n; i++)
        ms.y += expf(x[i] - ms.x);
    y[threadIdx.x] = ms;
}

DRIVE(k<<<1, R>>>(in(R * L), (float2 *)(float *)out(R * 2), L))
// launch: <<<1, R>>>(in(R * L), (float2 *)(float *)out(R * 2), L)
