// The same with C++ casts, and a result rounded to __half once.
#include "driver.h"

#pragma rf cascade
__global__ void k(const __half *x, __half *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, (float)x[i]);
    for (int i = 0; i < n; i++)
        s += expf(static_cast<float>(x[i]) - m);
    y[threadIdx.x] = __float2half(s);
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
