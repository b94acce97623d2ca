// The counter alone is the test: it is not 0.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, size_t n)
{
    const float *row = x + threadIdx.x * n, *p = row;
    float m = -INFINITY, s = 0;
    for (size_t left = n; left; left--, p++)
        m = fmaxf(m, *p);
    p = row;
    for (size_t left = n; left; left--, p++)
        s += expf(*p - m);
    y[threadIdx.x] = m + logf(s);
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
