// A product and a sum over the same row that do not depend on each other.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float p = 1, s = 0;
    for (int i = 0; i < n; i++)
        p *= 1 + 0.01f * x[i];
    for (int i = 0; i < n; i++)
        s += x[i];
    y[threadIdx.x] = p / (1 + s * s);
}

DRIVE(k<<<1, R>>>(mild(R * L), out(R), L))
// launch: <<<1, R>>>(mild(R * L), out(R), L)
