// Two chains on clusters of CLUSTER blocks, ragged in every dimension, against
// the host: small integers, whose sums are exact. See clusters.py.
#include <cstdio>
#include <cstdlib>

enum { M = 10, N = 45, K = 7, L = 21 };

__global__ void plain(const float *__restrict__ x, const float *w,
                      const float *v, float *__restrict__ y, int M, int N,
                      int K, int L)
{
#pragma rf gemm_chain cluster(CLUSTER) tile(m : 4, n : 8, l : 4) threads(32)
    for (int m = 0; m < M; m++)
        for (int l = 0; l < L; l++) {
            float e = 0.0f;
            for (int n = 0; n < N; n++) {
                float c = 0.0f;
                for (int k = 0; k < K; k++)
                    c += x[m * K + k] * w[k * N + n];
                e += fmaxf(c, 0.0f) * v[n * L + l];
            }
            y[m * L + l] = e;
        }
}

__global__ void gated(const float *__restrict__ x, const float *w,
                      const float *g, const float *v, float *__restrict__ y,
                      int M, int N, int K, int L)
{
#pragma rf gemm_chain cluster(CLUSTER) tile(m : 4, n : 8, l : 4) threads(32)
    for (int m = 0; m < M; m++)
        for (int l = 0; l < L; l++) {
            float e = 0.0f;
            for (int n = 0; n < N; n++) {
                float c = 0.0f, d = 0.0f;
                for (int k = 0; k < K; k++) {
                    c += x[m * K + k] * w[k * N + n];
                    d += x[m * K + k] * g[k * N + n];
                }
                e += fmaxf(c, 0.0f) * d * v[n * L + l];
            }
            y[m * L + l] = e;
        }
}

static int failures = 0;

static void check(cudaError_t e)
{
    if (e != cudaSuccess) {
        std::printf("%s\n", cudaGetErrorString(e));
        std::exit(2);
    }
}

static float *memory(int n, int seed)
{
    float *p;
    check(cudaMallocManaged(&p, n * sizeof *p));
    for (int i = 0; i < n; i++)
        p[i] = (float)((i * 7 + seed * 5) % 11 - 5);
    return p;
}

static float expected(const float *x, const float *w, const float *g,
                      const float *v, int m, int l)
{
    float e = 0;
    for (int n = 0; n < N; n++) {
        float c = 0, d = g ? 0 : 1;
        for (int k = 0; k < K; k++) {
            c += x[m * K + k] * w[k * N + n];
            d += g ? x[m * K + k] * g[k * N + n] : 0;
        }
        e += fmaxf(c, 0.0f) * d * v[n * L + l];
    }
    return e;
}

static void compare(const char *what, const float *y, const float *x,
                    const float *w, const float *g, const float *v)
{
    check(cudaDeviceSynchronize());
    for (int i = 0; i < M * L; i++) {
        float want = expected(x, w, g, v, i / L, i % L);
        if (y[i] != want && failures++ < 10)
            std::printf("%s: element %d is %g, not %g\n", what, i, y[i], want);
    }
}

int main()
{
    float *x = memory(M * K, 1), *w = memory(K * N, 2), *g = memory(K * N, 3);
    float *v = memory(N * L, 4), *y = memory(M * L, 5);
    plain<<<1, 1>>>(x, w, v, y, M, N, K, L);
    compare("plain", y, x, w, nullptr, v);
    gated<<<1, 1>>>(x, w, g, v, y, M, N, K, L);
    compare("gated", y, x, w, g, v);
    return failures != 0;
}
