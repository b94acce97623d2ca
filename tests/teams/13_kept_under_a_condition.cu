// The mask is kept; x is not read where the source does not read it.
#define DRIVE_LENGTHS 300, 33, 31, 1, 0
#include "../fusible/driver.h"

#pragma rf cascade level(warp) assume(noalias, n <= 300)
__global__ void k(const float *x, const int *mask, float *y, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < n; i++)
        if (mask[r * n + i])
            m = fmaxf(m, x[r * n + i]);
    for (int i = 0; i < n; i++)
        if (mask[r * n + i])
            s += expf(x[r * n + i] - m);
    for (int i = 0; i < n; i++)
        y[r * n + i] = mask[r * n + i] ? expf(x[r * n + i] - m) / s : 0.0f;
}

DRIVE(k<<<1, R>>>(in(R * L), index(R * L, 2), out(R * L), L))
