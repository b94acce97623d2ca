// Every thread folds what all threads left in shared memory.
#include "team.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float sm[128];
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    sm[threadIdx.x] = m;
    __syncthreads();
    m = -INFINITY;
    for (int w = 0; w < blockDim.x; w++)
        m = fmaxf(m, sm[w]);
    __syncthreads();
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    sm[threadIdx.x] = s;
    __syncthreads();
    s = 0;
    for (int w = 0; w < blockDim.x; w++)
        s += sm[w];
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, 128>>>(in(R * L), out(R), L))
// fused: block 2 -> 1, barriers 3 -> 1
