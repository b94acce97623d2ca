// Softmax backward from the logits: p is made anew, dot = sum p * dy.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, const float *dy, float *dx, int n)
{
    x += threadIdx.x * n;
    dy += threadIdx.x * n;
    dx += threadIdx.x * n;
    float m = -INFINITY, s = 0, dot = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    for (int i = 0; i < n; i++)
        dot += expf(x[i] - m) / s * dy[i];
    for (int i = 0; i < n; i++)
        dx[i] = expf(x[i] - m) / s * (dy[i] - dot);
}

DRIVE(k<<<1, R>>>(in(R * L), plain(R * L), out(R * L), L))
// launch: <<<1, R>>>(in(R * L), plain(R * L), out(R * L), L)
