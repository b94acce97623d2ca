// Clusters have 2, 4, 8 or 16 blocks.
#include "../fusible/driver.h"

#pragma rf cascade level(cluster) cluster(3)
__global__ void k(const float *x, float *y, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    const float *p = x + r * n;
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, p[i]);
    for (int i = 0; i < n; i++)
        s += expf(p[i] - m);
    y[r] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// expect: 6:1 rf-capacity
