// Three dependent reductions: the third divides by the second in every term.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, const float *v, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0, o = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    for (int i = 0; i < n; i++)
        o += v[i] * (expf(x[i] - m) / s);
    y[threadIdx.x] = o;
}

DRIVE(k<<<1, R>>>(in(R * L), plain(L), out(R), L))
// launch: <<<1, R>>>(in(R * L), plain(L), out(R), L)
