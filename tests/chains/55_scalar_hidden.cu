// The hidden value is one scalar a row: there is no second sum.
__global__ void k(const float *__restrict__ x, const float *w, const float *v,
                  float *__restrict__ y, int M, int N, int K, int L)
{
    #pragma rf gemm_chain
    for (int m = 0; m < M; m++) {
        float c = 0;
        for (int k = 0; k < K; k++)
            c += x[m * K + k] * w[k];
        const float h = fmaxf(c, 0.0f);
        for (int l = 0; l < L; l++)
            y[m * L + l] = h * v[l];
    }
}

void run(float *a, float *b, float *c, float *d)
{
    k<<<1, 1>>>(a, b, c, d, 36, 24, 20, 20);
}
// expect: 6:5 rf-loop-mismatch
