// A result of 600 columns in half: wide, low tiles hold its sums.
#include "../fusible/driver.h"

__global__ void k(const float *__restrict__ x, const float *w, const float *v,
                  __half *__restrict__ y, int M, int K)
{
#pragma rf gemm_chain
    for (int m = 0; m < M; m++) {
        float h[20];
        for (int n = 0; n < 20; n++) {
            h[n] = 0;
            for (int k = 0; k < K; k++)
                h[n] += x[m * K + k] * w[k * 20 + n];
        }
        for (int l = 0; l < 600; l++) {
            float e = 0;
            for (int n = 0; n < 20; n++)
                e += fmaxf(h[n], 0.0f) * v[n * 600 + l];
            y[m * 600 + l] = __float2half(e);
        }
    }
}

DRIVE(k<<<1, 1>>>(in(R * L), plain(L * 20), plain(20 * 600), out(R * 600), R, L))
