// What joins two values is only declared in this file.
#include "block.h"

struct Join {
    __device__ float operator()(float a, float b) const;
};

__device__ float meet(float v, Join join)
{
    __shared__ float cells[128];
    cells[threadIdx.x] = v;
    __syncthreads();
    for (int t = 0; t < blockDim.x; t++)
        v = join(v, cells[t]);
    __syncthreads();
    return v;
}

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n, Join join)
{
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    m = meet(m, join);
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    s = block_sum(s);
    if (threadIdx.x == 0)
        y[blockIdx.x] = s;
}

DRIVE(k<<<R, 128>>>(in(R * L), out(R), L, Join()))
// expect: 14:13 rf-side-effect
