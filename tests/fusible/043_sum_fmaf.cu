// fmaf as the accumulation, and the norm of one factor divides each term.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const float *a, const float *b, float *y, int n)
{
    a += threadIdx.x * n;
    b += threadIdx.x * n;
    float nn = 0, d = 0;
    for (int i = 0; i < n; i++)
        nn = fmaf(a[i], a[i], nn);
    for (int i = 0; i < n; i++)
        d = fmaf(a[i], b[i] * rsqrtf(nn + 1e-6f), d);
    y[threadIdx.x] = d;
}

DRIVE(k<<<1, R>>>(mild(R * L), plain(R * L), out(R), L))
// launch: <<<1, R>>>(mild(R * L), plain(R * L), out(R), L)
