// Two passes over the row, so three launches; stores inside a pass, too.
#define DRIVE_LENGTHS 300, 33, 32, 31, 1, 0
#include "../fusible/driver.h"

#pragma rf cascade level(grid) blocks(3) threads(32) assume(noalias)
__global__ void k(const float *x, float *y, float *z, float *w, int rows, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    w[r] = r;
    float m = -INFINITY, s = 0.0f, d = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[r * n + i]);
    for (int i = 0; i < n; i++)
        s += expf(x[r * n + i] - m);
    for (int i = 0; i < n; i++)
        d += fabsf(x[r * n + i] - s);
    for (int i = 0; i < n; i++)
        y[r * n + i] = x[r * n + i] - d;
    z[r] += s + d;
}

DRIVE(k<<<6, dim3(6)>>>(in(R * L), out(R * L), inout(R, 1), inout(R, 1), R, L))
