// The scale is inside the maximum in one place, outside in the other.
#include "driver.h"

#pragma rf cascade assume(scale > 0)
__global__ void k(const float *x, float *y, int n, float scale)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(-(m - x[i]) * scale);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(mild(R * L), out(R), L, 0.3f))
// launch: <<<1, R>>>(mild(R * L), out(R), L, 0.3f)
