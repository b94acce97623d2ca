// What one loop scales up to t and sets to zero behind it, another reads up
// to t: the guarded store is the loop over 0 .. t.
#include "driver.h"

#pragma rf cascade assume(noalias, n >= 1)
__global__ void k(const float *x, const float *v, float *p, float *y, int n)
{
    int t = (int)threadIdx.x % n;
    x += threadIdx.x * n;
    p += threadIdx.x * n;
    float m = -INFINITY, s = 0, o = 0;
    for (int j = 0; j <= t; j++)
        m = fmaxf(m, x[j]);
    for (int j = 0; j <= t; j++) {
        p[j] = expf(x[j] - m);
        s += p[j];
    }
    for (int j = 0; j < n; j++)
        if (j <= t)
            p[j] /= s;
        else
            p[j] = 0;
    for (int j = 0; j <= t; j++)
        o += p[j] * v[j];
    y[threadIdx.x] = o;
}

DRIVE_FROM(1, k<<<1, R>>>(in(R * L), in(L), out(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), in(L), out(R * L), out(R), L), L >= 1
