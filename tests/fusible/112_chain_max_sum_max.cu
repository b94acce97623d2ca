// A maximum, the sum that it shifts, and the largest of the probabilities,
// which are products with a positive factor.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -1e30f, s = 0, top = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    for (int i = 0; i < n; i++)
        top = fmaxf(top, expf(x[i] - m) / s);
    y[threadIdx.x] = top;
}

DRIVE(k<<<1, R>>>(plain(R * L), out(R), L))
// launch: <<<1, R>>>(plain(R * L), out(R), L)
