// The same under a condition.
#include "driver.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, const int *ok, float *top, float *sum, int n)
{
    x += threadIdx.x * n;
    const int t = threadIdx.x;
    top[t] = -1e30f;
    sum[t] = 0.f;
    for (int i = 0; i < n; i++)
        if (ok[i] && top[t] < x[i])
            top[t] = x[i];
    for (int i = 0; i < n; i++)
        if (ok[i])
            sum[t] += expf(x[i] - top[t]);
}

DRIVE(k<<<1, R>>>(in(R * L), index(L, 2), out(R), out(R), L))
// launch: <<<1, R>>>(in(R * L), index(L, 2), out(R), out(R), L)
