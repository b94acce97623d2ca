// One variable for two reductions, its first result saved under a new name.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float acc = -INFINITY;
    for (int i = 0; i < n; i++)
        acc = fmaxf(acc, x[i]);
    const float shift = acc;
    acc = 0;
    for (int i = 0; i < n; i++)
        acc += expf(x[i] - shift);
    y[threadIdx.x] = shift + logf(acc);
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
