// A tree over as many threads as a template parameter says.
#include "team.h"

#pragma rf cascade assume(noalias)
template <int BLOCK> __global__ void k(const float *x, float *y, int n)
{
    __shared__ float sm[BLOCK];
    const int t = threadIdx.x;
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = t; j < n; j += BLOCK)
        m = fmaxf(m, row[j]);
    sm[t] = m;
    __syncthreads();
    for (int k = BLOCK / 2; k > 0; k /= 2) {
        if (t < k)
            sm[t] = fmaxf(sm[t], sm[t + k]);
        __syncthreads();
    }
    m = sm[0];
    __syncthreads();
    float s = 0;
    for (int j = t; j < n; j += BLOCK)
        s += expf(row[j] - m);
    sm[t] = s;
    __syncthreads();
    for (int k = BLOCK / 2; k > 0; k /= 2) {
        if (t < k)
            sm[t] += sm[t + k];
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = m + logf(sm[0]);
}

DRIVE({ k<128><<<R, 128>>>(in(R * L), out(R), L); k<256><<<R, 256>>>(in(R * L), out(R), L); })
// fused: block 2 -> 1, barriers 19 -> 1
