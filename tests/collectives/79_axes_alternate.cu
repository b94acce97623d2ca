// Rows and columns in turn (Sinkhorn).
#include "block.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *u, float *v, int n)
{
    float s = 0, t = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += x[blockIdx.x * n + j] * v[j];
    s = block_sum(s);
    if (threadIdx.x == 0)
        u[blockIdx.x] = 1.0f / s;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        t += x[i * n + blockIdx.x] * u[i];
    t = block_sum(t);
    if (threadIdx.x == 0)
        v[blockIdx.x] = 1.0f / t;
}

DRIVE(k<<<L, 128>>>(mild(L * L), out(L), inout(L), L))
// expect: 14:38 rf-loop-mismatch
