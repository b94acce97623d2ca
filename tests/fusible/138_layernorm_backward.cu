// Layer norm backward: two sums and the gradient of the input.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, const float *w, const float *dy, float *dx,
                  int n)
{
    x += threadIdx.x * n;
    dy += threadIdx.x * n;
    dx += threadIdx.x * n;
    float mean = 0, var = 0, a = 0, b = 0;
    for (int i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (int i = 0; i < n; i++)
        var += (x[i] - mean) * (x[i] - mean);
    float rstd = rsqrtf(var / n + 1e-5f);
    for (int i = 0; i < n; i++) {
        a += dy[i] * w[i];
        b += dy[i] * w[i] * (x[i] - mean) * rstd;
    }
    a /= n;
    b /= n;
    for (int i = 0; i < n; i++)
        dx[i] = (dy[i] * w[i] - a - (x[i] - mean) * rstd * b) * rstd;
}

DRIVE(k<<<1, R>>>(plain(R * L), plain(L), plain(R * L), out(R * L), L))
// launch: <<<1, R>>>(plain(R * L), plain(L), plain(R * L), out(R * L), L)
