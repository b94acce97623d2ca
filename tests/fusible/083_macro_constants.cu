// Macros for constants, an index and a function: each expands inside an
// expression.
#include "driver.h"

#define LOWEST     (-1e30f)
#define AT(r, c)   ((r) * n + (c))
#define EXP(v)     __expf(v)

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    const int r = threadIdx.x;
    float m = LOWEST, s = 0;
    for (int c = 0; c < n; c++)
        m = fmaxf(m, x[AT(r, c)]);
    for (int c = 0; c < n; c++)
        s += EXP(x[AT(r, c)] - m);
    y[r] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
