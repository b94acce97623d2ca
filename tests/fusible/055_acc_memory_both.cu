// Both reductions accumulate in global memory, the second reads the first.
#include "driver.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *top, float *sum, int n)
{
    const int r = threadIdx.x;
    top[r] = -INFINITY;
    sum[r] = 0;
    for (int i = 0; i < n; i++)
        top[r] = fmaxf(top[r], x[r * n + i]);
    for (int i = 0; i < n; i++)
        sum[r] += expf(x[r * n + i] - top[r]);
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), out(R), L)
