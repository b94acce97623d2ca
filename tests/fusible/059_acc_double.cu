// float data, double accumulator, float result.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += (double)expf(x[i] - m);
    y[threadIdx.x] = static_cast<float>(s);
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
