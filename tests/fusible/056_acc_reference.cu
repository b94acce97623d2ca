// A C++ reference to the element that accumulates.
#include "driver.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *out, int n)
{
    x += threadIdx.x * n;
    float &s = out[threadIdx.x];
    float m = -INFINITY;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    s = 0;
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
