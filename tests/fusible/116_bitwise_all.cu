// Three bitwise reductions, one of them over what the maximum selects.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, const int *flags, int *bits, float *y, int n)
{
    x += threadIdx.x * n;
    flags += threadIdx.x * n;
    int both = ~0, some = 0, odd = 0;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++) {
        m = fmaxf(m, x[i]);
        both &= flags[i] | 6;
    }
    for (int i = 0; i < n; i++) {
        s += expf(x[i] - m);
        some |= 1 << flags[i];
        odd ^= flags[i];
    }
    bits[threadIdx.x] = both * 4096 + some * 16 + odd;
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), index(R * L, 8), out(R), out(R), L))
// launch: <<<1, R>>>(in(R * L), index(R * L, 8), out(R), out(R), L)
