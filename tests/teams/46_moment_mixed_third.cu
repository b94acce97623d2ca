// The merge of a mixed third moment uses the second moments of both parts, which
// it changes as well.
#define DRIVE_LENGTHS 300, 33, 32, 31, 1, 0
#include "../fusible/driver.h"

#pragma rf cascade level(warp) assume(finite, noalias)
__global__ void k(const double *x, const double *z, double *y, int n)
{
    x += threadIdx.x * n;
    z += threadIdx.x * n;
    double a = 0, b = 0, m = 0;
    for (int i = 0; i < n; i++) {
        a += x[i];
        b += z[i];
    }
    a /= n;
    b /= n;
    for (int i = 0; i < n; i++) {
        double d = x[i] - a;
        m += d * (z[i] - b) * d;
    }
    y[threadIdx.x] = m / n;
}

DRIVE(k<<<1, R>>>(plain(R * L), plain(R * L), out(R), L))
