// __half values, widened when read.
#include "driver.h"

#pragma rf cascade
__global__ void k(const __half *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, __half2float(x[i]));
    for (int i = 0; i < n; i++)
        s += expf(__half2float(x[i]) - m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
