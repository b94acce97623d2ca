// A gated layer whose two products belong to two blocks each.
#include "../fusible/driver.h"

__global__ void k(const float *__restrict__ x, const float *w, const float *v,
                  float *__restrict__ y, const float *g, int M, int N, int K, int L)
{
#pragma rf gemm_chain cluster(2, 1, 2, 2) tile(n:8, l:8, m:8)
    for (int m = 0; m < M; m++) {
        for (int l = 0; l < L; l++)
            y[m * L + l] = 0;
        for (int n = 0; n < N; n++) {
            float a = 0, b = 0;
            for (int k = 0; k < K; k++) {
                a += x[m * K + k] * w[k * N + n];
                b += x[m * K + k] * g[k * N + n];
            }
            const float p = a / (1.0f + expf(-a)) * b;
            for (int l = 0; l < L; l++)
                y[m * L + l] += p * v[n * L + l];
        }
    }
}

DRIVE(k<<<1, 1>>>(mild(R * L), plain(L * 50), plain(50 * 20), out(R * 20), plain(L * 50), R, 50, L, 20))
