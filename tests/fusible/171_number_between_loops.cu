// A number that is declared between the loops and used behind them, and one
// that begins with empty braces.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *__restrict__ x, float *__restrict__ y, int n)
{
    const float *row = x + threadIdx.x * n;
    float m = -INFINITY;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, row[i]);
    float s{};
    float eps = 1e-5f;
    for (int i = 0; i < n; i++)
        s += expf(row[i] - m);
    y[threadIdx.x] = m / (s + eps);
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
