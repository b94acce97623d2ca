// Rows of a thread with a map behind them.
#include "driver.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * 2 * n;
    y += threadIdx.x * 2 * n;
    float m[2], s[2];
    for (int r = 0; r < 2; r++) {
        m[r] = x[r * n];
        s[r] = 0.f;
    }
    for (int i = 0; i < n; i++)
        for (int r = 0; r < 2; r++)
            m[r] = fmaxf(m[r], x[r * n + i]);
    for (int i = 0; i < n; i++)
        for (int r = 0; r < 2; r++)
            s[r] += expf(x[r * n + i] - m[r]);
    for (int i = 0; i < n; i++)
        for (int r = 0; r < 2; r++)
            y[r * n + i] = expf(x[r * n + i] - m[r]) / s[r];
}

DRIVE_FROM(1, k<<<1, 9>>>(in(R * L), out(R * L), L))
// launch: <<<1, 9>>>(in(R * L), out(R * L), L)
