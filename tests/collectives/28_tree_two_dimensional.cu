// Shared memory with two dimensions: two trees at once.
#include "team.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float sm[2][256];
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    sm[0][threadIdx.x] = m;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k)
            sm[0][threadIdx.x] = fmaxf(sm[0][threadIdx.x], sm[0][threadIdx.x + k]);
        __syncthreads();
    }
    m = sm[0][0];
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    sm[1][threadIdx.x] = s;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k)
            sm[1][threadIdx.x] = sm[1][threadIdx.x] + sm[1][threadIdx.x + k];
        __syncthreads();
    }
    s = sm[1][0];
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, 256>>>(in(R * L), out(R), L))
// fused: block 2 -> 1, barriers 18 -> 1
