// Small local arrays: four rows are folded by one thread.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * 4 * n;
    float m[4], s[4] = {};
    for (int r = 0; r < 4; r++)
        m[r] = -INFINITY;
    for (int i = 0; i < n; i++)
        for (int r = 0; r < 4; r++)
            m[r] = fmaxf(m[r], x[r * n + i]);
    for (int i = 0; i < n; i++)
        for (int r = 0; r < 4; r++)
            s[r] += expf(x[r * n + i] - m[r]);
    for (int r = 0; r < 4; r++)
        y[threadIdx.x * 4 + r] = s[r];
}

DRIVE(k<<<1, 9>>>(in(R * L), out(R), L))
// launch: <<<1, 9>>>(in(R * L), out(R), L)
