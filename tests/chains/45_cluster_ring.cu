// Eight blocks: four along n pass P round rings of two, two along k exchange.
#include "../fusible/driver.h"

__global__ void k(const float *__restrict__ x, const float *w, const float *v,
                  float *__restrict__ y, int M, int N, int K, int L)
{
#pragma rf gemm_chain cluster(1, 4, 2, 4) tile(n:8, l:4, m:8)
    for (int m = 0; m < M; m++)
        for (int l = 0; l < L; l++) {
            float e = 0.0f;
            for (int n = 0; n < N; n++) {
                float c = 0.0f;
                for (int k = 0; k < K; k++)
                    c += x[m * K + k] * w[k * N + n];
                e += fmaxf(c, 0.0f) * v[n * L + l];
            }
            y[m * L + l] = e;
        }
}

DRIVE(k<<<1, 1>>>(mild(R * L), plain(L * 45), plain(45 * 21), out(R * 21), R, 45, L, 21))
