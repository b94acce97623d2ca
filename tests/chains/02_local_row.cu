// The row of the intermediate is a local array; one loop over rows.
#include "../fusible/driver.h"

__global__ void k(const float *__restrict__ x, const float *w, const float *v,
                  float *__restrict__ y, int M, int K, int L)
{
#pragma rf gemm_chain
    for (int m = 0; m < M; m++) {
        float h[48];
        for (int n = 0; n < 48; n++) {
            float c = 0;
            for (int k = 0; k < K; k++)
                c += x[m * K + k] * w[k * 48 + n];
            h[n] = c > 0 ? c : 0;
        }
        for (int l = 0; l < L; l++) {
            float e = 0;
            for (int n = 0; n < 48; n++)
                e += h[n] * v[n * L + l];
            y[m * L + l] = e;
        }
    }
}

DRIVE(k<<<1, 1>>>(in(R * L), plain(L * 48), plain(48 * 150), out(R * 150), R, L, 150))
