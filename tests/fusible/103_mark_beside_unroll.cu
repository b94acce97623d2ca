// Other pragmas between the loops, odd blanks in the mark.
#include "driver.h"

__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
  #  pragma   rf    cascade   level( thread )
    {
        float m = -INFINITY, s = 0;
        #pragma unroll 4
        for (int i = 0; i < n; i++)
            m = fmaxf(m, x[i]);
        #pragma unroll
        for (int i = 0; i < n; i++)
            s += expf(x[i] - m);
        y[threadIdx.x] = s;
    }
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
