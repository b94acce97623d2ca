// The loop around the rows asks for the exponentials of the last one: they are
// stored as in the source.
#include "driver.h"

#define MAX 64

__global__ void k(const float *x, float *y, int n)
{
    float e[MAX];
    for (int row = 0; row < 4 && (row == 0 || e[0] < 0.9f); row++) {
        const float *in = x + (threadIdx.x * 4 + row) * n;
#pragma rf cascade assume(noalias)
        {
            float m = -INFINITY, s = 0;
            for (int i = 0; i < n; i++)
                m = fmaxf(m, in[i]);
            for (int i = 0; i < n; i++) {
                e[i] = expf(in[i] - m);
                s += e[i];
            }
            for (int i = 0; i < n; i++)
                y[(threadIdx.x * 4 + row) * n + i] = e[i] / s;
        }
    }
}

DRIVE_FROM(1, k<<<1, R>>>(in(R * 4 * L), out(R * 4 * L), L))
// launch: <<<1, R>>>(in(R * 4 * L), out(R * 4 * L), L)
