// A row that is read by float4 to its end; the maximum begins with a number.
#include "block.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float4 *row = reinterpret_cast<const float4 *>(x + blockIdx.x * n);
    float m = -1e30f, s = 0;
    for (int j = threadIdx.x; j < n / 4; j += blockDim.x) {
        float4 v = row[j];
        m = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    m = block_max(m);
    for (int j = threadIdx.x; j < n / 4; j += blockDim.x) {
        float4 v = row[j];
        s += expf(v.x - m) + expf(v.y - m) + expf(v.z - m) + expf(v.w - m);
    }
    s = block_sum(s);
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, 128>>>(in(R * 4 * L, 4 * L), out(R), 4 * L))
// fused: block 2 -> 1, barriers 4 -> 1
