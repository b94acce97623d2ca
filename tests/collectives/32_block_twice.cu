// Row blocks of threads that are no number of warps.
#include "team.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float sm[1024];
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    sm[threadIdx.x] = m;
    __syncthreads();
    int left = blockDim.x;
    while (left != 1) {
        int half = (left + 1) / 2;
        if (threadIdx.x < left / 2)
            sm[threadIdx.x] = fmaxf(sm[threadIdx.x], sm[threadIdx.x + half]);
        __syncthreads();
        left = half;
    }
    m = sm[0];
    __syncthreads();
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    sm[threadIdx.x] = s;
    __syncthreads();
    int rest = blockDim.x;
    while (rest != 1) {
        int half = (rest + 1) / 2;
        if (threadIdx.x < rest / 2)
            sm[threadIdx.x] = sm[threadIdx.x] + sm[threadIdx.x + half];
        __syncthreads();
        rest = half;
    }
    s = sm[0];
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(int t = 1 + L % 70; k<<<R, t>>>(in(R * L), out(R), L))
// fused: block 2 -> 1, barriers 23 -> 1
