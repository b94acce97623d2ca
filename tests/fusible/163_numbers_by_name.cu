// Two names of one number when the file is read, of two when it is compiled.
#include "driver.h"

#ifdef RF_PLAIN
#define STRIDE 4
#else
#define STRIDE 2
#endif
constexpr int four = 4;

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n / STRIDE; i++)
        m = fmaxf(m, x[i * STRIDE]);
    for (int i = 0; i < n / STRIDE; i++)
        s += expf(x[i * STRIDE] - m) * four;
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
