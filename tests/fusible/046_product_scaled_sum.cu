// A product that later multiplies every term of a sum.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float p = 1, s = 0;
    for (int i = 0; i < n; i++)
        p = p * (1 + 0.01f * x[i]);
    for (int i = 0; i < n; i++)
        s += p * x[i];
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(plain(R * L), out(R), L))
// launch: <<<1, R>>>(plain(R * L), out(R), L)
