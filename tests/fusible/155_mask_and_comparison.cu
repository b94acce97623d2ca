// The same in scalars.
#include "driver.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, const int *ok, float *top, float *sum, int n)
{
    x += threadIdx.x * n;
    const int t = threadIdx.x;
    float m = -1e30f, s = 0.f;
    for (int i = 0; i < n; i++)
        if (ok[i] && m < x[i])
            m = x[i];
    for (int i = 0; i < n; i++)
        if (ok[i])
            s += expf(x[i] - m);
    sum[t] = s;
    top[t] = m;
}

DRIVE(k<<<1, R>>>(in(R * L), index(L, 2), out(R), out(R), L))
// launch: <<<1, R>>>(in(R * L), index(L, 2), out(R), out(R), L)
