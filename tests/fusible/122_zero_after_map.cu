// A second loop over a part of the row overwrites what the first one stored:
// it needs no result and still comes last.
#include "driver.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n, int k)
{
    x += threadIdx.x * n;
    y += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    for (int i = 0; i < n; i++)
        y[i] = expf(x[i] - m) / s;
    for (int j = 0; j < k; j++)
        y[j] = 0;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R * L), L, L / 2))
// launch: <<<1, R>>>(in(R * L), out(R * L), L, L / 2)
