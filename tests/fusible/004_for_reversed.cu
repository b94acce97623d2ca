// Both loops run downwards.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = n - 1; i >= 0; i--)
        m = fmaxf(m, x[i]);
    for (int i = n - 1; i >= 0; --i)
        s += expf(x[i] - m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
