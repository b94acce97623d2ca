/* Collectives of a block in a usual form, for files that are about something
 * else: every thread ends with the result, and the slots are free. */
#ifndef BLOCK_H
#define BLOCK_H

#include "team.h"

struct Maximum {
    __device__ static float join(float a, float b)
    {
        return fmaxf(a, b);
    }
};

struct Sum {
    __device__ static float join(float a, float b)
    {
        return a + b;
    }
};

template <class Op> __device__ float block_reduce(float v)
{
    __shared__ float slots[32];
    for (int o = 16; o > 0; o /= 2)
        v = Op::join(v, __shfl_xor_sync(0xffffffff, v, o));
    if (threadIdx.x % 32 == 0)
        slots[threadIdx.x / 32] = v;
    __syncthreads();
    v = slots[0];
    for (int w = 1; w < blockDim.x / 32; w++)
        v = Op::join(v, slots[w]);
    __syncthreads();
    return v;
}

__device__ inline float block_max(float v)
{
    return block_reduce<Maximum>(v);
}

__device__ inline float block_sum(float v)
{
    return block_reduce<Sum>(v);
}

#endif
