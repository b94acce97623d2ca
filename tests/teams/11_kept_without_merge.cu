// |x - mean| does not merge: the passes stay, the row is read once.
#define DRIVE_LENGTHS 100, 33, 32, 31, 1, 0
#include "../fusible/driver.h"

#pragma rf cascade level(warp) assume(n <= 128)
__global__ void k(const float *x, float *y, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    float m = 0.0f, d = 0.0f, far = 0.0f;
    for (int i = 0; i < n; i++)
        m += x[r * n + i];
    m /= n;
    for (int i = 0; i < n; i++)
        d += fabsf(x[r * n + i] - m);
    for (int i = 0; i < n; i++)
        far += fmaxf(x[r * n + i] - d / n, 0.0f);
    y[r] = far;
}

DRIVE(k<<<R, 1>>>(mild(R * L), out(R), L))
