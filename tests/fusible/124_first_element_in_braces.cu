// The first element is taken inside the marked braces, the row set outside.
#include "driver.h"

__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
#pragma rf cascade
    {
        float m = x[0], s = 0;
        for (int i = 1; i < n; i++)
            if (x[i] > m)
                m = x[i];
        for (int i = 0; i < n; i++)
            s += expf(x[i] - m);
        y[threadIdx.x] = s;
    }
}

DRIVE_FROM(1, k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L), L >= 1
