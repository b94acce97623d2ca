// Closed under translation: sum of squares about the mean.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float mean = 0, v = 0;
    for (int i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (int i = 0; i < n; i++)
        v += (x[i] - mean) * (x[i] - mean);
    y[threadIdx.x] = v / n;
}

DRIVE(k<<<1, R>>>(mild(R * L), out(R), L))
// launch: <<<1, R>>>(mild(R * L), out(R), L)
