// The factor is a sum that is zero on the way: no ratio of it may be taken.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const int *x, const float *v, float *y, int n)
{
    x += threadIdx.x * n;
    float m = 0, c = 0;
    for (int i = 0; i < n; i++)
        m += x[i] - 1;
    for (int i = 0; i < n; i++)
        c += v[i] * m;
    y[threadIdx.x] = c;
}

DRIVE(k<<<1, R>>>(index(R * L, 3), plain(L), out(R), L))
// launch: <<<1, R>>>(index(R * L, 3), plain(L), out(R), L)
