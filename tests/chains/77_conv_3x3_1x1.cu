// Nine taps with padding, a bias and a visible intermediate, then one tap.
#define DRIVE_LENGTHS 8, 3, 1, 0
#include "../fusible/driver.h"

__global__ void k(const float *__restrict__ in, const float *w1, const float *bias,
                  const float *w2, float *__restrict__ h, float *__restrict__ out,
                  int B, int C, int H, int W, int O1, int O2)
{
#pragma rf gemm_chain
    {
        for (int b = 0; b < B; b++)
            for (int o1 = 0; o1 < O1; o1++)
                for (int y = 0; y < H; y++)
                    for (int x = 0; x < W; x++) {
                        float c = 0.0f;
                        for (int ic = 0; ic < C; ic++)
                            for (int ky = 0; ky < 3; ky++)
                                for (int kx = 0; kx < 3; kx++) {
                                    const int iy = y + ky - 1, ix = x + kx - 1;
                                    if (iy >= 0 && iy < H && ix >= 0 && ix < W)
                                        c += in[((b * C + ic) * H + iy) * W + ix] *
                                             w1[((o1 * C + ic) * 3 + ky) * 3 + kx];
                                }
                        h[((b * O1 + o1) * H + y) * W + x] = fmaxf(c + bias[o1], 0.0f);
                    }
        for (int b = 0; b < B; b++)
            for (int o2 = 0; o2 < O2; o2++)
                for (int y = 0; y < H; y++)
                    for (int x = 0; x < W; x++) {
                        float e = 0.0f;
                        for (int o1 = 0; o1 < O1; o1++)
                            e += h[((b * O1 + o1) * H + y) * W + x] * w2[o2 * O1 + o1];
                        out[((b * O2 + o2) * H + y) * W + x] = e;
                    }
    }
}

DRIVE(k<<<1, 1>>>(in(2 * 3 * 5 * L), plain(66 * 27), plain(66), plain(4 * 66), out(2 * 66 * 5 * L), out(2 * 4 * 5 * L), 2, 3, 5, L, 66, 4))
