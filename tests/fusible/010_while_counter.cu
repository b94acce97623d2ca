// while loops with a counter that is reset between them.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    int i = 0;
    while (i < n) {
        m = fmaxf(m, x[i]);
        ++i;
    }
    i = 0;
    while (i < n)
        s += expf(x[i++] - m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
