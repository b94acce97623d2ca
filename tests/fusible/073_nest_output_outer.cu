// The loop over the output columns is outside, the one over the keys inside:
// they have to change places.
#include "driver.h"

#define D 6

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, const float *v, float *o, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int j = 0; j < n; j++)
        m = fmaxf(m, x[j]);
    for (int j = 0; j < n; j++)
        s += expf(x[j] - m);
    for (int d = 0; d < D; d++) {
        float acc = 0;
        for (int j = 0; j < n; j++)
            acc += expf(x[j] - m) / s * v[j * D + d];
        o[threadIdx.x * D + d] = acc;
    }
}

DRIVE(k<<<1, R>>>(in(R * L), plain(L * D), out(R * D), L))
// launch: <<<1, R>>>(in(R * L), plain(L * D), out(R * D), L)
