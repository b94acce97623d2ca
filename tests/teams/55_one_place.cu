// Every iteration stores to the same place: the last one wins.
#include "../fusible/driver.h"

#pragma rf cascade level(warp) assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    const float *p = x + r * n;
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, p[i]);
    for (int i = 0; i < n; i++)
        s += expf(p[i] - m);
    for (int i = 0; i < n; i++)
        y[r] = p[i] / s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// expect: 15:9 rf-order
