// A minimum as the shift, exponentials that fall from it.
#include "driver.h"

#pragma rf cascade assume(beta > 0)
__global__ void k(const float *energy, float *z, int n, float beta)
{
    const float *e = energy + threadIdx.x * n;
    float e0 = INFINITY;
    for (int i = 0; i < n; i++)
        if (e[i] < e0)
            e0 = e[i];
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += expf(-beta * (e[i] - e0));
    z[threadIdx.x] = sum;
}

DRIVE(k<<<1, R>>>(mild(R * L), out(R), L, 0.5f))
// launch: <<<1, R>>>(mild(R * L), out(R), L, 0.5f)
