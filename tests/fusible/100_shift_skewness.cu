// The third moment about the mean.
#include "driver.h"

#pragma rf cascade
__global__ void k(const double *x, double *y, int n)
{
    x += threadIdx.x * n;
    double mean = 0, m3 = 0;
    for (int i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (int i = 0; i < n; i++) {
        double d = x[i] - mean;
        m3 += d * d * d;
    }
    y[threadIdx.x] = m3 / n;
}

DRIVE(k<<<1, R>>>(mild(R * L), out(R), L))
// launch: <<<1, R>>>(mild(R * L), out(R), L)
