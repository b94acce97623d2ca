// Both reductions start from the first element: the sum begins with its term.
#include "driver.h"

#pragma rf cascade assume(n >= 1)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = x[0];
    for (int i = 1; i < n; i++)
        m = fmaxf(m, x[i]);
    float s = expf(x[0] - m);
    for (int i = 1; i < n; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = s;
}

DRIVE_FROM(1, k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L), L >= 1
