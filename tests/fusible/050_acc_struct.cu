// Accumulators that are members of a local struct.
#include "driver.h"

struct Acc {
    float max, sum;
};

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    Acc a;
    a.max = -INFINITY;
    a.sum = 0;
    for (int i = 0; i < n; i++)
        a.max = fmaxf(a.max, x[i]);
    for (int i = 0; i < n; i++)
        a.sum += expf(x[i] - a.max);
    y[threadIdx.x] = a.sum;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
