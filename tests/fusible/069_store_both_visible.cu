// The shifted values stay visible in one buffer, the quotients in another.
#include "driver.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *shifted, float *y, int n)
{
    const int base = threadIdx.x * n;
    float m = -INFINITY;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[base + i]);
    for (int i = 0; i < n; i++)
        shifted[base + i] = x[base + i] - m;
    float s = 0;
    for (int i = 0; i < n; i++)
        s += expf(shifted[base + i]);
    for (int i = 0; i < n; i++)
        y[base + i] = expf(shifted[base + i]) / s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R * L), out(R * L), L))
// launch: <<<1, R>>>(in(R * L), out(R * L), out(R * L), L)
