// The two largest scores above a bound, beside a softmax: the insertion has a
// maximum of its own.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int *at, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    float v0 = -1, v1 = -1;
    int i0 = -1, i1 = -1;
    for (int i = 0; i < n; i++) {
        if (x[i] > v0) {
            v1 = v0;
            i1 = i0;
            v0 = x[i];
            i0 = i;
        } else if (x[i] > v1) {
            v1 = x[i];
            i1 = i;
        }
    }
    y[threadIdx.x * 2] = expf(v0 - m) / s;
    y[threadIdx.x * 2 + 1] = expf(v1 - m) / s;
    at[threadIdx.x * 2] = i0;
    at[threadIdx.x * 2 + 1] = i1;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R * 2), out(R * 2), L))
// launch: <<<1, R>>>(in(R * L), out(R * 2), out(R * 2), L)
