// Teams add in another order.
#include "../fusible/driver.h"

#pragma rf cascade level(warp) strict
__global__ void k(const float *x, float *y, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[r * n + i]);
    for (int i = 0; i < n; i++)
        s += x[r * n + i];
    y[r] = m + s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// expect: 4:1 rf-strict
