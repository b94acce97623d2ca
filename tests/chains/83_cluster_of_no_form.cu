// Four blocks along k share two tiles of columns: no cluster has that form.
__global__ void k(const float *__restrict__ x, const float *w, const float *v, float *__restrict__ y, int M, int N, int K, int L)
{
    #pragma rf gemm_chain cluster(1, 2, 4, 2)
    for (int m = 0; m < M; m++) {
        float h[64];
        for (int n = 0; n < N; n++) {
            float c = 0;
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

void run(float *a, float *b, float *c, float *d)
{
    k<<<1, 1>>>(a, b, c, d, 36, 24, 20, 20);
}
// expect: 4:5 rf-capacity
