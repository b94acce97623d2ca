// A helper that returns through a reference.
#include "team.h"

__device__ void fold_max(float &v, float *sm, int tid)
{
    sm[tid] = v;
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (tid < k)
            sm[tid] = fmaxf(sm[tid], sm[tid + k]);
        __syncthreads();
    }
    v = sm[0];
    __syncthreads();
}

__device__ void fold_sum(float &v, float *sm, int tid)
{
    sm[tid] = v;
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (tid < k)
            sm[tid] += sm[tid + k];
        __syncthreads();
    }
    v = sm[0];
    __syncthreads();
}

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float sm[256];
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    fold_max(m, sm, threadIdx.x);
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    fold_sum(s, sm, threadIdx.x);
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, 256>>>(in(R * L), out(R), L))
// fused: block 2 -> 1, barriers 20 -> 1
