// A two-dimensional array parameter.
#include "driver.h"

#define COLS 20

#pragma rf cascade
__global__ void k(const float x[][COLS], float *y)
{
    const int r = threadIdx.x;
    float m = -INFINITY, s = 0;
    for (int c = 0; c < COLS; c++)
        m = fmaxf(m, x[r][c]);
    for (int c = 0; c < COLS; c++)
        s += expf(x[r][c] - m);
    y[r] = s;
}

DRIVE(k<<<1, R>>>((float(*)[COLS])(float *)in(R * COLS, COLS), out(R)))
// launch: <<<1, R>>>((float(*)[COLS])(float *)in(R * COLS, COLS), out(R))
