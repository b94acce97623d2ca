// Two convolutions of one tap: image, rows and columns count rows together.
#define DRIVE_LENGTHS 9, 5, 1, 0
#include "../fusible/driver.h"

__global__ void k(const float *__restrict__ in, const float *w1, const float *w2,
                  float *__restrict__ out, int B, int C, int H, int W, int O1, int O2)
{
#pragma rf gemm_chain
    for (int b = 0; b < B; b++)
        for (int o2 = 0; o2 < O2; o2++)
            for (int y = 0; y < H; y++)
                for (int x = 0; x < W; x++) {
                    float e = 0.0f;
                    for (int o1 = 0; o1 < O1; o1++) {
                        float c = 0.0f;
                        for (int ic = 0; ic < C; ic++)
                            c += in[((b * C + ic) * H + y) * W + x] * w1[o1 * C + ic];
                        e += fmaxf(c, 0.0f) * w2[o2 * O1 + o1];
                    }
                    out[((b * O2 + o2) * H + y) * W + x] = e;
                }
}

DRIVE(k<<<1, 1>>>(in(2 * 6 * 7 * L), plain(70 * 6), plain(5 * 70), out(2 * 5 * 7 * L), 2, 6, 7, L, 70, 5))
