// A gated layer whose two products have a loop and an array each.
#include "../fusible/driver.h"

__global__ void k(const float *__restrict__ x, const float *w, const float *v,
                  float *__restrict__ y, const float *g, int M, int K, int L)
{
#pragma rf gemm_chain
    for (int m = 0; m < M; m++) {
        float up[16], gate[16];
        for (int n = 0; n < 16; n++) {
            up[n] = 0;
            for (int k = 0; k < K; k++)
                up[n] += x[m * K + k] * w[k * 16 + n];
        }
        for (int n = 0; n < 16; n++) {
            gate[n] = 0;
            for (int k = 0; k < K; k++)
                gate[n] += x[m * K + k] * g[k * 16 + n];
        }
        for (int l = 0; l < L; l++) {
            float e = 0;
            for (int n = 0; n < 16; n++)
                e += up[n] * fmaxf(gate[n], 0.0f) * v[n * L + l];
            y[m * L + l] = e;
        }
    }
}

DRIVE(k<<<1, 1>>>(in(R * L), plain(L * 16), plain(16 * 20), out(R * 20), plain(L * 16), R, L, 20))
