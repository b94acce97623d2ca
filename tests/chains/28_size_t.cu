// Indices of 64 bits.
#include "../fusible/driver.h"

__global__ void k(const float *__restrict__ x, const float *w, const float *v,
                  float *__restrict__ y, size_t M, size_t N, size_t K,
                  size_t L)
{
#pragma rf gemm_chain
    for (size_t m = 0; m < M; m++)
        for (size_t l = 0; l < L; l++) {
            float e = 0;
            for (size_t n = 0; n < N; n++) {
                float c = 0;
                for (size_t k = 0; k < K; k++)
                    c += x[m * K + k] * w[k * N + n];
                e += fmaxf(c, 0.0f) * v[n * L + l];
            }
            y[m * L + l] = e;
        }
}

DRIVE(k<<<1, 1>>>(in(R * L), plain(L * 13), plain(13 * 5), out(R * 5), R, 13, L, 5))
