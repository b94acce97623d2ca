// Both products of half data, summed in float; the intermediate is half, too.
#include "../fusible/driver.h"

__global__ void k(const __half *__restrict__ x, const __half *w,
                  const __half *v, float *__restrict__ y, int M, int N, int K,
                  int L)
{
#pragma rf gemm_chain
    for (int m = 0; m < M; m++) {
        __half h[64];
        for (int n = 0; n < N; n++) {
            float c = 0.0f;
            for (int k = 0; k < K; k++)
                c += __half2float(x[m * K + k]) * __half2float(w[n * K + k]);
            h[n] = __float2half(fmaxf(c, 0.0f));
        }
        for (int l = 0; l < L; l++) {
            float e = 0.0f;
            for (int n = 0; n < N; n++)
                e += __half2float(h[n]) * __half2float(v[n * L + l]);
            y[m * L + l] = e;
        }
    }
}

DRIVE(k<<<1, 1>>>(mild(R * L), plain(L * 60), plain(60 * 40), out(R * 40), R, 60, L, 40))
