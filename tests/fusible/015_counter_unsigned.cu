// An unsigned counter against an unsigned bound.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, unsigned n)
{
    unsigned base = threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (unsigned i = 0; i < n; i++)
        m = fmaxf(m, x[base + i]);
    for (unsigned i = 0u; i < n; i++)
        s += expf(x[base + i] - m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
