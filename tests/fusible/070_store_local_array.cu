// A local array holds the exponentials and is dead at the end.
#include "driver.h"

#define MAX 64

#pragma rf cascade
__global__ void k(const float *x, const float *v, float *y, int n)
{
    x += threadIdx.x * n;
    float e[MAX];
    float m = -INFINITY;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    float s = 0;
    for (int i = 0; i < n; i++) {
        e[i] = expf(x[i] - m);
        s += e[i];
    }
    float o = 0;
    for (int i = 0; i < n; i++)
        o += e[i] / s * v[i];
    y[threadIdx.x] = o;
}

DRIVE(k<<<1, R>>>(in(R * L), plain(L), out(R), L))
// launch: <<<1, R>>>(in(R * L), plain(L), out(R), L)
