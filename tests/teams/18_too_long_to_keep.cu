// More than the registers hold: the merged loop streams the row.
#define DRIVE_LENGTHS 300, 33, 1, 0
#include "../fusible/driver.h"

#pragma rf cascade level(warp) assume(noalias, n <= 100000)
__global__ void k(const float *x, float *y, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[r * n + i]);
    for (int i = 0; i < n; i++)
        s += expf(x[r * n + i] - m);
    for (int i = 0; i < n; i++)
        y[r * n + i] = expf(x[r * n + i] - m) / s;
}

DRIVE(k<<<R, 1>>>(in(R * L), out(R * L), L))
