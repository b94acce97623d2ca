// A bound on the row, and no level: the planner picks a team that keeps it.
#define DRIVE_LENGTHS 700, 33, 1, 0
#include "../fusible/driver.h"

#pragma rf cascade level(auto) assume(noalias, n <= 700)
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
