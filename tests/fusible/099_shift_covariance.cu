// Covariance of two rows: two means in one loop.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const float *a, const float *b, float *y, int n)
{
    a += threadIdx.x * n;
    b += threadIdx.x * n;
    float ma = 0, mb = 0, c = 0;
    for (int i = 0; i < n; i++) {
        ma += a[i];
        mb += b[i];
    }
    ma /= n;
    mb /= n;
    for (int i = 0; i < n; i++)
        c += (a[i] - ma) * (b[i] - mb);
    y[threadIdx.x] = c / (n - 1);
}

DRIVE(k<<<1, R>>>(mild(R * L), plain(R * L), out(R), L))
// launch: <<<1, R>>>(mild(R * L), plain(R * L), out(R), L)
