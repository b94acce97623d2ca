// The tree calls itself.
#include "block.h"

__device__ float tree(float *cells, int half)
{
    if (half == 0)
        return cells[0];
    if (threadIdx.x < half)
        cells[threadIdx.x] = fmaxf(cells[threadIdx.x], cells[threadIdx.x + half]);
    __syncthreads();
    return tree(cells, half / 2);
}

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float cells[128];
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    cells[threadIdx.x] = m;
    __syncthreads();
    m = tree(cells, 64);
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    s = block_sum(s);
    if (threadIdx.x == 0)
        y[blockIdx.x] = s;
}

DRIVE(k<<<R, 128>>>(in(R * L), out(R), L))
// expect: 24:9 rf-unsupported
