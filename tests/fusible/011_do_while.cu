// do loops: they run at least once, and the author says that n allows it.
#include "driver.h"

#pragma rf cascade assume(n >= 1)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    int i = 0;
    do {
        m = fmaxf(m, x[i]);
    } while (++i < n);
    i = 0;
    do {
        s += expf(x[i] - m);
        i++;
    } while (i < n);
    y[threadIdx.x] = s;
}

DRIVE_FROM(1, k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L), L >= 1
