// Rows are reached by pointers that are set once a row.
#include "../fusible/driver.h"

__global__ void k(const float *__restrict__ x, const float *w, const float *v,
                  float *__restrict__ y, int M, int N, int K, int L)
{
#pragma rf gemm_chain
    for (int m = 0; m < M; m++) {
        const float *row = x + m * K;
        float *to = y + m * L;
        for (int l = 0; l < L; l++)
            to[l] = 0;
        for (int n = 0; n < N; n++) {
            const float *col = w + n * K;
            float c = 0;
            for (int k = 0; k < K; k++)
                c += row[k] * col[k];
            c = fmaxf(c, 0.0f);
            for (int l = 0; l < L; l++)
                to[l] += c * v[n * L + l];
        }
    }
}

DRIVE(k<<<1, 1>>>(in(R * L), plain(L * 66), plain(66 * 5), out(R * 5), R, 66, L, 5))
