// Moments of values of 16 bits, in float.
#include "driver.h"
#include <cuda_bf16.h>
__global__ void k(const __nv_bfloat16 *x, float *y, int n)
{
    x += threadIdx.x * n;
#pragma rf cascade
    {
        float s = 0.f, q = 0.f;
        for (int i = 0; i < n; i++)
            s += (float)x[i];
        float mu = s * (1.f / n);
        for (int i = 0; i < n; i++) {
            float d = (float)x[i] - mu;
            q = fmaf(d, d, q);
        }
        y[threadIdx.x] = sqrtf(q);
    }
}
DRIVE_FROM(0, k<<<1, R>>>(mild(R *L), out(R), L))
// launch: <<<1, R>>>(mild(R * L), out(R), L)
