// A template over the element type, instantiated once.
#include "driver.h"

template <typename T>
__global__ void k(const T *x, T *y, int n)
{
    x += threadIdx.x * n;
#pragma rf cascade
    {
        T m = x[0];
        for (int i = 1; i < n; i++)
            m = x[i] > m ? x[i] : m;
        T s = T(0);
        for (int i = 0; i < n; i++)
            s += exp(x[i] - m);
        y[threadIdx.x] = s;
    }
}

DRIVE_FROM(1, k<double><<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L), L >= 1
