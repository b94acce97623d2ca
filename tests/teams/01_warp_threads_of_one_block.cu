// Rows are the threads of one block, and no multiple of 32.
#define DRIVE_LENGTHS 100, 33, 32, 31, 1, 0
#include "../fusible/driver.h"

#pragma rf cascade level(warp)
__global__ void k(const float *x, float *y, int n)
{
    const int r = threadIdx.x;
    const float *p = x + r * n;
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, p[i]);
    for (int i = 0; i < n; i++)
        s += expf(p[i] - m);
    y[r] = m + logf(s);
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
