// The same with bfloat16 and an implicit way back.
#include <cuda_bf16.h>

#pragma rf cascade
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
// expect: 12:27 rf-rounding
