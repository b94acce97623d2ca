// Simple linear regression: slope, intercept and the residual's square sum.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const float *x, const float *y, float *fit, int n)
{
    x += threadIdx.x * n;
    y += threadIdx.x * n;
    float mx = 0, my = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; i++) {
        mx += x[i];
        my += y[i];
    }
    mx /= n;
    my /= n;
    for (int i = 0; i < n; i++) {
        sxx += (x[i] - mx) * (x[i] - mx);
        sxy += (x[i] - mx) * (y[i] - my);
    }
    float slope = sxy / sxx;
    fit[threadIdx.x * 2] = slope;
    fit[threadIdx.x * 2 + 1] = my - slope * mx;
}

DRIVE(k<<<1, R>>>(plain(R * L), plain(R * L), out(R * 2), L))
// launch: <<<1, R>>>(plain(R * L), plain(R * L), out(R * 2), L)
