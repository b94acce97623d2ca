// All and any, by && and ||, before a softmax denominator.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    bool all = true, any = false;
    for (int i = 0; i < n; i++)
        all = all && x[i] > -3;
    for (int i = 0; i < n; i++)
        any = any || x[i] != x[i];
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = any ? -1 : all ? s : s + 1000;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
