// bfloat16 values.
#include "driver.h"

#pragma rf cascade
__global__ void k(const __nv_bfloat16 *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, __bfloat162float(x[i]));
    for (int i = 0; i < n; i++)
        s += expf(__bfloat162float(x[i]) - m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(mild(R * L), out(R), L))
// launch: <<<1, R>>>(mild(R * L), out(R), L)
