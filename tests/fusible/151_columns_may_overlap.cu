// Columns at a stride, of which nothing is known, that may lie in one another.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n, int stride)
{
    const int c = threadIdx.x;
    float m = -INFINITY;
    for (int j = 0; j < n; j++)
        m = fmaxf(m, x[j * stride + c]);
    float s = 0;
    for (int j = 0; j < n; j++) {
        y[j * stride + c] = expf(x[j * stride + c] - m);
        s += y[j * stride + c];
    }
    for (int j = 0; j < n; j++)
        y[j * stride + c] /= s;
}

DRIVE({
    float *a = inout(4 * L + 4, L + 1);
    k<<<1, 1>>>(a + 1, a, L, 2);
    a = inout(4 * L + 4, L + 1);
    k<<<1, 1>>>(a, a + 2, L, 2);
    a = inout(4 * L + 4, L + 1);
    k<<<1, 2>>>(a, a + 2 * L, L, 2);
    a = inout(4 * L + 4, L + 1);
    k<<<1, 1>>>(a + L, a + 3 * L + 1, L, -1);
})
