// A pointer runs to an end pointer.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    const float *begin = x + threadIdx.x * n, *end = begin + n;
    float m = -INFINITY, s = 0;
    for (const float *p = begin; p != end; ++p)
        m = fmaxf(m, *p);
    for (const float *p = begin; p < end; p++)
        s += expf(*p - m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
