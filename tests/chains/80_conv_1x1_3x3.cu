// The second convolution needs the neighbours of its pixel.
#pragma rf gemm_chain
__global__ void k(const float *__restrict__ in, const float *w1, const float *w2,
                  float *__restrict__ h, float *__restrict__ out, int C, int W, int O1, int O2)
{
    for (int x = 0; x < W; x++)
        for (int o1 = 0; o1 < O1; o1++) {
            float c = 0.0f;
            for (int ic = 0; ic < C; ic++)
                c += in[ic * W + x] * w1[o1 * C + ic];
            h[o1 * W + x] = fmaxf(c, 0.0f);
        }
    for (int x = 0; x < W; x++)
        for (int o2 = 0; o2 < O2; o2++) {
            float e = 0.0f;
            for (int o1 = 0; o1 < O1; o1++)
                for (int kx = 0; kx < 3; kx++)
                    if (x + kx < W)
                        e += h[o1 * W + x + kx] * w2[(o2 * O1 + o1) * 3 + kx];
            out[o2 * W + x] = e;
        }
}

void run(const float *in, const float *w1, const float *w2, float *h, float *out)
{
    k<<<1, 1>>>(in, w1, w2, h, out, 8, 8, 8, 8);
}
// expect: 5:1 rf-loop-mismatch
