// Relocatable device code: with link_b.cu and -rdc=true.
#include "link.h"

#include <cstdio>

// link_b.cu has another one of this name.
static __device__ __noinline__ int own(int x)
{
    return x + 1;
}

__device__ int (*chosen)(int) = own;

__global__ void fill(float *p)
{
    int i = threadIdx.x;
    p[i] = twice(i) + table[i & 3] + chosen(i) + shared_by_both(i);
    atomicAdd(&counter, 1);
    atomicAdd(&total, i);
}

int main()
{
    float *p;
    int count = 0, wrong = 0;
    cudaMallocManaged(&p, 32 * sizeof *p);
    fill<<<1, 32>>>(p);
    add_own<<<1, 32>>>(p);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    cudaMemcpyFromSymbol(&count, counter, sizeof count);
    for (int i = 0; i < 32; i++)
        wrong += p[i] != 2 * i + (i % 4 + 1) * 0.5f + (i + 1) + (i ^ 1) +
                             (i + 10) + (i ^ 1);
    printf("linked: %d wrong, counter %d, total %d\n", wrong, count, total);
    return wrong != 0;
}
