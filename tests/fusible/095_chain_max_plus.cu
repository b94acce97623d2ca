// A maximum shifted by another maximum.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const float *a, const float *b, float *y, int n)
{
    a += threadIdx.x * n;
    float m = -INFINITY, w = -INFINITY;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, a[i]);
    for (int i = 0; i < n; i++)
        w = fmaxf(w, b[i] - m);
    y[threadIdx.x] = w;
}

DRIVE(k<<<1, R>>>(in(R * L), plain(L), out(R), L))
// launch: <<<1, R>>>(in(R * L), plain(L), out(R), L)
