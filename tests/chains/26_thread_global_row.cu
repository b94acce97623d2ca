// One thread a row, the intermediate in global memory.
#include "../fusible/driver.h"

#pragma rf gemm_chain
__global__ void k(const float *__restrict__ x, const float *w, const float *v,
                  float *__restrict__ h, float *__restrict__ y, int M, int N, int K, int L)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m < M) {
        for (int n = 0; n < N; n++) {
            float c = 0;
            for (int k = 0; k < K; k++)
                c += x[m * K + k] * w[k * N + n];
            h[m * N + n] = fmaxf(c, 0.0f);
        }
        for (int l = 0; l < L; l++) {
            float e = 0;
            for (int n = 0; n < N; n++)
                e += h[m * N + n] * v[n * L + l];
            y[m * L + l] = e;
        }
    }
}

DRIVE(k<<<2, 20>>>(in(R * L), plain(L * 70), plain(70 * 20), out(R * 70), out(R * 20), R, 70, L, 20))
