// The functions of a grid have a parameter that the file's macro would replace.
#include "../fusible/driver.h"

#define turns 2

#pragma rf cascade level(grid)
__global__ void k(const float *x, float *y, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[r * n + i]);
    for (int i = 0; i < n; i++)
        s += expf(x[r * n + i] - m);
    y[r] = s * turns;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// expect: 6:1 rf-macro
