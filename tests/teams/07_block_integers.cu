// Integers: a maximum, a product of signs and a count.
#define DRIVE_LENGTHS 300, 33, 32, 31, 1, 0
#include "../fusible/driver.h"

#pragma rf cascade level(block)
__global__ void k(const int *x, int *y, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    const int *p = x + r * n;
    int m = -1000, c = 0;
    for (int i = 0; i < n; i++)
        m = max(m, p[i]);
    for (int i = 0; i < n; i++)
        c += p[i] * m;
    y[r] = c;
}

DRIVE(k<<<R, 1>>>(index(R * L, 50), out(R), L))
