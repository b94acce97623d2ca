// The row's pointers are declared in a scope that its loops share.
#include "driver.h"

#pragma rf cascade
__global__ void k(float *x, int rows, int n)
{
    int row = threadIdx.x;
    while (row < rows) {
        {
            float *p = x + row * n;
            const int last = n - 1;
            float m = -INFINITY, s = 0;
            for (int i = 0; i <= last; i++)
                m = fmaxf(m, p[i]);
            for (int i = 0; i <= last; i++)
                s += expf(p[i] - m);
            for (int i = 0; i <= last; i++)
                p[i] = expf(p[i] - m) / s;
        }
        row += blockDim.x;
    }
}

DRIVE(k<<<1, 4>>>(inout(R * L), R, L))
