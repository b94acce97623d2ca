// `+=` onto what the caller stored there: the old value is part of the sum.
#include "driver.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *out, int n)
{
    const int r = threadIdx.x;
    float m = -INFINITY;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[r * n + i]);
    for (int i = 0; i < n; i++)
        out[r] += expf(x[r * n + i] - m);
}

DRIVE(k<<<1, R>>>(in(R * L), inout(R, 1), L))
// launch: <<<1, R>>>(in(R * L), inout(R, 1), L)
