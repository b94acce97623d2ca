// A temperature written as two quotients instead of one.
#include "driver.h"

#pragma rf cascade assume(t > 0)
__global__ void k(const float *x, float *y, int n, float t)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] / t - m / t);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(mild(R * L), out(R), L, 1.5f))
// launch: <<<1, R>>>(mild(R * L), out(R), L, 1.5f)
