// Everything in one buffer.
#include "driver.h"

#pragma rf cascade
__global__ void k(float *x, int n)
{
    float *v = x + threadIdx.x * n;
    float m = -FLT_MAX;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, v[i]);
    float s = 0;
    for (int i = 0; i < n; i++)
        s += (v[i] = expf(v[i] - m));
    for (int i = 0; i < n; i++)
        v[i] *= 1.0f / s;
}

DRIVE(k<<<1, R>>>(inout(R * L), L))
// launch: <<<1, R>>>(inout(R * L), L)
