// A loop to n - 1, two arrays; the results of one pass steer the next.
#define DRIVE_LENGTHS 200, 33, 31, 2
#include "../fusible/driver.h"

#pragma rf cascade level(block) threads(32) assume(noalias, n <= 256)
__global__ void k(const float *a, const float *b, float *y, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    float top = 0.0f, s = 0.0f, t = 0.0f;
    for (int i = 0; i < n; ++i)
        top = fmaxf(top, fabsf(a[r * n + i]));
    for (int i = 0; i <= n - 1; i++)
        s += fminf(a[r * n + i] / top, b[r * n + i]);
    for (int i = 0; i < n; i++)
        t += b[r * n + i] * (a[r * n + i] > s);
    y[r] = t + s;
}

DRIVE(k<<<R, 1>>>(plain(R * L), plain(R * L), out(R), L))
