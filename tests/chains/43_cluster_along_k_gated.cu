// Two exchanges, an intermediate that stays visible, a result in half.
#include "../fusible/driver.h"

__global__ void k(const float *__restrict__ x, const float *w, const float *g,
                  const float *b, const float *v, float *__restrict__ h,
                  __half *__restrict__ y, int M, int K)
{
#pragma rf gemm_chain cluster(2)
    for (int m = 0; m < M; m++) {
        for (int n = 0; n < 10; n++) {
            float up = b[n], gate = 0;
            for (int k = 0; k < K; k++)
                up += x[m * K + k] * w[k * 10 + n];
            for (int k = 0; k < K; k++)
                gate += x[m * K + k] * g[k * 10 + n];
            h[m * 10 + n] = up * fmaxf(gate, 0.0f);
        }
        for (int l = 0; l < 300; l++) {
            float e = 0;
            for (int n = 0; n < 10; n++)
                e += h[m * 10 + n] * v[n * 300 + l];
            y[m * 300 + l] = __float2half(e);
        }
    }
}

DRIVE(k<<<1, 1>>>(mild(R * L), plain(L * 10), plain(L * 10), plain(10), plain(10 * 300), out(R * 10), out(R * 300), R, L))
