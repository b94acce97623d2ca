// Each thread takes a part of the row that hangs together.
#include "team.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float cells[128];
    const float *row = x + blockIdx.x * n;
    const int part = (n + blockDim.x - 1) / blockDim.x;
    const int begin = threadIdx.x * part, end = min(n, begin + part);
    float m = -INFINITY;
    for (int j = begin; j < end; j++)
        m = fmaxf(m, row[j]);
    cells[threadIdx.x] = m;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half)
            cells[threadIdx.x] = fmaxf(cells[threadIdx.x], cells[threadIdx.x + half]);
        __syncthreads();
    }
    m = cells[0];
    __syncthreads();
    float s = 0;
    for (int j = begin; j < end; j++)
        s += expf(row[j] - m);
    cells[threadIdx.x] = s;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half)
            cells[threadIdx.x] += cells[threadIdx.x + half];
        __syncthreads();
    }
    s = cells[0];
    for (int j = begin; j < end; j++)
        y[blockIdx.x * n + j] = expf(row[j] - m) / s;
}

DRIVE(k<<<R, 128>>>(in(R * L), out(R * L), L))
// fused: block 3 -> 2, barriers 17 -> 1
