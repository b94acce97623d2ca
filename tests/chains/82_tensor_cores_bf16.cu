// A gated layer of bf16 data.
#include "../fusible/driver.h"

__global__ void k(const __nv_bfloat16 *__restrict__ x, const __nv_bfloat16 *w,
                  const __nv_bfloat16 *g, const __nv_bfloat16 *v,
                  __nv_bfloat16 *__restrict__ y, int M, int N, int K, int L)
{
#pragma rf gemm_chain
    for (int m = 0; m < M; m++)
        for (int l = 0; l < L; l++) {
            float e = 0.0f;
            for (int n = 0; n < N; n++) {
                float c = 0.0f, d = 0.0f;
                for (int k = 0; k < K; k++) {
                    c += __bfloat162float(x[m * K + k]) *
                         __bfloat162float(w[k * N + n]);
                    d += __bfloat162float(x[m * K + k]) *
                         __bfloat162float(g[k * N + n]);
                }
                __nv_bfloat16 p = __float2bfloat16(c / (1 + expf(-c)) * d);
                e += __bfloat162float(p) * __bfloat162float(v[n * L + l]);
            }
            y[m * L + l] = __float2bfloat16(e);
        }
}

DRIVE(k<<<1, 1>>>(plain(R * L), plain(L * 33), plain(L * 33), plain(33 * 9), out(R * 9), R, 33, L, 9))
