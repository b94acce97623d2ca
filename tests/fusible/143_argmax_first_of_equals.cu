// The place of the largest score beside the sum of a softmax; the first of
// equals wins.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int *at, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0, best = -INFINITY;
    int where = -1;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    for (int i = 0; i < n; i++)
        if (x[i] > best) {
            best = x[i];
            where = i;
        }
    y[threadIdx.x] = expf(best - m) / s;
    at[threadIdx.x] = where;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), out(R), L)
