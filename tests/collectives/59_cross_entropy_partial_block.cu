// Cross entropy by blocks of 33 threads: the last warp has one.
#include "team.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, const int *label, float *loss, int n)
{
    __shared__ float cells[33];
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    cells[threadIdx.x] = m;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int t = 1; t < blockDim.x; t++)
            cells[0] = fmaxf(cells[0], cells[t]);
    __syncthreads();
    m = cells[0];
    __syncthreads();
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    cells[threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < blockDim.x; t++)
            cells[0] += cells[t];
        loss[blockIdx.x] = logf(cells[0]) + m - row[label[blockIdx.x]];
    }
}

DRIVE_FROM(1, k<<<R, 33>>>(in(R * L), index(R, L), out(R), L))
// fused: block 2 -> 1, barriers 4 -> 1
