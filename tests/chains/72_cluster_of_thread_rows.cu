// Rows that belong to threads are not dealt to clusters.

#pragma rf gemm_chain cluster(4) assume(noalias)
__global__ void k(const float *x, const float *w, const float *v, float *y,
                  int M, int K, int L)
{
    const int row = threadIdx.x + blockIdx.x * blockDim.x;
    const float *from = x + row * K;
    if (row < M) {
        float h[20];
        for (int n = 0; n < 20; n++) {
            h[n] = 0;
            for (int k = 0; k < K; k++)
                h[n] += from[k] * w[k * 20 + n];
        }
        for (int l = 0; l < L; l++) {
            float e = 0;
            for (int n = 0; n < 20; n++)
                e += fmaxf(h[n], 0.0f) * v[n * L + l];
            y[row * L + l] = e;
        }
    }
}

// expect: 3:1 rf-unsupported
