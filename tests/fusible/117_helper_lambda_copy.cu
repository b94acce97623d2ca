// The lambda holds the bound as it was before the loops moved it.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -5, s = 0, t = 0;
    auto above = [m](float v) { return v > m ? v : m; };
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        s += expf(x[i] - m);
        t += above(x[i]);
    }
    y[threadIdx.x] = s + t;
}

DRIVE(k<<<1, R>>>(mild(R * L), out(R), L))
// launch: <<<1, R>>>(mild(R * L), out(R), L)
