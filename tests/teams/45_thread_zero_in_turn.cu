// A block takes rows in turn; thread 0 finishes with variables of its own.
#define DRIVE_LENGTHS 100, 33, 1, 0
#include "../fusible/driver.h"

#pragma rf cascade
__global__ void k(const float *__restrict__ x, float *__restrict__ y, int rows,
                  int n)
{
    __shared__ float part[2];
    __shared__ float total;
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        const float *p = x + r * n;
        float m = -INFINITY;
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            m = fmaxf(m, p[i]);
        for (int o = 16; o > 0; o /= 2)
            m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
        if (threadIdx.x % 32 == 0)
            part[threadIdx.x / 32] = m;
        __syncthreads();
        if (threadIdx.x == 0) {
            float t = part[0];
            for (int i = 1; i < 2; i++)
                t = fmaxf(t, part[i]);
            total = t;
        }
        __syncthreads();
        m = total;
        float s = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            s += expf(p[i] - m);
        for (int o = 16; o > 0; o /= 2)
            s += __shfl_xor_sync(~0u, s, o);
        if (threadIdx.x % 32 == 0)
            part[threadIdx.x / 32] = s;
        __syncthreads();
        if (threadIdx.x == 0) {
            float t = 0;
            for (int i = 0; i < 2; i++)
                t += part[i];
            total = t;
        }
        __syncthreads();
        s = total;
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            y[r * n + i] = expf(p[i] - m) / s;
        __syncthreads();
    }
}

DRIVE(k<<<3, 64>>>(in(R * L), out(R * L), R, L))
