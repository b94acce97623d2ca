// Mean, variance, skewness and kurtosis by the obvious two loops.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float mean = 0, m2 = 0, m3 = 0, m4 = 0;
    for (int i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (int i = 0; i < n; i++) {
        float d = x[i] - mean;
        m2 += d * d;
        m3 += d * d * d;
        m4 += d * d * d * d;
    }
    y[threadIdx.x * 3] = m2 / n;
    y[threadIdx.x * 3 + 1] = m3 / n / powf(m2 / n, 1.5f);
    y[threadIdx.x * 3 + 2] = m4 / n / (m2 / n * (m2 / n));
}

DRIVE(k<<<1, R>>>(plain(R * L), out(R * 3), L))
// launch: <<<1, R>>>(plain(R * L), out(R * 3), L)
