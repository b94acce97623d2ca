// Each launch reads the row's length again, the last one while it stores.
#include "../fusible/driver.h"

#pragma rf cascade level(grid)
__global__ void k(const float *x, const int *length, int *y)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    const int n = length[r];
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[r * n + i]);
    for (int i = 0; i < n; i++)
        s += expf(x[r * n + i] - m);
    y[r] = s > 2.0f;
}

DRIVE(k<<<1, R>>>(in(R * L), zeros<int>(R), out<int>(R)))
// expect: 8:19 rf-alias
