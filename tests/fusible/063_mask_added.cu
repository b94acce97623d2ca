// A large negative number is added to what is masked.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, const int *mask, float *y, int n)
{
    x += threadIdx.x * n;
    mask += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i] + (1 - mask[i]) * -10000.0f);
    for (int i = 0; i < n; i++)
        s += expf(x[i] + (1 - mask[i]) * -10000.0f - m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(mild(R * L), index(R * L, 2), out(R), L))
// launch: <<<1, R>>>(mild(R * L), index(R * L, 2), out(R), L)
