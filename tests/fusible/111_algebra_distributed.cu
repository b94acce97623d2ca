// (x + b) * r multiplied out: both terms carry the same factor.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const float *x, float *y, int n, float b)
{
    x += threadIdx.x * n;
    float q = 0, s = 0;
    for (int i = 0; i < n; i++)
        q += x[i] * x[i];
    const float r = 1.0f / (1.0f + q);
    for (int i = 0; i < n; i++)
        s += r * x[i] + b * r;
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(plain(R * L), out(R), L, 0.5f))
// launch: <<<1, R>>>(plain(R * L), out(R), L, 0.5f)
