// A tree over threadIdx.x alone: the other rows of the block are not met.
#include "team.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float sm[64];
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = t; j < n; j += blockDim.x * blockDim.y)
        m = fmaxf(m, row[j]);
    sm[threadIdx.x] = m;
    __syncthreads();
    for (int i = 0; i < blockDim.x; i++)
        m = fmaxf(m, sm[i]);
    float s = 0;
    for (int j = t; j < n; j += blockDim.x * blockDim.y)
        s += expf(row[j] - m);
    atomicAdd(&y[blockIdx.x], s);
}

DRIVE(k<<<R, dim3(32, 2)>>>(in(R * L), out(R), L))
// expect: 13:5 rf-race
