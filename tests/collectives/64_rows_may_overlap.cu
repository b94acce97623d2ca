// Nothing says that the output is not the input: in place, the source runs.
#include "block.h"

#pragma rf cascade
__global__ void k(const float *in, float *out, int n)
{
    const float *x = in + blockIdx.x * n;
    float *y = out + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, x[j]);
    m = block_max(m);
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        y[j] = expf(x[j] - m);
        s += y[j];
    }
    s = block_sum(s);
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        y[j] /= s;
}

DRIVE({
    float *a = inout(2 * R * L + 1, L + 1);
    k<<<R, 128>>>(a, a, L);
    a = inout(2 * R * L + 1, L + 1);
    k<<<R, 128>>>(a, a + R * L, L);
    a = inout(2 * R * L + 1, L + 1);
    k<<<R, 128>>>(a + R * L, a, L);
})
// fused: block 3 -> 2, barriers 4 -> 2
