// A narrow intermediate: four blocks share k and exchange it before use.
#include "../fusible/driver.h"

__global__ void k(const float *__restrict__ x, const float *w, const float *v,
                  float *__restrict__ y, const float *W, float s, int M, int K, int L)
{
#pragma rf gemm_chain cluster(4)
    for (int m = 0; m < M; m++) {
        float r[8];
        for (int n = 0; n < 8; n++) {
            r[n] = 0;
            for (int k = 0; k < K; k++)
                r[n] += x[m * K + k] * w[k * 8 + n];
        }
        for (int l = 0; l < L; l++) {
            float plain = 0, low = 0;
            for (int k = 0; k < K; k++)
                plain += x[m * K + k] * W[k * L + l];
            for (int n = 0; n < 8; n++)
                low += r[n] * v[n * L + l];
            y[m * L + l] = plain + s * low;
        }
    }
}

DRIVE(k<<<1, 1>>>(mild(R * L), plain(L * 8), plain(8 * 20), out(R * 20), plain(L * 20), 0.25f, R, L, 20))
