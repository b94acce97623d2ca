// The row's index stands in the loops and in what is stored after them.
#define DRIVE_LENGTHS 300, 33, 32, 31, 1, 0
#include "../fusible/driver.h"

__global__ void k(const float *x, float *y, float *z, int n)
{
    #pragma rf cascade level(block) threads(64) assume(noalias)
    {
        const float *p = x + threadIdx.x * n;
        float m = -INFINITY, s = 0.0f;
        for (int i = 0; i < n; i++)
            m = fmaxf(m, p[i]);
        for (int i = 0; i < n; i++)
            s += expf(p[i] - m);
        y[threadIdx.x] = s;
        for (int i = 0; i < n; i++)
            z[threadIdx.x * n + i] = p[i] / s;
    }
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), out(R * L), L))
