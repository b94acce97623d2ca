// `!=` as the loop condition.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    int begin = threadIdx.x * n, end = begin + n;
    float m = -INFINITY;
    for (int i = begin; i != end; i++)
        m = fmaxf(m, x[i]);
    float s = 0;
    for (int i = begin; i != end; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
