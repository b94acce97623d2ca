// The weighted third moment.
#include "driver.h"

#pragma rf cascade assume(w > 0)
__global__ void k(const double *w, const double *x, double *y, int n)
{
    x += threadIdx.x * n;
    w += threadIdx.x * n;
    double s = 0, sx = 0, m3 = 0;
    for (int i = 0; i < n; i++) {
        s += w[i];
        sx += w[i] * x[i];
    }
    double mean = sx / s;
    for (int i = 0; i < n; i++) {
        double d = x[i] - mean;
        m3 += w[i] * d * d * d;
    }
    y[threadIdx.x] = m3 / s;
}

DRIVE(k<<<1, R>>>(positive(R * L), plain(R * L), out(R), L))
// launch: <<<1, R>>>(positive(R * L), plain(R * L), out(R), L)
