// Channels last, stride 2, padding by zeros, constant channels.
#define DRIVE_LENGTHS 6, 1
#include "../fusible/driver.h"

__global__ void k(const float *__restrict__ in, const float *w1, const float *w2,
                  float *__restrict__ out, int B, int H, int W, int OH, int OW, int O2)
{
    const int C = 4, O1 = 12;
#pragma rf gemm_chain
    for (int b = 0; b < B; b++)
        for (int y = 0; y < OH; y++)
            for (int x = 0; x < OW; x++) {
                float h[O1];
                for (int o = 0; o < O1; o++) {
                    float c = 0.0f;
                    for (int ky = 0; ky < 3; ky++)
                        for (int kx = 0; kx < 3; kx++)
                            for (int i = 0; i < C; i++) {
                                const bool inside = 2 * y + ky < H && 2 * x + kx < W;
                                const float v = inside ? in[((b * H + 2 * y + ky) * W + 2 * x + kx) * C + i] : 0.0f;
                                c += v * w1[((ky * 3 + kx) * C + i) * O1 + o];
                            }
                    h[o] = c / (1.0f + expf(-c));
                }
                for (int o = 0; o < O2; o++) {
                    float e = 0.0f;
                    for (int i = 0; i < O1; i++)
                        e += h[i] * w2[i * O2 + o];
                    out[((b * OH + y) * OW + x) * O2 + o] = e;
                }
            }
}

DRIVE_FROM(1, k<<<1, 1>>>(plain(3 * 6 * 2 * L * 4), plain(9 * 4 * 12), plain(12 * 20), out(3 * 3 * L * 20), 3, 6, 2 * L, 3, L, 20))
