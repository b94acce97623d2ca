// The mask as a `continue`.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, const int *mask, float *y, int n)
{
    x += threadIdx.x * n;
    mask += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++) {
        if (mask[i] == 0)
            continue;
        if (x[i] > m)
            m = x[i];
    }
    for (int i = 0; i < n; i++) {
        if (mask[i] == 0)
            continue;
        s += expf(x[i] - m);
    }
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), index(R * L, 2), out(R), L))
// launch: <<<1, R>>>(in(R * L), index(R * L, 2), out(R), L)
