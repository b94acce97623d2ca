// Differences of neighbouring elements that no loop writes.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = 1e-6f, s = 0;
    for (int i = 1; i < n; i++)
        m = fmaxf(m, fabsf(x[i] - x[i - 1]));
    for (int i = 1; i < n; i++)
        s += (x[i] - x[i - 1]) * (x[i] - x[i - 1]) / m;
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(plain(R * L), out(R), L))
// launch: <<<1, R>>>(plain(R * L), out(R), L)
