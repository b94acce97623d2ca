// Pearson's correlation of two rows.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const float *a, const float *b, float *y, int n)
{
    a += threadIdx.x * n;
    b += threadIdx.x * n;
    float ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
    for (int i = 0; i < n; i++) {
        ma += a[i];
        mb += b[i];
    }
    ma /= n;
    mb /= n;
    for (int i = 0; i < n; i++) {
        aa += (a[i] - ma) * (a[i] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
        ab += (a[i] - ma) * (b[i] - mb);
    }
    y[threadIdx.x] = ab / sqrtf(aa * bb);
}

DRIVE(k<<<1, R>>>(plain(R * L), plain(R * L), out(R), L))
// launch: <<<1, R>>>(plain(R * L), plain(R * L), out(R), L)
