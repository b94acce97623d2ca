// Rows are threads of a block, and there may be several blocks.
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
    y[r] = s;
}

DRIVE(k<<<L + 1, R>>>(in(R * L), out(R), L))
// expect: 17:11 rf-launch
