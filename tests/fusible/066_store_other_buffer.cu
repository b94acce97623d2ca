// The exponentials go to the output and are read back to be divided.
#include "driver.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    y += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        y[i] = expf(x[i] - m);
        s += y[i];
    }
    for (int i = 0; i < n; i++)
        y[i] = y[i] / s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R * L), L))
// launch: <<<1, R>>>(in(R * L), out(R * L), L)
