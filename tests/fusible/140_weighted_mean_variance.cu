// Weighted mean and variance.
#include "driver.h"

#pragma rf cascade assume(w > 0)
__global__ void k(const float *x, const float *w, float *y, int n)
{
    x += threadIdx.x * n;
    float total = 0, sum = 0, var = 0;
    for (int i = 0; i < n; i++)
        total += w[i];
    for (int i = 0; i < n; i++)
        sum += w[i] * x[i];
    float mean = sum / total;
    for (int i = 0; i < n; i++)
        var += w[i] * (x[i] - mean) * (x[i] - mean);
    y[threadIdx.x * 2] = mean;
    y[threadIdx.x * 2 + 1] = var / total;
}

DRIVE(k<<<1, R>>>(plain(R * L), positive(L), out(R * 2), L))
// launch: <<<1, R>>>(plain(R * L), positive(L), out(R * 2), L)
