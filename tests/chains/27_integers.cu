// Integer data and sums.
#include "../fusible/driver.h"

__global__ void k(const int *__restrict__ x, const int *w,
                  const int *v, int *__restrict__ y, int M, int N,
                  int K, int L)
{
#pragma rf gemm_chain
    for (int m = 0; m < M; m++)
        for (int l = 0; l < L; l++) {
            int e = 0;
            for (int n = 0; n < N; n++) {
                int c = 0;
                for (int k = 0; k < K; k++)
                    c += x[m * K + k] * w[k * N + n];
                e += max(c, 0) * v[n * L + l];
            }
            y[m * L + l] = e;
        }
}

DRIVE(k<<<1, 1>>>(index(R * L, 5), index(L * 13, 5), index(13 * 5, 5), out(R * 5), R, 13, L, 5))
