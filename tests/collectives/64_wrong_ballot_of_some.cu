// The ballot is of the even lanes, and names no odd one.
#include "team.h"

#pragma rf cascade assume(noalias, blockDim.x == 32)
__global__ void k(const float *x, float *y, int n)
{
    const unsigned some = __ballot_sync(0xffffffff, threadIdx.x % 2 == 0);
    float m = -INFINITY, s = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        m = fmaxf(m, x[blockIdx.x * n + i]);
    for (int k = 16; k > 0; k /= 2)
        m = fmaxf(m, __shfl_xor_sync(some, m, k));
    for (int i = threadIdx.x; i < n; i += 32)
        s += expf(x[blockIdx.x * n + i] - m);
    for (int k = 16; k > 0; k /= 2)
        s += __shfl_xor_sync(0xffffffff, s, k);
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}
// expect: 12:22 rf-uniform
