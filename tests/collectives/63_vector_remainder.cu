// A loop over float4 and one over the remainder: no single axis yet.
#include "block.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + blockIdx.x * n;
    const float4 *row4 = reinterpret_cast<const float4 *>(row);
    float m = -INFINITY, s = 0;
    for (int j = threadIdx.x; j < n / 4; j += blockDim.x) {
        float4 v = row4[j];
        m = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    for (int j = n / 4 * 4 + threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    m = block_max(m);
    for (int j = threadIdx.x; j < n / 4; j += blockDim.x) {
        float4 v = row4[j];
        s += expf(v.x - m) + expf(v.y - m) + expf(v.z - m) + expf(v.w - m);
    }
    for (int j = n / 4 * 4 + threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    s = block_sum(s);
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, 128>>>(in(R * 4 * L, 4 * L), out(R), 4 * L))
// expect: 19:9 rf-unsupported
