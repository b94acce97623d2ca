// Thread 1 shares the second result, which thread 0 has: others may still read
// the first one.
#include <cub/cub.cuh>
#include <cuda/functional>
#include "team.h"

#pragma rf cascade
__global__ void k(const float *__restrict__ x, float *__restrict__ y, int n)
{
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    using Reduce = cub::BlockReduce<float, 128>;
    __shared__ typename Reduce::TempStorage room;
    __shared__ float shared;
    m = Reduce(room).Reduce(m, cuda::maximum<>());
    if (threadIdx.x == 0)
        shared = m;
    __syncthreads();
    m = shared;
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    s = Reduce(room).Sum(s);
    if (threadIdx.x == 1)
        shared = s;
    __syncthreads();
    s = shared;
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, 128>>>(in(R * L), out(R), L))
// expect: 27:9 rf-race
