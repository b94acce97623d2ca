// Every channel is summed on its own first: the order of the sum changes.
#define DRIVE_LENGTHS 9, 5, 1, 0
#include "../fusible/driver.h"

__global__ void k(const float *__restrict__ in, const float *w1, const float *w2,
                  float *__restrict__ out, int C, int W, int O1, int O2)
{
#pragma rf gemm_chain
    for (int x = 0; x < W; x++)
        for (int o2 = 0; o2 < O2; o2++) {
            float e = 0.0f;
            for (int o1 = 0; o1 < O1; o1++) {
                float c = 0.0f;
                for (int ic = 0; ic < C; ic++) {
                    float taps = 0.0f;
                    for (int kx = 0; kx < 5; kx++)
                        taps += in[ic * (W + 4) + x + kx] * w1[(o1 * C + ic) * 5 + kx];
                    c += taps;
                }
                e += fmaxf(c, 0.0f) * w2[o2 * O1 + o1];
            }
            out[x * O2 + o2] = e;
        }
}

DRIVE(k<<<1, 1>>>(plain(6 * (L + 4)), plain(70 * 30), plain(5 * 70), out(5 * L), 6, L, 70, 5))
