// A chain of three.
__global__ void k(const float *__restrict__ x, const float *w, const float *v,
                  float *__restrict__ y, int M, int N, int K, int L)
{
    #pragma rf gemm_chain
    for (int m = 0; m < M; m++) {
        float g[64], h[64];
        for (int j = 0; j < K; j++) {
            g[j] = 0;
            for (int i = 0; i < L; i++)
                g[j] += x[m * L + i] * v[j * L + i];
        }
        for (int n = 0; n < N; n++) {
            h[n] = 0;
            for (int k = 0; k < K; k++)
                h[n] += fmaxf(g[k], 0.0f) * w[k * N + n];
        }
        for (int l = 0; l < L; l++) {
            float e = 0;
            for (int n = 0; n < N; n++)
                e += h[n] * v[n * L + l];
            y[m * L + l] = e;
        }
    }
}

void run(float *a, float *b, float *c, float *d)
{
    k<<<1, 1>>>(a, b, c, d, 36, 24, 20, 20);
}
// expect: 16:17 rf-unsupported
