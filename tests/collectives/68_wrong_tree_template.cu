// One of the sizes that are launched is no power of two.
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

DRIVE({ if (L < 100) k<128><<<R, 128>>>(in(R * L), out(R), L); else k<96><<<R, 96>>>(in(R * L), out(R), L); })
// says: with 96 threads the max in thread 0 misses the contribution of thread 2
// expect: 24:9 rf-not-decomposable
