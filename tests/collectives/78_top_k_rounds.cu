// Four rounds of arg-max through shared memory; each looks past the winners.
#include "block.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float cells[128];
    __shared__ float last;
    const float *row = x + blockIdx.x * n;
    if (threadIdx.x == 0)
        last = INFINITY;
    __syncthreads();
    for (int round = 0; round < 4; round++) {
        float m = -INFINITY;
        for (int j = threadIdx.x; j < n; j += blockDim.x)
            if (row[j] < last)
                m = fmaxf(m, row[j]);
        cells[threadIdx.x] = m;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int t = 1; t < blockDim.x; t++)
                m = fmaxf(m, cells[t]);
            last = m;
            y[blockIdx.x * 4 + round] = m;
        }
        __syncthreads();
    }
}

DRIVE(k<<<R, 128>>>(in(R * L), out(R * 4), L))
// expect: 15:35 rf-control
