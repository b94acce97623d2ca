// Rows beside scalars: one maximum for all, sums of their own.
#include "driver.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * 4 * n;
    float m[4], s[4] = {}, all = 0;
    for (int r = 0; r < 4; r++)
        m[r] = -INFINITY;
    for (int i = 0; i < n; i++)
        for (int r = 0; r < 4; r++)
            m[r] = fmaxf(m[r], x[r * n + i]);
    for (int i = 0; i < n; i++) {
        for (int r = 0; r < 4; r++)
            s[r] += expf(x[r * n + i] - m[r]);
        all += x[i];
    }
    for (int r = 0; r < 4; r++)
        y[threadIdx.x * 4 + r] = s[r] + all;
}

DRIVE(k<<<1, 9>>>(in(R * L), out(R), L))
// launch: <<<1, 9>>>(in(R * L), out(R), L)
