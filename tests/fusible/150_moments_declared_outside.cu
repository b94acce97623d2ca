// Moments whose variables are declared before the marked braces.
#include "driver.h"
__global__ void k(const double *__restrict__ x, double *__restrict__ y, int n)
{
    x += threadIdx.x * n;
    double mean = 0, m4 = 0, m3 = 0, m2 = 0;
#pragma rf cascade assume(finite)
    {
    for (int i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (int i = 0; i < n; i++) {
        double d = x[i] - mean;
        m4 += d * d * d * d;
        m3 += d * d * d;
        m2 += d * d;
    }
    }
    y[3 * threadIdx.x] = m4 / n;
    y[3 * threadIdx.x + 1] = m3 / n;
    y[3 * threadIdx.x + 2] = m2 / n;
}

DRIVE(k<<<1, R>>>(plain(R * L), out(R * 3), L))
// launch: <<<1, R>>>(plain(R * L), out(R * 3), L)
