// One loop up, one loop down: the same axis, and neither minds the order.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, unsigned n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (unsigned i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (unsigned i = n; i-- > 0;)
        s += expf(x[i] - m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
