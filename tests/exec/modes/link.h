// What link_a.cu and link_b.cu share.
#pragma once

extern __device__ int counter;
extern __constant__ float table[4];
extern __managed__ int total;

__device__ float twice(float x);
__global__ void add_own(float *p);

// In both files: one copy is taken.
template <typename T> __device__ __noinline__ T shared_by_both(T x)
{
    __shared__ T last[32];
    last[threadIdx.x] = x;
    __syncwarp();
    return last[threadIdx.x ^ 1];
}
