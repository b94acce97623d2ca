// A row of the intermediate starts from the row before.
__global__ void k(const float *__restrict__ x, const float *w, const float *v,
                  float *__restrict__ y, int M, int N, int K, int L)
{
    #pragma rf gemm_chain
    {
        float h[64];
        for (int n = 0; n < N; n++)
            h[n] = 0;
        for (int m = 0; m < M; m++) {
            for (int n = 0; n < N; n++) {
                float c = h[n];
                for (int k = 0; k < K; k++)
                    c += x[m * K + k] * w[k * N + n];
                h[n] = fmaxf(c, 0.0f);
            }
            for (int l = 0; l < L; l++) {
                float e = 0;
                for (int n = 0; n < N; n++)
                    e += h[n] * v[n * L + l];
                y[m * L + l] = e;
            }
        }
    }
}

void run(float *a, float *b, float *c, float *d)
{
    k<<<1, 1>>>(a, b, c, d, 36, 24, 20, 20);
}
// expect: 12:27 rf-carried
