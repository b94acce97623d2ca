// 8 blocks share the columns of a tile of rows and add up their results.
#include "../fusible/driver.h"

__global__ void k(const float *__restrict__ x, const float *w, const float *v,
                  float *__restrict__ h, float *__restrict__ y, int M, int N, int K, int L)
{
#pragma rf gemm_chain cluster(8)
    {
        for (int m = 0; m < M; m++)
            for (int n = 0; n < N; n++) {
                float c = 0.0f;
                for (int k = 0; k < K; k++)
                    c += x[m * K + k] * w[k * N + n];
                h[m * N + n] = fmaxf(c, 0.0f);
            }
        for (int m = 0; m < M; m++)
            for (int l = 0; l < L; l++) {
                float e = 0.0f;
                for (int n = 0; n < N; n++)
                    e += h[m * N + n] * v[n * L + l];
                y[m * L + l] = e;
            }
    }
}

DRIVE(k<<<1, 1>>>(mild(R * L), plain(L * 70), plain(70 * 9), out(R * 70), out(R * 9), R, 70, L, 9))
