// In which order the elements are stored may matter.
#include "../fusible/driver.h"

#pragma rf cascade level(warp)
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
        y[r * n + i] = p[i] / s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R * L), L))
// expect: 15:24 rf-alias
