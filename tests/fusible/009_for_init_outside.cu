// Declarations apart from initialisation, some of it in the for header.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    int i;
    float m, s;
    x += threadIdx.x * n;
    for (i = 0, m = -INFINITY; i < n; i++)
        m = fmaxf(m, x[i]);
    for (s = 0.0f, i = 0; i < n; ++i)
        s += expf(x[i] - m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
