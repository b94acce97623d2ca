/* A reference and a rewritten kernel for --compare; DIFFERENCE plants one. */
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>

__global__ void third(const float *x, float *y, __half *h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
#ifdef RF_REFERENCE
    y[i] = x[i] / 3.0f;
#else
    y[i] = x[i] * (1.0f / 3.0f);
#ifdef DIFFERENCE
    if (i == 77)
        y[i] += 1;
#endif
#ifdef RACE
    if (i < 2)
        h[500] = __float2half((float)i);
#endif
#endif
    if (i < 500)
        h[i] = __float2half(2 * x[i]);
}

int main(int argc, char **argv)
{
    const int n = 1000;
    float *x, *y, host[n];
    __half *h;
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&y, sizeof host);
    cudaMalloc(&h, n * sizeof(__half));
    for (int i = 0; i < n; i++)
        host[i] = i;
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    third<<<(n + 255) / 256, 256>>>(x, y, h, n);
    cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
    printf("y[3] = %g\n", host[3]);
    return argc > 1 ? atoi(argv[1]) : 0;
}
