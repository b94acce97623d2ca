// Thread 0 folds what all threads left in shared memory.
#include "team.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float sm[96];
    __shared__ float top, total;
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    sm[threadIdx.x] = m;
    __syncthreads();
    if (threadIdx.x == 0) {
        float t = sm[0];
        for (int w = 1; w < blockDim.x; w++)
            t = fmaxf(t, sm[w]);
        top = t;
    }
    __syncthreads();
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - top);
    sm[threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        float t = sm[0];
        for (int w = 1; w < blockDim.x; w++)
            t = t + sm[w];
        total = t;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        y[blockIdx.x] = top + logf(total);
}

DRIVE(k<<<R, 96>>>(in(R * L), out(R), L); k<<<R, 31>>>(in(R * L), out(R), L))
// fused: block 2 -> 1, barriers 4 -> 1
