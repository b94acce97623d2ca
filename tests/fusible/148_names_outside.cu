// The file has other meanings for names that the fused loop would like.
#include "driver.h"

__device__ const float x_i = 2, m_old = 3;
#define e_i 0.5f

#pragma rf cascade assume(finite)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0, t = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i] * x_i);
    for (int i = 0; i < n; i++)
        s += expf(x[i] * x_i - m) * m_old;
    for (int i = 0; i < n; i++)
        t += expf(x[i] * x_i - m) / s * x[i] * e_i;
    y[threadIdx.x] = t;
}

DRIVE_FROM(1, k<<<1, R>>>(plain(R * L), out(R), L))
