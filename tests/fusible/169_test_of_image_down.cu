// The tests are on images that fall, or rise by more than a factor.
#include "driver.h"

__global__ void k(const float *__restrict__ x, float *__restrict__ y,
                  float *__restrict__ part, int n)
{
    const float *r = x + threadIdx.x * n;
#pragma rf cascade
    {
        float m = -INFINITY, s = 0;
        for (int p = 0; n - 1 - p >= 0; p++)
            m = fmaxf(m, r[n - 1 - p]);
        for (int p = n - 1; p >= 0; p--)
            s += expf(r[p] - m);
        part[threadIdx.x] = m + logf(s);
    }
#pragma rf cascade
    {
        float m = -INFINITY, s = 0;
        for (int p = 0; p + 3 < n; p += 4)
            m = fmaxf(m, r[p + 3]);
        for (int p = 0; (p << 2) + 3 < n; p++)
            s += expf(r[p * 4 + 3] - m);
        y[threadIdx.x] = m + logf(s);
    }
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), out(R), L)
