// Weighted variance in one pass: the weights are positive, so that the sum of
// those so far may be divided by.
#include "driver.h"

#pragma rf cascade assume(weight > 0)
__global__ void spread(const float *weight, const float *x, float *mean,
                       float *variance, int rows, int n)
{
    int row = threadIdx.x;
    if (row >= rows)
        return;
    const float *w = weight + row * n;
    float W = 0, S = 0;
    for (int i = 0; i < n; i++) {
        W += w[i];
        S += w[i] * x[row * n + i];
    }
    float m = S / W, V = 0;
    for (int i = 0; i < n; i++)
        V += w[i] * (x[row * n + i] - m) * (x[row * n + i] - m);
    mean[row] = m;
    variance[row] = V / W;
}

DRIVE(spread<<<1, R>>>(positive(R * L), mild(R * L), out(R), out(R), R, L))
