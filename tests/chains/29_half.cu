// Half data, sums in float.
#include "../fusible/driver.h"

__global__ void k(const __half *__restrict__ x, const __half *w,
                  const __half *v, float *__restrict__ y, int M, int N, int K,
                  int L)
{
#pragma rf gemm_chain
    for (int m = 0; m < M; m++)
        for (int l = 0; l < L; l++) {
            float e = 0;
            for (int n = 0; n < N; n++) {
                float c = 0;
                for (int k = 0; k < K; k++)
                    c += __half2float(x[m * K + k]) *
                         __half2float(w[k * N + n]);
                e += fmaxf(c, 0.0f) * __half2float(v[n * L + l]);
            }
            y[m * L + l] = e;
        }
}

DRIVE(k<<<1, 1>>>(mild(R * L), plain(L * 13), plain(13 * 5), out(R * 5), R, 13, L, 5))
