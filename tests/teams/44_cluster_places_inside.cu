// Blocks of one thread are the rows; both their number and index stand inside.
#define DRIVE_LENGTHS 300, 33, 32, 31, 1, 0
#include "../fusible/driver.h"

#pragma rf cascade level(cluster) cluster(2) threads(32)
__global__ void k(const float *x, float *y, int n)
{
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[blockIdx.x * n + i]);
    for (int i = 0; i < n; i++)
        s += expf(x[blockIdx.x * n + i] - m);
    if (n > 1)
        y[blockIdx.x] = s;
    else
        y[blockIdx.x] = m;
}

DRIVE(k<<<R, 1>>>(in(R * L), out(R), L))
