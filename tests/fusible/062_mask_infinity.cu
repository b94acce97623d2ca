// A masked element counts as minus infinity.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, const int *mask, float *y, int n)
{
    x += threadIdx.x * n;
    mask += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++) {
        float v = mask[i] ? x[i] : -INFINITY;
        m = fmaxf(m, v);
    }
    for (int i = 0; i < n; i++) {
        float v = mask[i] ? x[i] : -INFINITY;
        s += expf(v - m);
    }
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), index(R * L, 2), out(R), L))
// launch: <<<1, R>>>(in(R * L), index(R * L, 2), out(R), L)
