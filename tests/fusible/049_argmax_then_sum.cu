// The index of the maximum comes with it; the first one wins a tie.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int *at, int n)
{
    x += threadIdx.x * n;
    float best = -INFINITY, s = 0;
    int where = -1;
    for (int i = 0; i < n; i++)
        if (x[i] > best) {
            best = x[i];
            where = i;
        }
    for (int i = 0; i < n; i++)
        s += expf(x[i] - best);
    y[threadIdx.x] = 1 / s;
    at[threadIdx.x] = where;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), out(R), L)
