// What the file calls lane, offset and m_old is read, not the generated ones.
#define DRIVE_LENGTHS 100, 33, 32, 1, 0
#include "../fusible/driver.h"

__device__ const float lane = 3, offset = 4;
#define m_other 2

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
    y[r] = m + logf(s) * lane + offset * m_other;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
