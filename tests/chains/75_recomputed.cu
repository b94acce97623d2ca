// A result in half cannot hold the sums, and it is too wide for a tile.
#include <cuda_fp16.h>

__global__ void k(const __half *__restrict__ x, const __half *w,
                  const __half *v, __half *__restrict__ y, int M, int N, int K)
{
    #pragma rf gemm_chain
    for (int m = 0; m < M; m++)
        for (int l = 0; l < 4096; l++) {
            float e = 0;
            for (int n = 0; n < N; n++) {
                float c = 0;
                for (int k = 0; k < K; k++)
                    c += __half2float(x[m * K + k]) *
                         __half2float(w[k * N + n]);
                e += fmaxf(c, 0.0f) * __half2float(v[n * 4096 + l]);
            }
            y[m * 4096 + l] = __float2half(e);
        }
}

void run(__half *a, __half *b, __half *c, __half *d)
{
    k<<<1, 1>>>(a, b, c, d, 128, 64, 64);
}
// expect: 7:5 rf-unprofitable
