// A dot product and an activation as functions.
#include "../fusible/driver.h"

__device__ float dot(const float *a, const float *b, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

__device__ float act(float c)
{
    return c > 0 ? c : 0.01f * c;
}

__global__ void k(const float *__restrict__ x, const float *w, const float *v,
                  float *__restrict__ y, int M, int N, int K, int L)
{
#pragma rf gemm_chain
    for (int m = 0; m < M; m++)
        for (int l = 0; l < L; l++) {
            float e = 0;
            for (int n = 0; n < N; n++)
                e += act(dot(x + m * K, w + n * K, K)) * v[n * L + l];
            y[m * L + l] = e;
        }
}

DRIVE(k<<<1, 1>>>(in(R * L), plain(L * 13), plain(13 * 5), out(R * 5), R, 13, L, 5))
