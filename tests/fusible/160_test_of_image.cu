// The tests are on images of the counters: 2 + 3 * p, and the same from 1.
#include "driver.h"

__global__ void k(const float *__restrict__ x, float *__restrict__ y,
                  float *__restrict__ part, int n)
{
    const float *r = x + threadIdx.x * n;
#pragma rf cascade
    {
        float m = -INFINITY, s = 0;
        for (int p = 0; 2 + p * 3 < n; p++)
            m = fmaxf(m, r[2 + p * 3]);
        for (int q = 1; 3 * q - 1 < n; q++)
            s += expf(r[q * 3 - 1] - m);
        for (int q = 0; 3 * q + 2 < n; ++q)
            y[threadIdx.x * n + 3 * q + 2] = expf(r[3 * q + 2] - m) / s;
        part[threadIdx.x] = s;
    }
}

DRIVE(k<<<1, R>>>(in(R * L), out(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R * L), out(R), L)
