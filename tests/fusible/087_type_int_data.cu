// Integers in memory, an integer maximum, a float sum.
#include "driver.h"

#pragma rf cascade
__global__ void k(const int *x, float *y, int n)
{
    x += threadIdx.x * n;
    int m = -1000000;
    for (int i = 0; i < n; i++)
        m = max(m, x[i]);
    float s = 0;
    for (int i = 0; i < n; i++)
        s += expf((float)(x[i] - m));
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(index(R * L, 50), out(R), L))
// launch: <<<1, R>>>(index(R * L, 50), out(R), L)
