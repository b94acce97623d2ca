// A batch on the second dimension of a grid of clusters.
#include "../fusible/driver.h"

__global__ void k(const float *__restrict__ x, const float *w, const float *v,
                  float *__restrict__ y, int B, int M, int N, int K, int L)
{
#pragma rf gemm_chain cluster(2) tile(m:4, n:4, l:4)
    for (int b = 0; b < B; b++)
        for (int m = 0; m < M; m++)
            for (int l = 0; l < L; l++) {
                float e = 0;
                for (int n = 0; n < N; n++) {
                    float c = 0;
                    for (int k = 0; k < K; k++)
                        c += x[(b * M + m) * K + k] * w[(b * K + k) * N + n];
                    e += fmaxf(c, 0.0f) * v[(b * N + n) * L + l];
                }
                y[(b * M + m) * L + l] = e;
            }
}

DRIVE(k<<<1, 1>>>(in(3 * 5 * L), plain(3 * L * 7), plain(3 * 7 * 6), out(3 * 5 * 6), 3, 5, 7, L, 6))
