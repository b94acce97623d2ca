// A sum of squares, then the largest element over its root: the factor is
// positive, so it leaves the maximum.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float q = 0;
    for (int i = 0; i < n; i++)
        q += x[i] * x[i];
    float top = -INFINITY;
    for (int i = 0; i < n; i++)
        top = fmaxf(top, x[i] * rsqrtf(q + 1.0f));
    y[threadIdx.x] = top;
}

DRIVE(k<<<1, R>>>(plain(R * L), out(R), L))
// launch: <<<1, R>>>(plain(R * L), out(R), L)
