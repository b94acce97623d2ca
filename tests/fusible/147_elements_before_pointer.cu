// A pointer that moves by an unsigned number, and elements before its place:
// the sum of both is no unsigned one.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    const float *end = x + blockIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, end[i - n]);
    for (int i = 0; i < n; i++)
        s += expf(end[i - n] - m);
    y[blockIdx.x] = s;
}

DRIVE(const float *x = in(R * L); k<<<R, 1>>>(x + L, out(R), L))
