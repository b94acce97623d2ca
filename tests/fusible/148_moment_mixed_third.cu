// A mixed third moment: its steps use two sums that nobody asks for.
#include "driver.h"

#pragma rf cascade assume(finite)
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
// launch: <<<1, R>>>(plain(R * L), plain(R * L), out(R), L)
