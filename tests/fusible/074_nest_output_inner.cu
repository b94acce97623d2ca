// The keys outside, the output columns inside, in a local array.
#include "driver.h"

#define D 6

#pragma rf cascade
__global__ void k(const float *x, const float *v, float *o, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0, acc[D];
    for (int d = 0; d < D; d++)
        acc[d] = 0;
    for (int j = 0; j < n; j++)
        m = fmaxf(m, x[j]);
    for (int j = 0; j < n; j++)
        s += expf(x[j] - m);
    for (int j = 0; j < n; j++) {
        const float p = expf(x[j] - m);
        for (int d = 0; d < D; d++)
            acc[d] += p * v[j * D + d];
    }
    for (int d = 0; d < D; d++)
        o[threadIdx.x * D + d] = acc[d] / s;
}

DRIVE(k<<<1, R>>>(in(R * L), plain(L * D), out(R * D), L))
// launch: <<<1, R>>>(in(R * L), plain(L * D), out(R * D), L)
