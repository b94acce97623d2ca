// A finished element of an array is read while its neighbour is summed.
#include "driver.h"

__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float acc[2] = { -INFINITY, 0 };
#pragma rf cascade
    {
        for (int i = 0; i < n; i++)
            acc[0] = fmaxf(acc[0], x[i]);
        for (int i = 0; i < n; i++)
            acc[1] += expf(x[i] - acc[0]);
    }
    y[threadIdx.x] = acc[1];
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
