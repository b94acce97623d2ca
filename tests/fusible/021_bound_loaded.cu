// The length of the row is read from memory.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, const int *len, float *y, int n)
{
    x += threadIdx.x * n;
    const int end = len[threadIdx.x];
    float m = -INFINITY, s = 0;
    for (int i = 0; i < end; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < end; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), index(R, L + 1), out(R), L))
// launch: <<<1, R>>>(in(R * L), index(R, L + 1), out(R), L)
