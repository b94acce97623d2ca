// The other half of link_a.cu.
#include "link.h"

__device__ int counter = 5;
__constant__ float table[4] = { 0.5f, 1, 1.5f, 2 };
__managed__ int total = 4;

static __device__ __noinline__ int own(int x)
{
    return x + 10;
}

__device__ float twice(float x)
{
    return 2 * x;
}

__global__ void add_own(float *p)
{
    p[threadIdx.x] += own(threadIdx.x) + shared_by_both((int)threadIdx.x);
}
