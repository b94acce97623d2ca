// Softmax weights of the elements that a mask selects; where it selects none
// their sum is 0.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, const float *v, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, l = 0, o = 0;
    for (int i = 0; i < n; i++)
        if (v[i] > 0)
            m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        if (v[i] > 0)
            l += expf(x[i] - m);
    const float inverse = 1 / l;
    for (int i = 0; i < n; i++)
        if (v[i] > 0)
            o += expf(x[i] - m) * inverse * v[i];
    y[threadIdx.x] = o;
}

DRIVE(k<<<1, R>>>(in(R * L), plain(L), out(R), L))
// launch: <<<1, R>>>(in(R * L), plain(L), out(R), L)
