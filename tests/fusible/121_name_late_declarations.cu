// Declarations and what sets them stand apart, some outside the loops' window.
#include "driver.h"

#pragma rf cascade assume(noalias)
__global__ void normalise(const float *x, float *y, int rows, int n)
{
    int row;
    row = threadIdx.x;
    if (row >= rows)
        return;
    const float *in;
    float *to, peak, sum;
    float scale;
    in = &x[row * n];
    peak = -INFINITY;
    to = y + row * n;
    for (int i = 0; i < n; i++)
        peak = fmaxf(peak, in[i]);
    sum = 0;
    for (int i = 0; i < n; i++)
        sum += expf(in[i] - peak);
    scale = 1 / sum;
    for (int i = 0; i < n; i++)
        to[i] = expf(in[i] - peak) * scale;
}

DRIVE(normalise<<<1, R>>>(in(R * L), out(R * L), R, L))
