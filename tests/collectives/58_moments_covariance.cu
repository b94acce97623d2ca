// The covariance of two columns, with any number of threads.
#include "team.h"

__device__ float block_sum(float v)
{
    __shared__ float cells[1024];
    cells[threadIdx.x] = v;
    __syncthreads();
    float s = 0;
    for (int t = 0; t < blockDim.x; t++)
        s += cells[t];
    __syncthreads();
    return s;
}

#pragma rf cascade assume(noalias, finite)
__global__ void k(const float *a, const float *b, float *out, int n)
{
    const float *x = a + blockIdx.x * n, *y = b + blockIdx.x * n;
    float sx = 0, sy = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sx += x[i];
        sy += y[i];
    }
    const float mx = block_sum(sx) / n;
    const float my = block_sum(sy) / n;
    float c = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        c += (x[i] - mx) * (y[i] - my);
    c = block_sum(c);
    if (threadIdx.x == 0)
        out[blockIdx.x] = c / n;
}

DRIVE(k<<<R, 100>>>(mild(R * L), mild(R * L), out(R), L))
// fused: block 2 -> 1, barriers 6 -> 1
