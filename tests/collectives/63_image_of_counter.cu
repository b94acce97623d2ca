// A round of the block for each step of the counter: what is tested is the
// element, tid + step * threads.
#include "team.h"

#define THREADS 64

#pragma rf cascade assume(noalias, blockDim.x == 64)
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float sm[THREADS];
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int step = 0; threadIdx.x + step * THREADS < n; step++)
        m = fmaxf(m, row[threadIdx.x + step * THREADS]);
    sm[threadIdx.x] = m;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sm[threadIdx.x] = fmaxf(sm[threadIdx.x], sm[threadIdx.x + half]);
        __syncthreads();
    }
    m = sm[0];
    __syncthreads();
    float s = 0;
    for (int step = 0; step * THREADS + threadIdx.x < n; step++)
        s += expf(row[step * THREADS + threadIdx.x] - m);
    sm[threadIdx.x] = s;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sm[threadIdx.x] = sm[threadIdx.x] + sm[threadIdx.x + half];
        __syncthreads();
    }
    s = sm[0];
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, 64>>>(in(R * L), out(R), L))
// fused: block 2 -> 1, barriers 15 -> 1
