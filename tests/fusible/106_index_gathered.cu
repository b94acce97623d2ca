// Elements are reached through an index array.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *table, const int *at, float *y, int n)
{
    at += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, table[at[i]]);
    for (int i = 0; i < n; i++)
        s += expf(table[at[i]] - m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(plain(50), index(R * L, 50), out(R), L))
// launch: <<<1, R>>>(plain(50), index(R * L, 50), out(R), L)
