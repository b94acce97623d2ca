// The row is centred in place; the squares are those of the stored values.
#include "driver.h"

#pragma rf cascade
__global__ void k(float *x, float *dev, int n)
{
    float *v = x + threadIdx.x * n;
    float mean = 0;
    for (int i = 0; i < n; i++)
        mean += v[i] / n;
    for (int i = 0; i < n; i++)
        v[i] -= mean;
    float q = 0;
    for (int i = 0; i < n; i++)
        q += v[i] * v[i];
    const float d = sqrtf(q / n + 1e-3f);
    for (int i = 0; i < n; i++)
        v[i] /= d;
    dev[threadIdx.x] = d;
}

DRIVE(k<<<1, R>>>(inout(R * L), out(R), L))
// launch: <<<1, R>>>(inout(R * L), out(R), L)
