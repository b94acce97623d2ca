// Nothing says that the output is not the input, or a part of it: the source
// runs where it is.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *out, int n)
{
    x += threadIdx.x * n;
    out += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        out[i] = expf(x[i] - m);
        s += out[i];
    }
    for (int i = 0; i < n; i++)
        out[i] /= s;
}

DRIVE({
    float *a = inout(4 * L + 4, L + 1);
    k<<<1, 1>>>(a, a, L);
    a = inout(4 * L + 4, L + 1);
    k<<<1, 1>>>(a, a + 1, L);
    a = inout(4 * L + 4, L + 1);
    k<<<1, 1>>>(a + 1, a, L);
    a = inout(4 * L + 4, L + 1);
    k<<<1, 2>>>(a, a + 2 * L, L);
    a = inout(4 * L + 4, L + 1);
    k<<<1, 2>>>(a + 2 * L, a, L);
})
