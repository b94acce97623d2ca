// The weights of an average are rounded to bfloat16 between the passes.
#include "driver.h"

#pragma rf cascade assume(rounding)
__global__ void k(const float *x, const float *v, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, o = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        __nv_bfloat16 p = __float2bfloat16(expf(x[i] - m));
        o += (float)p * v[i];
    }
    y[threadIdx.x] = o;
}

DRIVE(k<<<1, R>>>(in(R * L), positive(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), positive(R * L), out(R), L)
