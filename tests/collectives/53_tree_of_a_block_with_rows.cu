// All threads of a block of 32 by 8 or 64 by 2 threads fold one row.
#include "team.h"

__device__ float fold(float *sm, int t, float v, bool largest)
{
    sm[t] = v;
    __syncthreads();
    for (int s = blockDim.x * blockDim.y / 2; s > 0; s /= 2) {
        if (t < s)
            sm[t] = largest ? fmaxf(sm[t], sm[t + s]) : sm[t] + sm[t + s];
        __syncthreads();
    }
    v = sm[0];
    __syncthreads();
    return v;
}

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float sm[256];
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int threads = blockDim.x * blockDim.y;
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = t; j < n; j += threads)
        m = fmaxf(m, row[j]);
    m = fold(sm, t, m, true);
    float s = 0;
    for (int j = t; j < n; j += threads)
        s += expf(row[j] - m);
    s = fold(sm, t, s, false);
    if (t == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, dim3(32, 8)>>>(in(R * L), out(R), L);
      k<<<R, dim3(64, 2)>>>(in(R * L), out(R), L))
// fused: block 2 -> 1, barriers 20 -> 1
