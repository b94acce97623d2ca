// The largest magnitude starts at 0 and divides every term.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float a = 0, s = 0;
    for (int i = 0; i < n; i++)
        a = fmaxf(a, fabsf(x[i]));
    for (int i = 0; i < n; i++)
        s += x[i] / a;
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(mild(R * L), out(R), L))
// launch: <<<1, R>>>(mild(R * L), out(R), L)
