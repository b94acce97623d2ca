// The sample variance of a row, by one warp.
#include "team.h"

__device__ float warp_sum(float v)
{
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_down_sync(0xffffffff, v, o);
    return __shfl_sync(0xffffffff, v, 0);
}

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int rows, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float s = 0;
    for (int j = lane; j < n; j += 32)
        s += x[row * n + j];
    s = warp_sum(s);
    float mean = s / n, q = 0;
    for (int j = lane; j < n; j += 32)
        q += (x[row * n + j] - mean) * (x[row * n + j] - mean);
    q = warp_sum(q);
    if (lane == 0)
        y[row] = q / (n - 1);
}

DRIVE(k<<<(R + 3) / 4, 128>>>(mild(R * L), out(R), R, L))
// fused: 32 lanes 2 -> 1, barriers 0 -> 0
