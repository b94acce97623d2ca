// Inverse sampling: thread 0 adds up in order until the sum is large enough.
#include "block.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, const float *u, int *y, int n)
{
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    m = block_max(m);
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    s = block_sum(s);
    if (threadIdx.x == 0) {
        float c = 0;
        int pick = n - 1;
        for (int j = 0; j < n; j++) {
            c += expf(row[j] - m);
            if (c > u[blockIdx.x] * s) {
                pick = j;
                break;
            }
        }
        y[blockIdx.x] = pick;
    }
}

DRIVE(k<<<R, 128>>>(in(R * L), plain(R), out(R), L))
// fused: block 2 -> 1, barriers 4 -> 1
