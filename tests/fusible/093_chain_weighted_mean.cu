// Total weight first, then a mean whose terms are divided by it.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const float *w, const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float total = 0;
    for (int i = 0; i < n; i++)
        total += w[i] * w[i];
    float mean = 0;
    for (int i = 0; i < n; i++)
        mean += w[i] * w[i] / total * x[i];
    y[threadIdx.x] = mean;
}

DRIVE(k<<<1, R>>>(plain(L), mild(R * L), out(R), L))
// launch: <<<1, R>>>(plain(L), mild(R * L), out(R), L)
