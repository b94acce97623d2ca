// The exponentials are stored in one loop and summed in another.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *__restrict__ x, float *__restrict__ y, int n)
{
    x += threadIdx.x * n;
    y += threadIdx.x * n;
    float m = -INFINITY;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        y[i] = expf(x[i] - m);
    float s = 0;
    for (int i = 0; i < n; i++)
        s += y[i];
    for (int i = 0; i < n; i++)
        y[i] /= s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R * L), L))
// launch: <<<1, R>>>(in(R * L), out(R * L), L)
