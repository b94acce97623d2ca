// A masked count and a mean of what was counted; the count divides each term.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const float *x, float *y, int n, float limit)
{
    x += threadIdx.x * n;
    int c = 0;
    for (int i = 0; i < n; i++)
        c += x[i] < limit;
    float mean = 0;
    for (int i = 0; i < n; i++)
        if (x[i] < limit)
            mean += x[i] / max(c, 1);
    y[threadIdx.x] = mean;
}

DRIVE(k<<<1, R>>>(mild(R * L), out(R), L, 0.5f))
// launch: <<<1, R>>>(mild(R * L), out(R), L, 0.5f)
