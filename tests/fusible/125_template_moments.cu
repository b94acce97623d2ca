// The mean and deviation of a template: its counts and roots are made of T.
#include "driver.h"

template <class T>
__global__ void k(const T *__restrict__ x, T *__restrict__ y, int n)
{
    x += threadIdx.x * n;
#pragma rf cascade
    {
        T sum = 0, squares = 0;
        for (int i = 0; i < n; i++)
            sum += x[i];
        T mean = sum / T(n);
        for (int i = 0; i < n; i++)
            squares += (x[i] - mean) * (x[i] - mean);
        y[2 * threadIdx.x] = mean;
        y[2 * threadIdx.x + 1] = squares;
    }
}

DRIVE_FROM(1, (k<float><<<1, R>>>(mild(R * L), out(2 * R), L),
               k<double><<<1, R>>>(mild(R * L), out(2 * R), L)))
// launch: <<<1, R>>>(mild(R * L), out(2 * R), L), L >= 1
