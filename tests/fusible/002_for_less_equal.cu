// Bounds written with `<=`, one loop counted from zero, the other from one.
#include "driver.h"

__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + threadIdx.x * n;
#pragma rf cascade
    {
        float m = -INFINITY, s = 0;
        for (int i = 0; i <= n - 1; i++)
            m = fmaxf(m, row[i]);
        for (int i = 1; i <= n; i++)
            s += expf(row[i - 1] - m);
        y[threadIdx.x] = s;
    }
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
