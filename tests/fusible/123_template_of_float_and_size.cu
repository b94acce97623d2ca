// Only the type that counts is an integer; the other is float and double.
#include "driver.h"

template <class T, class Size>
__global__ void k(const T *__restrict__ x, T *__restrict__ y, Size rows, int n)
{
    const T *row = x + threadIdx.x * n;
    if (threadIdx.x >= rows)
        return;
#pragma rf cascade
    {
        T s = 0, v = 0;
        for (int i = 0; i < n; i++)
            s += row[i];
        T mean = s / n;
        for (int i = 0; i < n; i++)
            v += (row[i] - mean) * (row[i] - mean);
        y[threadIdx.x] = v;
    }
}

DRIVE((k<float, unsigned><<<1, R>>>(mild(R * L), out(R), R, L),
       k<double, unsigned><<<1, R>>>(mild(R * L), out(R), R, L)))
// launch: <<<1, R>>>(mild(R * L), out(R), R, L)
