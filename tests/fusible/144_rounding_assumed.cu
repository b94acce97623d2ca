// Each term is rounded to float on its way into a sum of doubles: with
// assume(rounding) it may be another rounding.
#include "driver.h"

#pragma rf cascade assume(rounding)
__global__ void k(const double *x, double *y, int n)
{
    x += threadIdx.x * n;
    double m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmax(m, x[i]);
    for (int i = 0; i < n; i++)
        s += (float)exp(x[i] - m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
