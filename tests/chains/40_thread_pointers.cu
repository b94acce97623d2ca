// Rows by pointers that are set after the guard, and one that is not a row's.
#include "../fusible/driver.h"

#pragma rf gemm_chain assume(noalias)
__global__ void k(const float *x, const float *w, float *y, int M, int K,
                  int L)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= M)
        return;
    const float *from = x + m * K;
    const float *v = w + K * 20;
    float *to = y + m * L;
    float h[20];
    for (int n = 0; n < 20; n++) {
        float c = 0;
        for (int k = 0; k < K; k++)
            c += from[k] * w[n * K + k];
        h[n] = fmaxf(c, 0.0f);
    }
    for (int l = 0; l < L; l++) {
        float e = 0;
        for (int n = 0; n < 20; n++)
            e += h[n] * v[n * L + l];
        to[l] = e;
    }
}

DRIVE(k<<<2, 32>>>(in(R * L), plain(L * 20 + 20 * 9), out(R * 9), R, L, 9))
