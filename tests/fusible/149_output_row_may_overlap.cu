// Each output element is stored before the values for the next are read. The
// values are of another type.
#include "driver.h"
#define D 8

#pragma rf cascade
__global__ void k(const float *x, const int *v, float *o, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY;
    for (int j = 0; j < n; j++)
        m = fmaxf(m, x[j]);
    for (int d = 0; d < D; d++) {
        float acc = 0;
        for (int j = 0; j < n; j++)
            acc += expf(x[j] - m) * v[j * D + d];
        o[threadIdx.x * D + d] = acc;
    }
}

DRIVE({
    float *a = inout(L + 8 * D, L + 1);
    const int *v = index(2 * L * D, 9);
    k<<<1, 1>>>(a, v, a + L / 2, L);
    a = inout(L + 8 * D, L + 1);
    k<<<1, 1>>>(a + 3, v, a, L);
    a = inout(2 * L * D + 2 * D + 2, L + 1);
    k<<<1, 1>>>(in(L), reinterpret_cast<const int *>(a), a, L);
    k<<<1, 2>>>(in(2 * L), v, out(2 * D), L);
})
