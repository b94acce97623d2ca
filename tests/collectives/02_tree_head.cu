// A halving tree in dynamic shared memory, barrier at the head.
#include "team.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    extern __shared__ float sm[];
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    sm[threadIdx.x] = m;
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k)
            sm[threadIdx.x] = fmaxf(sm[threadIdx.x], sm[threadIdx.x + k]);
    }
    __syncthreads();
    m = sm[0];
    __syncthreads();
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    sm[threadIdx.x] = s;
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k)
            sm[threadIdx.x] += sm[threadIdx.x + k];
    }
    __syncthreads();
    s = sm[0];
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, 128, 512>>>(in(R * L), out(R), L))
// fused: block 2 -> 1, barriers 17 -> 1
