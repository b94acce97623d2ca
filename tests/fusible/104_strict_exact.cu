// `strict` has nothing against a maximum and a minimum in one pass.
#include "driver.h"

#pragma rf cascade strict
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float hi = -INFINITY, lo = INFINITY;
    for (int i = 0; i < n; i++)
        hi = fmaxf(hi, x[i]);
    for (int i = 0; i < n; i++)
        lo = fminf(lo, x[i]);
    y[threadIdx.x] = hi - lo;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
